"""What one pod asks of the allocator: its claims, and for each node what they would get there.

A ``ClaimWork`` is a pure function of the pod and the cluster; answers by node are computed when first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from scheduler_core.api.devices import Allocation, DeviceClass
from scheduler_core.api.objects import Node, ResourceClaim
from scheduler_core.framework.contracts.status import SUCCESS, Status, error, unresolvable
from scheduler_core.plugins.dynamic_resources.claims import failure, is_ready
from scheduler_core.plugins.dynamic_resources.errors import AllocationError, RefusalOnNode
from scheduler_core.plugins.dynamic_resources.extended import ExtendedWork, NodeRequests, claim_of
from scheduler_core.plugins.dynamic_resources.pools import Pool
from scheduler_core.plugins.dynamic_resources.requests import Allocated, NodeDeviceRequests
from scheduler_core.plugins.dynamic_resources.results import allocation
from scheduler_core.plugins.dynamic_resources.search import DeviceSearch
from scheduler_core.plugins.dynamic_resources.selecting import SelectorCache
from scheduler_core.plugins.dynamic_resources.shapes import ShapeAnswers
from scheduler_core.versions.behaviours import Behaviours

UNAVAILABLE = "resourceclaim not available on the node"
MOST_RANKS = 8
"""Alternatives that a request can have (FirstAvailableDeviceRequestMaxSize)."""


class AnswerOnNode(msgspec.Struct, frozen=True, eq=False):
    """What the claims get on a node: the verdict, and an allocation for each claim of ``ClaimWork.to_allocate``, with
    that of the claim for extended resources last where there is one. ``rank`` is the sum over their requests with
    alternatives of 8 less the place of the one that is given."""

    status: Status = SUCCESS
    allocations: tuple[Allocation, ...] = ()
    extended: NodeRequests | None = None
    rank: int = 0


class Surroundings(msgspec.Struct, frozen=True, eq=False):
    """What of the cluster the allocator looks at. ``waits_since``: binding no longer waits for what was allocated
    before (seconds since the Unix epoch)."""

    behaviours: Behaviours
    classes: Mapping[str, DeviceClass]
    pools: Callable[[Node], list[Pool]]
    allocated: Allocated
    selectors: SelectorCache
    waits_since: float = 0.0


class ClaimWork:
    """The claims of a pod, in the order of its spec, and answers by node. ``extended`` is set where it may get devices
    for extended resources, ``shape`` where answers are kept beyond this pod."""

    def __init__(
        self,
        claims: list[ResourceClaim],
        around: Surroundings,
        extended: ExtendedWork | None = None,
        shape: ShapeAnswers | None = None,
    ) -> None:
        self.claims, self.extended, self.shape = claims, extended, shape
        self.to_allocate = [i for i, claim in enumerate(claims) if claim.allocation is None]
        self.is_shape_alone = shape is not None and len(self.to_allocate) == len(claims)
        """Whether the shape's answers are those of the pod: no claim has devices already."""
        self.is_ranked = any(request.alternatives for claim in claims for request in claim.spec.requests)
        self._around = around
        self._rank_of_allocated = sum(_rank(c, c.allocation) for c in claims if c.allocation is not None)
        self._answers: dict[str, tuple[Node, AnswerOnNode]] = {}

    def on(self, node: Node) -> AnswerOnNode:
        """The answer for the node."""
        if self.is_shape_alone:
            assert self.shape is not None
            of_shape: AnswerOnNode = self.shape.on(node, self.searched)
            return of_shape
        entry = self._answers.get(node.name)
        if entry is None or entry[0] is not node:
            answer = self.searched(node) if self.shape is None else self.shape.on(node, self.searched)
            if answer.status.is_success and self.unavailable(node):
                answer = AnswerOnNode(unresolvable(UNAVAILABLE))
            entry = self._answers[node.name] = node, answer
        return entry[1]

    def searched(self, node: Node) -> AnswerOnNode:
        """What the claims that have no devices get on the node, by a search."""
        extended = None
        if self.extended is not None:
            extended = self.extended.on(node)
            if not extended.status.is_success:
                return AnswerOnNode(extended.status)
        claims = [self.claims[i] for i in self.to_allocate]
        if extended is not None and extended.spec is not None:
            assert self.extended is not None
            claims.append(claim_of(self.extended.pod, extended.spec))
        allocations: tuple[Allocation, ...] = ()
        try:
            if claims:
                allocations = self._allocate(claims, node)
        except AllocationError as problem:
            return AnswerOnNode(error(str(problem)))
        except RefusalOnNode as refusal:
            return AnswerOnNode(unresolvable(str(refusal)))
        rank = sum(_rank(self.claims[i], given) for i, given in zip(self.to_allocate, allocations, strict=False))
        return AnswerOnNode(SUCCESS, allocations, extended, rank)

    def _allocate(self, claims: list[ResourceClaim], node: Node) -> tuple[Allocation, ...]:
        around = self._around
        pools = around.pools(node)
        requests = NodeDeviceRequests(claims, node, pools, around.classes, around.selectors, around.behaviours)
        requests.prepare()
        taken = DeviceSearch(requests, around.allocated, around.behaviours).run()
        return tuple(allocation(requests, c, one, around.behaviours) for c, one in enumerate(taken))

    def unavailable(self, node: Node) -> list[ResourceClaim]:
        """The allocated claims that cannot be used on the node, or whose devices a driver could not make ready."""
        return [claim for claim in self.claims if claim.allocation is not None and not self._is_usable(claim, node)]

    def _is_usable(self, claim: ResourceClaim, node: Node) -> bool:
        assert claim.allocation is not None
        selector = claim.allocation.node_selector
        if selector is not None and not selector.matches(node.name, node.labels):
            return False
        if not self._around.behaviours.device_binding_conditions:
            return True
        allocated_at = claim.allocation.allocated_at
        return not failure(claim) and (
            is_ready(claim) or allocated_at is None or allocated_at >= self._around.waits_since
        )

    def rank(self, node: Node) -> int:
        """The sum over requests with alternatives of 8 less the place of the one that the claim has, or gets here."""
        return self._rank_of_allocated + self.on(node).rank


def _rank(claim: ResourceClaim, given: Allocation) -> int:
    requests = [request for request in claim.spec.requests if request.alternatives]
    if not requests:
        return 0
    names = {device.request for device in given.devices}
    return sum(
        MOST_RANKS - place
        for request in requests
        for place, one in enumerate(request.alternatives)
        if f"{request.name}/{one.name}" in names
    )
