"""PodGroups and ElasticQuotas of the scheduler plugins from raw values."""

from __future__ import annotations

from scheduler_core.api.objects import ElasticQuota, PodGroup, Resources
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.metadata import read_metadata
from scheduler_core.manifests.kinds.resource_lists import STANDARD, read_resources


def read_pod_group(at: At, memo: Memo) -> PodGroup:
    """The PodGroup of the scheduler plugins."""
    meta = read_metadata(at, memo, namespaced=True)
    spec = at.get("spec")
    timeout = spec.get("scheduleTimeoutSeconds")
    return PodGroup(
        name=meta.name,
        namespace=meta.namespace,
        min_member=spec.get("minMember").integer(1, 0),
        schedule_timeout_seconds=timeout.integer(0, 0) if timeout.present else None,
    )


def read_elastic_quota(at: At, memo: Memo) -> ElasticQuota:
    """The ElasticQuota of the scheduler plugins; its status is what a controller counted, and is not read."""
    meta = read_metadata(at, memo, namespaced=True)
    spec = at.get("spec")
    spec.mapping(frozenset(("min", "max")))
    return ElasticQuota(
        name=meta.name,
        namespace=meta.namespace,
        min=_read_amounts(spec.get("min"), "nothing of it is guaranteed to the namespace"),
        max=_read_amounts(spec.get("max"), "the plugin CapacityScheduling refuses every pod that requests any"),
    )


def _read_amounts(at: At, consequence: str) -> Resources | None:
    """A list of amounts, None where it is not given; warns of what counts as 0 because the list does not name it."""
    if not at.present:
        return None
    amounts = read_resources(at)
    missing = [name for name in STANDARD[:2] if name not in amounts]
    if missing:
        at.warn(f"{' and '.join(missing)} not named counts as 0, so {consequence}. Name it, or leave the list out")
    return amounts
