"""Lets pods without resource claims pass; pods with claims are refused, as devices are not simulated.

Mirrors the upstream plugin DynamicResources of v1.34 (plugins/dynamicresources) as far as a pod without claims can
see it. Known differences: claims are never allocated, so PreFilter refuses a pod that has any, and Reserve and
PreBind, which do nothing for pods without claims, are left out.
"""

from __future__ import annotations

from typing import Any

from scheduler_core.api.objects import Pod
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.cycle import Cycle, FilterOutcome
from scheduler_core.framework.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.interface import (
    EnqueueExtension,
    FilterPlugin,
    NoArgs,
    PostFilterPlugin,
    PostFilterResult,
    PreFilterPlugin,
    PreFilterResult,
    Rows,
    Traits,
    Verdicts,
)
from scheduler_core.framework.kernels import same_pod
from scheduler_core.framework.status import SKIP, SUCCESS, Status, error, unresolvable, unschedulable

NOTHING_TO_DEALLOCATE = "no new claims to deallocate"
NO_STATE = "not found"


class DynamicResources(
    PreFilterPlugin[NoArgs], FilterPlugin[NoArgs], PostFilterPlugin[NoArgs], EnqueueExtension[NoArgs]
):
    """Its PostFilter has no use here, but its message is part of every scheduling failure."""

    name = "DynamicResources"
    Args = NoArgs
    traits = Traits(reads_pods="none")

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """What upstream registers; events about claims and devices do not occur here."""
        added_or_updated = ActionType.ADD | ActionType.UPDATE
        node = ActionType.ADD | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_ALLOCATABLE
        pod = ClusterEvent(Resource.POD, ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM)
        return (
            EventWithHint(ClusterEvent(Resource.NODE, node)),
            EventWithHint(ClusterEvent(Resource.RESOURCE_CLAIM, added_or_updated)),
            EventWithHint(pod, _after_pod_change),
            EventWithHint(ClusterEvent(Resource.DEVICE_CLASS, added_or_updated)),
            EventWithHint(ClusterEvent(Resource.RESOURCE_SLICE, added_or_updated)),
        )

    def pre_filter(self, cycle: Cycle, pod: PodInfo) -> PreFilterResult:
        """SKIP without claims, a refusal that names them otherwise."""
        claims = pod.pod.resource_claims
        if not claims:
            return PreFilterResult(SKIP, lasting=True)
        cycle.extra[self.name] = True
        return PreFilterResult(unresolvable(f"resource claims are not simulated: {', '.join(claims)}"))

    def filter_node(self, state: Any, pod: PodInfo, node: NodeView) -> Status:
        """A pod that PreFilter let through has no claims."""
        return SUCCESS

    def filter(self, state: Any, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """All pass."""
        return None

    def post_filter(self, cycle: Cycle, pod: PodInfo, outcome: FilterOutcome) -> PostFilterResult:
        """Nothing to deallocate; an error when the cycle ended before this plugin's PreFilter, as upstream."""
        if self.name not in cycle.extra and self.name not in cycle.skip_filter:
            return PostFilterResult(error(NO_STATE))
        return PostFilterResult(unschedulable(NOTHING_TO_DEALLOCATE))


def _after_pod_change(pod: Pod, old: Pod | None, new: Pod) -> Hint:
    return Hint.QUEUE if same_pod(pod, new) and not new.resource_claims else Hint.SKIP
