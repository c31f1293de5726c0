"""What one pod asks of the allocator: its claims, and for each node what they would get there.

A ``ClaimWork`` is a pure function of the pod and the cluster; answers by node are computed when first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from scheduler_core.api.devices import Allocation, DeviceClass
from scheduler_core.api.objects import Node, ResourceClaim
from scheduler_core.framework.contracts.status import SUCCESS, Status, error, unresolvable
from scheduler_core.plugins.dynamic_resources.capacity import Amounts, add_to
from scheduler_core.plugins.dynamic_resources.claims import failure, is_ready
from scheduler_core.plugins.dynamic_resources.errors import AllocationError, RefusalOnNode
from scheduler_core.plugins.dynamic_resources.extended import ExtendedWork, NodeRequests
from scheduler_core.plugins.dynamic_resources.pools import DeviceKey, Pool
from scheduler_core.plugins.dynamic_resources.requests import Allocated, NodeDeviceRequests
from scheduler_core.plugins.dynamic_resources.results import allocation
from scheduler_core.plugins.dynamic_resources.search import DeviceSearch
from scheduler_core.plugins.dynamic_resources.selecting import SelectorCache
from scheduler_core.versions.behaviours import Behaviours

UNAVAILABLE = "resourceclaim not available on the node"
MOST_RANKS = 8
"""Alternatives that a request can have (FirstAvailableDeviceRequestMaxSize)."""


class AnswerOnNode(msgspec.Struct, frozen=True, eq=False):
    """What the claims get on a node: the verdict, and an allocation for each claim of ``ClaimWork.to_allocate``, with
    that of the claim for extended resources last where there is one."""

    status: Status = SUCCESS
    allocations: tuple[Allocation, ...] = ()
    extended: NodeRequests | None = None


class Surroundings(msgspec.Struct, frozen=True, eq=False):
    """What of the cluster the allocator looks at."""

    behaviours: Behaviours
    classes: Mapping[str, DeviceClass]
    pools: Callable[[Node], list[Pool]]
    allocated: Allocated
    selectors: SelectorCache


class ClaimWork:
    """The claims of a pod, in the order of its spec, and answers by node. ``extended`` is set where it may get devices
    for extended resources."""

    def __init__(self, claims: list[ResourceClaim], around: Surroundings, extended: ExtendedWork | None = None) -> None:
        self.claims, self.extended = claims, extended
        self.to_allocate = [i for i, claim in enumerate(claims) if claim.allocation is None]
        self._around = around
        self._answers: dict[str, tuple[Node, AnswerOnNode]] = {}

    def on(self, node: Node) -> AnswerOnNode:
        """The answer for the node."""
        entry = self._answers.get(node.name)
        if entry is None or entry[0] is not node:
            entry = self._answers[node.name] = node, self._answer(node)
        return entry[1]

    def _answer(self, node: Node) -> AnswerOnNode:
        extended = None
        if self.extended is not None:
            extended = self.extended.on(node)
            if not extended.status.is_success:
                return AnswerOnNode(extended.status)
        claims = [self.claims[i] for i in self.to_allocate]
        if extended is not None and extended.claim is not None:
            claims.append(extended.claim)
        allocations: tuple[Allocation, ...] = ()
        try:
            if claims:
                allocations = self._allocate(claims, node)
        except AllocationError as problem:
            return AnswerOnNode(error(str(problem)))
        except RefusalOnNode as refusal:
            return AnswerOnNode(unresolvable(str(refusal)))
        if self.unavailable(node):
            return AnswerOnNode(unresolvable(UNAVAILABLE))
        return AnswerOnNode(SUCCESS, allocations, extended)

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
        # Waiting for a driver takes no virtual time, so what was allocated and is not ready has been waited for.
        return not failure(claim) and (is_ready(claim) or claim.allocation.allocated_at is None)

    def rank(self, node: Node) -> int:
        """The sum over requests with alternatives of 8 less the place of the one that the claim has, or gets here."""
        answer, total = self.on(node), 0
        gets = dict(zip(self.to_allocate, answer.allocations, strict=False))
        for i, claim in enumerate(self.claims):
            given = claim.allocation or gets.get(i)
            names = set() if given is None else {device.request for device in given.devices}
            for request in claim.spec.requests:
                for place, one in enumerate(request.alternatives):
                    if f"{request.name}/{one.name}" in names:
                        total += MOST_RANKS - place
        return total


def allocated_devices(claims: Iterable[ResourceClaim], behaviours: Behaviours) -> Allocated:
    """What these claims have. Devices for administrators stay free for others."""
    devices: set[DeviceKey] = set()
    capacity: dict[DeviceKey, Amounts] = {}
    for claim in claims:
        for device in () if claim.allocation is None else claim.allocation.devices:
            if device.admin_access:
                continue
            if device.share_id and behaviours.device_capacity:
                add_to(capacity.setdefault(device.device_key, {}), device.consumed)
            else:
                devices.add(device.device_key)
    return Allocated(frozenset(devices), capacity)
