"""How workloads replace their pods, from raw values; what the API server would refuse is a warning, as earlier versions
let it pass."""

from __future__ import annotations

import re
from typing import Any

from scheduler_core.api.rollouts import ExitRule, Rollout, SetRevision
from scheduler_core.manifests.checking.raw_values import INT32, At
from scheduler_core.manifests.kinds.metadata import Metadata
from scheduler_core.manifests.model import quoted

_PERCENT = re.compile(r"\d{1,6}%", re.ASCII)
_ALL = 100
_NOTES = "deployment.kubernetes.io/"
_MOST_CODES = 255
_KINDS = {
    "Deployment": ("strategy", ("RollingUpdate", "Recreate"), "25%", "25%"),
    "StatefulSet": ("updateStrategy", ("RollingUpdate", "OnDelete"), "0", "1"),
    "DaemonSet": ("updateStrategy", ("RollingUpdate", "OnDelete"), "0", "1"),
}
"""By kind: the field of the strategy, its types, and the defaults of maxSurge and maxUnavailable."""
_WITH_MIN_READY = ("ReplicaSet", "ReplicationController", "Rollout")


def read_rollout(spec: At, kind: str) -> Rollout | None:
    """How pods of a workload of this kind are replaced; None for Jobs."""
    if kind in _WITH_MIN_READY:
        return Rollout(min_ready_seconds=spec.get("minReadySeconds").integer(0, 0))
    if kind not in _KINDS:
        return None
    field, types, surge, unavailable = _KINDS[kind]
    strategy = spec.get(field)
    rolling, kind_of = strategy.get("rollingUpdate"), strategy.get("type").text("RollingUpdate", choices=types)
    if rolling.present and kind_of != "RollingUpdate":
        rolling.warn(f"the API server refuses it when the type is {kind_of}. Remove one of the two")
    by_ordinal, is_deployment = kind == "StatefulSet", kind == "Deployment"
    rollout = Rollout(
        kind=kind_of,
        max_surge=surge if by_ordinal else _pods(rolling.get("maxSurge"), surge),
        max_unavailable=_pods(rolling.get("maxUnavailable"), unavailable),
        partition=rolling.get("partition").integer(0, 0) if by_ordinal else 0,
        min_ready_seconds=spec.get("minReadySeconds").integer(0, 0),
        deadline_seconds=_deadline(spec) if is_deployment else None,
        is_paused=is_deployment and spec.get("paused").boolean(),
        history_limit=spec.get("revisionHistoryLimit").integer(10, 0),
    )
    _check_both(rolling, rollout, kind)
    return rollout


def _check_both(rolling: At, rollout: Rollout, kind: str) -> None:
    """Neither may be zero where the other is; a DaemonSet has one of the two alone."""
    if rollout.kind != "RollingUpdate" or kind == "StatefulSet":
        return
    none = ("0", "0%")
    if rollout.max_surge in none and rollout.max_unavailable in none:
        rolling.warn("the API server refuses 0 when maxSurge is 0. Write 1 for one of the two", "maxUnavailable")
    if kind == "DaemonSet" and rollout.max_surge not in none and rollout.max_unavailable not in none:
        rolling.warn("the API server refuses it unless maxUnavailable is 0. Write maxUnavailable: 0", "maxSurge")


def _pods(at: At, default: str) -> str:
    """A number of pods, whole or as a percentage, as text."""
    raw = at.raw
    if raw is None:
        return default
    if isinstance(raw, int) and not isinstance(raw, bool):
        return str(at.integer(0, 0))
    if isinstance(raw, str) and _PERCENT.fullmatch(raw):
        if int(raw[:-1]) > _ALL and at.path[-1] == "maxUnavailable":
            at.warn(f"the API server refuses {raw}. Write at most 100%")
        return raw
    at.error(f"{quoted(raw)} is neither a whole number of 0 or more nor a percentage. Write 2 or 50%")
    return default


def _deadline(spec: At) -> int | None:
    """Seconds without progress that are too long, None where none are (the largest number says so)."""
    at = spec.get("progressDeadlineSeconds")
    seconds = at.integer(600, 0)
    if at.present and seconds <= spec.get("minReadySeconds").integer(0, 0):
        at.warn("the API server refuses what is not greater than minReadySeconds. Write more")
    return None if seconds == INT32[1] else seconds


def read_revision(meta: Metadata, kind: str) -> SetRevision | None:
    """What the annotations of a Deployment or of its ReplicaSet say of the rollout; None without any."""
    if kind != "Deployment" and not (kind == "ReplicaSet" and any(one.kind == "Deployment" for one in meta.owners)):
        return None
    number, desired, most = (_count(meta.annotations.get(_NOTES + name)) for name in _NAMES)
    return SetRevision(number=max(number, 0), desired=desired, most=most, created=meta.created)


_NAMES = ("revision", "desired-replicas", "max-replicas")


def _count(text: Any) -> int:
    return int(text) if isinstance(text, str) and text.isascii() and text.isdigit() and len(text) < 10 else -1


def read_exit_rules(policy: At) -> tuple[ExitRule, ...]:
    """The rules of podFailurePolicy about exit codes, in their order."""
    rules = []
    for rule in policy.get("rules").items():
        codes = rule.get("onExitCodes")
        if not codes.present:
            continue
        action = rule.get("action").text("Count", choices=("FailJob", "FailIndex", "Ignore", "Count"))
        operator = codes.get("operator").text("In", choices=("In", "NotIn"))
        values = tuple(one.integer(0, 0, _MOST_CODES) for one in codes.get("values").items())
        rules.append(ExitRule(action, operator, values, codes.get("containerName").text()))
    return tuple(rules)
