"""PodDisruptionBudgets from raw values."""

from __future__ import annotations

import re

from scheduler_core.api.objects import PodDisruptionBudget
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.metadata import read_metadata
from scheduler_core.manifests.kinds.selectors import label_selector
from scheduler_core.manifests.model import quoted

_PERCENT = re.compile(r"\d{1,6}%", re.ASCII)
_ALL = 100


def read_budget(at: At, memo: Memo) -> PodDisruptionBudget:
    """The PodDisruptionBudget; disruptions_allowed None where the status does not say."""
    meta = read_metadata(at, memo, namespaced=True)
    spec, status = at.get("spec"), at.get("status")
    spec.mapping(("minAvailable", "maxUnavailable", "selector", "unhealthyPodEvictionPolicy"))
    if spec.get("minAvailable").present and spec.get("maxUnavailable").present:
        spec.get("maxUnavailable").error("minAvailable and maxUnavailable exclude each other. Keep one of them")
    spec.get("unhealthyPodEvictionPolicy").text(choices=("IfHealthyBudget", "AlwaysAllow"))
    allowed = status.get("disruptionsAllowed")
    return PodDisruptionBudget(
        name=meta.name,
        namespace=meta.namespace,
        selector=label_selector(spec.get("selector")),
        min_available=_int_or_percent(spec.get("minAvailable")),
        max_unavailable=_int_or_percent(spec.get("maxUnavailable")),
        disruptions_allowed=allowed.integer(0, 0) if allowed.present else None,
        disrupted_pods=tuple(status.get("disruptedPods").mapping()),
    )


def _int_or_percent(at: At) -> str | None:
    raw = at.raw
    if raw is None:
        return None
    if isinstance(raw, int) and not isinstance(raw, bool) and raw >= 0:
        return str(at.integer(0, 0))
    if isinstance(raw, str) and _PERCENT.fullmatch(raw):
        if int(raw[:-1]) > _ALL:
            at.error(f"{raw} is more than all pods. Write at most 100%")
        return raw
    at.error(f"{quoted(raw)} is neither a whole number of 0 or more nor a percentage. Write 2 or 50%")
    return None
