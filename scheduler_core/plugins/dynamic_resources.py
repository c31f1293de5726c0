"""Gates pods until their resource claims exist; pods whose claims exist are refused, as devices are not simulated.

Mirrors the upstream plugin DynamicResources of v1.34 (plugins/dynamicresources) up to the point where devices would
be looked for. Known differences: claims are never allocated, so PreFilter refuses a pod that has any, and Reserve and
PreBind, which do nothing for pods without claims, are left out; no controller makes claims from templates, so a pod
waits until its status names the claim.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scheduler_core.api.objects import Pod, PodResourceClaim, ResourceClaim
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.facts import DeviceClaimFact, Facts
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    FilterPlugin,
    NoArgs,
    PostFilterPlugin,
    PostFilterResult,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreFilterResult,
    ScorePlugin,
)
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Status, error, unresolvable, unschedulable
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Rows, Scores, Verdicts
from scheduler_core.framework.plugin_helpers.node_selectors import controls, same_pod

NOTHING_TO_DEALLOCATE = "no new claims to deallocate"
NO_STATE = "not found"


class DynamicResources(
    PreEnqueuePlugin[NoArgs],
    PreFilterPlugin[NoArgs],
    FilterPlugin[NoArgs],
    PostFilterPlugin[NoArgs],
    ScorePlugin[NoArgs],
    EnqueueExtension[NoArgs],
):
    """Its PostFilter has no use here, but its message is part of every scheduling failure."""

    name = "DynamicResources"
    title = "The devices that are claimed are not there"
    obstacles = kinds(
        "DEVICE_NONE", "DEVICE_IN_USE", "DEVICE_SELECTOR", "CLAIM_MISSING", "CLAIM_NOT_CREATED", "CLAIM_NOT_OWNED",
        "CLAIM_TERMINATING", "CLAIM_NOT_ALLOCATED",
    )  # fmt: skip
    wakes = ("Claim change", "Resource slice change", "Node add")
    Args = NoArgs
    traits = Traits(static=True, reads_pods="none")
    without_pre_filter = NO_STATE

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """What upstream registers; events about devices do not occur here."""
        added_or_updated = ActionType.ADD | ActionType.UPDATE
        node = ActionType.ADD | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_ALLOCATABLE
        pod = ClusterEvent(Resource.POD, ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM)
        return (
            EventWithHint(ClusterEvent(Resource.NODE, node)),
            EventWithHint(ClusterEvent(Resource.RESOURCE_CLAIM, added_or_updated), self._after_claim_change),
            EventWithHint(pod, self._after_pod_change),
            EventWithHint(ClusterEvent(Resource.DEVICE_CLASS, added_or_updated)),
            EventWithHint(ClusterEvent(Resource.RESOURCE_SLICE, added_or_updated)),
        )

    def pre_enqueue(self, pod: Pod) -> Status:
        """Refuses while a claim is missing, on its way out, or another pod's."""
        if not pod.resource_claims:
            return SUCCESS
        problem = self._find_claims(pod)[1]
        return unresolvable(problem) if problem else SUCCESS

    def pre_filter(self, cycle: CycleState, pod: PodInfo) -> PreFilterResult:
        """SKIP without claims, a refusal that names the pod's entries otherwise."""
        if not pod.pod.resource_claims:
            return PreFilterResult(SKIP, cacheable=True)
        claims, problem = self._find_claims(pod.pod)
        if not claims and not problem:
            return PreFilterResult(SKIP)
        cycle.extra[self.name] = True
        names = ", ".join(entry.name for entry in pod.pod.resource_claims)
        return PreFilterResult(unresolvable(problem or f"resource claims are not simulated: {names}"))

    def pre_filter_facts(self, pod: PodInfo) -> Facts:
        """The pod's entries, and what is wrong with its claims."""
        claims, problem = self._find_claims(pod.pod)
        if not claims and not problem:
            return ()
        problem = problem or "resource claims are not simulated"
        return tuple(
            DeviceClaimFact(entry=entry.name, problem=problem, refuses=True) for entry in pod.pod.resource_claims
        )

    def filter_node(self, state: Any, pod: PodInfo, node: NodeView) -> Status:
        """A pod that PreFilter let through has no claims."""
        return SUCCESS

    def filter(self, state: Any, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """All pass."""
        return None

    def score_node(self, state: Any, pod: PodInfo, node: NodeView) -> int:
        """0, as no device is allocated."""
        return 0

    def score(self, state: Any, pod: PodInfo, rows: Rows) -> Scores:
        """0 for each of the rows."""
        return np.zeros(len(rows), dtype=np.int64)

    def post_filter(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> PostFilterResult:
        """Nothing to deallocate; an error when the cycle ended before this plugin's PreFilter, as upstream."""
        if self.name not in cycle.extra and self.name not in cycle.skip_filter:
            return PostFilterResult(error(NO_STATE))
        return PostFilterResult(unschedulable(NOTHING_TO_DEALLOCATE))

    def _find_claims(self, pod: Pod) -> tuple[list[ResourceClaim], str]:
        """The pod's claims up to the first that it cannot have, and what is wrong with that one.

        Upstream: foreachPodResourceClaim.
        """
        claims: list[ResourceClaim] = []
        for entry in pod.resource_claims:
            name, problem = _claim_name(pod, entry)
            if problem:
                return claims, problem
            if not name:
                continue
            claim = self.handle.cluster.listers.resource_claims.get(f"{pod.namespace}/{name}")
            if claim is None:
                return claims, f'could not find ResourceClaim "{pod.namespace}/{name}"'
            if claim.deletion_timestamp is not None:
                return claims, f'resourceclaim "{name}" is being deleted'
            if not entry.claim_name and not controls(pod, claim.owner_references):
                return claims, f"ResourceClaim {claim.key} was not created for pod {pod.key} (pod is not owner)"
            claims.append(claim)
        return claims, ""

    def _after_pod_change(self, pod: Pod, old: Pod | None, new: Pod) -> Hint:
        return Hint.QUEUE if same_pod(pod, new) and not self._find_claims(new)[1] else Hint.SKIP

    def _after_claim_change(self, pod: Pod, old: ResourceClaim | None, new: ResourceClaim) -> Hint:
        """Queue a pod that has all its claims when devices became free or the status of one of its claims changed."""
        claims, problem = self._find_claims(pod)
        if problem:
            return Hint.SKIP
        freed = old is not None and old.allocated and not new.allocated
        mine = any(claim.key == new.key for claim in claims)
        return Hint.QUEUE if freed or (mine and (old is None or old.status != new.status)) else Hint.SKIP


def _claim_name(pod: Pod, entry: PodResourceClaim) -> tuple[str, str]:
    """(name of the entry's claim, what is wrong); neither where no claim is needed (resourceclaim.Name)."""
    if entry.claim_name:
        return entry.claim_name, ""
    if not entry.template_name:
        return "", f'pod "{pod.key}", spec.resourceClaim "{entry.name}": none of the supported fields are set'
    if entry.generated is None:
        return "", f'pod "{pod.key}": ResourceClaim not created yet'
    return entry.generated, ""
