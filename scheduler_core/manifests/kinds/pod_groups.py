"""Pod groups of the scheduler plugins from raw values."""

from __future__ import annotations

from scheduler_core.api.objects import PodGroup
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.metadata import read_metadata


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
