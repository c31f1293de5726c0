"""Which events may make a pod schedulable that the plugin refused, and for which pods."""

from __future__ import annotations

from scheduler_core.api.objects import Pod, ResourceClaim
from scheduler_core.framework.contracts.events import (
    ActionType,
    ClusterEvent,
    EventWithHint,
    Hint,
    HintFunction,
    Resource,
)
from scheduler_core.framework.plugin_helpers.node_selectors import same_pod


def registered(claim_hint: HintFunction, pod_hint: HintFunction) -> tuple[EventWithHint, ...]:
    """What upstream registers."""
    changed = ActionType.ADD | ActionType.UPDATE
    node = ActionType.ADD | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_ALLOCATABLE
    pod = ClusterEvent(Resource.POD, ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM)
    return (
        EventWithHint(ClusterEvent(Resource.NODE, node)),
        EventWithHint(ClusterEvent(Resource.RESOURCE_CLAIM, changed), claim_hint),
        EventWithHint(pod, pod_hint),
        EventWithHint(ClusterEvent(Resource.DEVICE_CLASS, changed)),
        EventWithHint(ClusterEvent(Resource.RESOURCE_SLICE, changed)),
    )


def after_claim_change(
    claims: list[ResourceClaim], problem: str, pod: Pod, old: ResourceClaim | None, new: ResourceClaim
) -> Hint:
    """Queue a pod that has all its claims when devices became free or the status of one of its claims changed."""
    if problem:
        return Hint.SKIP
    freed = old is not None and old.allocation is not None and new.allocation is None
    mine = any(claim.key == new.key for claim in claims)
    return Hint.QUEUE if freed or (mine and (old is None or old.status != new.status)) else Hint.SKIP


def after_pod_change(problem: str, pod: Pod, new: Pod) -> Hint:
    """Queue the pod once its own update brought the names of its claims."""
    return Hint.QUEUE if same_pod(pod, new) and not problem else Hint.SKIP
