"""Facts of a pod's claims on a node: which requests get nothing there and why, and which devices the others get.

Computed when an explanation asks, never on the way of a pod. Nodes with equal devices in equal use are searched once.
Where a fault of kube-scheduler that is followed leads to the refusal, the fact names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from scheduler_core.api.devices import Allocation, DeviceConstraint, DeviceTaint, ResourceSlice
from scheduler_core.api.objects import Node, Pod, ResourceClaim
from scheduler_core.framework.contracts.facts import (
    DeviceClaimFact,
    DeviceFact,
    DeviceGivenFact,
    DeviceRankFact,
    Fact,
    Facts,
)
from scheduler_core.plugins.dynamic_resources.claims import failure
from scheduler_core.plugins.dynamic_resources.errors import AllocationError
from scheduler_core.plugins.dynamic_resources.explaining.listing import (
    as_published,
    entry_names,
    holders_by_device,
    newest_slices,
    places_of,
)
from scheduler_core.plugins.dynamic_resources.explaining.relaxing import NodeAllocator, Relaxation
from scheduler_core.plugins.dynamic_resources.explaining.requested import RequestOnNode
from scheduler_core.plugins.dynamic_resources.extended import claim_of
from scheduler_core.plugins.dynamic_resources.pools import PoolIndex
from scheduler_core.plugins.dynamic_resources.work import MOST_RANKS, ClaimWork, Surroundings

SHARED_BY_NAME = (
    "kube-scheduler keeps the sums of counters by the name of a pool alone, and another driver has one of it"
)
_PER_REQUEST = "kube-scheduler compares a device within a request with the one taken just before only"
_ENDING = ("DEVICE_SELECTOR_ERROR", "DEVICE_CONSTRAINT", "DEVICE_TOO_MANY", "DEVICE_POOL_INCOMPLETE")
"""What an error of the allocator is about."""
Sets = list[tuple[Relaxation, ...]]


class Explainer:
    """The facts of one pod's work. ``claims`` are all claims of the cluster, ``slices`` all slices."""

    def __init__(
        self,
        pod: Pod,
        work: ClaimWork,
        around: Surroundings,
        claims: Iterable[ResourceClaim],
        slices: Iterable[ResourceSlice],
    ) -> None:
        self._pod, self._work, self._around = pod, work, around
        self._entries = entry_names(pod)
        self._holders = holders_by_device(claims)
        self._slices = newest_slices(slices)
        self._published = PoolIndex(as_published(self._slices), around.behaviours)
        self._sets: dict[object, Sets] = {}
        self._encoded: dict[int, tuple[object, bytes]] = {}

    # --- one node ---------------------------------------------------------------------------------------------------
    def refusal(self, node: Node) -> Facts:
        """Why the claims cannot be had on the node, which refuses the pod."""
        facts = [*self._elsewhere(node), *self._not_given(node)]
        message = self._work.on(node).status.message
        return tuple(facts) or (DeviceClaimFact(entry=self._name_of(""), problem=message, refuses=True),)

    def given(self, node: Node) -> Facts:
        """The devices that the claims have or get on a node that passes."""
        answer = self._work.on(node)
        gets = dict(zip(self._work.to_allocate, answer.allocations, strict=False))
        facts = [
            self._given(claim, allocation, is_allocated=claim.allocation is not None)
            for i, claim in enumerate(self._work.claims)
            if (allocation := claim.allocation or gets.get(i)) is not None
        ]
        if answer.extended is not None and answer.extended.spec is not None:
            claim = claim_of(self._pod, answer.extended.spec)
            facts.append(self._given(claim, answer.allocations[-1], is_allocated=False))
        return tuple(facts)

    def ranks(self, node: Node) -> Facts:
        """The alternatives that requests have or get on the node, with their points."""
        answer = self._work.on(node)
        gets = dict(zip(self._work.to_allocate, answer.allocations, strict=False))
        return tuple(
            DeviceRankFact(
                claim=claim.key, request=request.name, alternative=one.name, place=place + 1, points=MOST_RANKS - place
            )
            for i, claim in enumerate(self._work.claims)
            if (allocation := claim.allocation or gets.get(i)) is not None
            for request in claim.spec.requests
            for place, one in enumerate(request.alternatives)
            if any(device.request == f"{request.name}/{one.name}" for device in allocation.devices)
        )

    def _given(self, claim: ResourceClaim, allocation: Allocation, *, is_allocated: bool) -> DeviceGivenFact:
        devices = tuple(f"{one.pool}/{one.device}" for one in allocation.devices)
        return DeviceGivenFact(
            entry=self._name_of(claim.name), claim=claim.key, devices=devices, is_allocated=is_allocated
        )

    def _name_of(self, claim: str) -> str:
        """The pod's entry for the claim of this name."""
        return self._entries.get(claim, "extended resources" if self._work.extended is not None else "")

    def _elsewhere(self, node: Node) -> Iterator[Fact]:
        for claim in self._work.unavailable(node):
            problem = failure(claim) or "the devices that it has cannot be used on the node"
            assert claim.allocation is not None
            is_failed = bool(failure(claim)) and _reaches(claim.allocation, node)
            yield DeviceClaimFact(
                code="CLAIM_NOT_ALLOCATED" if is_failed else "DEVICE_CLAIM_ELSEWHERE",
                entry=self._name_of(claim.name),
                problem=problem,
                claim=claim.key,
                where={} if is_failed else places_of(claim.allocation),
                holders=tuple(
                    f"{claim.namespace}/{one.name}" for one in claim.reserved_for if one.uid != self._pod.uid
                ),
                refuses=True,
            )

    def _not_given(self, node: Node) -> list[Fact]:
        answer = self._work.on(node)
        claims = [self._work.claims[i] for i in self._work.to_allocate]
        extended = self._work.extended
        if extended is not None:
            of_node = extended.on(node)
            if not of_node.status.is_success:
                code = "CLAIM_NOT_ALLOCATED" if extended.stale is not None else "DEVICE_NONE"
                entry, problem = self._name_of(""), of_node.status.message
                return [DeviceClaimFact(code=code, entry=entry, problem=problem, refuses=True)]
            claims += [claim_of(self._pod, of_node.spec)] if of_node.spec is not None else []
        if not claims or answer.allocations:
            return []
        try:
            pools = self._around.pools(node)
            is_broken = any(pool.is_incomplete or pool.problem for pool in pools)
            published = self._published.pools(node) if is_broken else pools
        except AllocationError as problem:
            return [self._of_pool_problem(claims[0], str(problem))]
        allocator = NodeAllocator(claims, node, self._around, pools, published)
        sets = self._sets_of(allocator)
        if not sets:
            several = [self._fact(allocator, one) for one in allocator.relaxations()]
            return [*several, self._unexplained(claims[0], answer.status.message)]
        first, *rest = ([self._fact(allocator, one) for one in several] for several in sets)
        instead = tuple(map(tuple, rest))
        is_error = not answer.status.is_rejected
        return [
            replace(one, others=() if i else instead, ends_attempt=is_error and one.code in _ENDING)
            for i, one in enumerate(first)
        ]

    def _sets_of(self, allocator: NodeAllocator) -> Sets:
        key = self._likeness(allocator)
        if key not in self._sets:
            self._sets[key] = allocator.sets()
        return self._sets[key]

    def _likeness(self, allocator: NodeAllocator) -> object:
        """What nodes have in common on which the search goes alike: their devices, and which are in use."""
        allocated = self._around.allocated
        by_device = any(one.slice.per_device_nodes for pool in allocator.pools for one in pool.candidates)
        return (
            allocator.node.name if by_device else "",
            len(allocator.claims),
            tuple(
                (
                    pool.key[0],
                    pool.is_incomplete,
                    pool.problem,
                    self._encode(pool.counters),
                    tuple(device.name for device in pool.elsewhere if (*pool.key, device.name) in allocated.devices),
                    tuple(
                        (self._encode(one.device), one.key in allocated.devices, repr(allocated.capacity.get(one.key)))
                        for one in pool.candidates
                    ),
                )
                for pools in (allocator.pools, allocator.published)
                for pool in pools
            ),
        )

    def _encode(self, value: object) -> bytes:
        entry = self._encoded.get(id(value))
        if entry is None:
            entry = self._encoded[id(value)] = value, msgspec.json.encode(value)
        return entry[1]

    # --- facts ------------------------------------------------------------------------------------------------------
    def _fact(self, allocator: NodeAllocator, one: Relaxation) -> DeviceFact:
        claim = allocator.claims[one.c]
        if one.constraint >= 0:
            return self._of_constraint(allocator, claim, one, claim.spec.constraints[one.constraint])
        of_claim = [request for request in allocator.requests if request.c == one.c]
        request = next((each for each in of_claim if each.r == one.r), of_claim[0])
        # Of a pool that is incomplete nothing is offered, so that only its own fact counts what it would have.
        made = self._of_request(claim, request, one.code)
        if one.r < 0:
            return replace(made, request="", asked=sum(each.least for each in of_claim))
        if one.code == "DEVICE_TAINTED" and one.taint is not None:
            return replace(made, taint=taint_text(one.taint))
        if one.code == "DEVICE_CAPACITY":
            return replace(made, amounts=request.amounts, left=request.most_left())
        if one.code == "DEVICE_SELECTOR_ERROR":
            failed = next(iter(allocator.could[one.c, one.r].failed.values()))
            return replace(made, selectors=(failed.expression,), device="/".join(failed.device), problem=failed.problem)
        if one.code == "DEVICE_POOL_INCOMPLETE":
            return self._of_pool(made, allocator, request)
        if one.code == "DEVICE_COUNTERS":
            counts = replace(made.counts, held=request.holding_counters(self._holders))
            return replace(made, counts=counts, fault=SHARED_BY_NAME if _shares_by_name(request) else "")
        return made

    def _of_request(self, claim: ResourceClaim, request: RequestOnNode, code: str) -> DeviceFact:
        return DeviceFact(
            code=code,
            entry=self._name_of(claim.name),
            claim=claim.key,
            request=request.request.name,
            classes=request.classes,
            selectors=request.selectors,
            asked=request.asked,
            counts=request.counts(self._holders),
            refuses=True,
        )

    def _of_constraint(
        self, allocator: NodeAllocator, claim: ResourceClaim, one: Relaxation, constraint: DeviceConstraint
    ) -> DeviceFact:
        """With the request that most devices are wanted of under the constraint."""
        under = [each for each in allocator.requests if each.c == one.c and each.is_under(constraint.requests)]
        request = max(under, key=lambda each: each.asked, default=allocator.requests[0])
        is_distinct = not constraint.match_attribute
        return replace(
            self._of_request(claim, request, one.code),
            attribute=constraint.match_attribute or constraint.distinct_attribute,
            is_distinct=is_distinct,
            asked=sum(each.asked for each in under),
            fault=_PER_REQUEST if is_distinct and request.asked > 1 else "",
        )

    def _of_pool(self, made: DeviceFact, allocator: NodeAllocator, request: RequestOnNode) -> DeviceFact:
        pool = next((one for one in allocator.pools if allocator.is_broken_for(request, one)), None)
        if pool is None:
            return made
        there = self._slices.get(pool.key, [])
        return replace(
            made,
            pool=pool.name,
            n_slices=len(there),
            of_slices=there[0].slice_count if there else 0,
            problem=pool.problem,
        )

    def _of_pool_problem(self, claim: ResourceClaim, problem: str) -> DeviceFact:
        entry = self._name_of(claim.name)
        return DeviceFact(code="DEVICE_POOL_INCOMPLETE", entry=entry, claim=claim.key, problem=problem, refuses=True)

    def _unexplained(self, claim: ResourceClaim, problem: str) -> DeviceClaimFact:
        """What no change known here would mend: kube-scheduler's own words."""
        return DeviceClaimFact(entry=self._name_of(claim.name), claim=claim.key, problem=problem, refuses=True)


def taint_text(taint: DeviceTaint) -> str:
    """key=value:effect"""
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"


def _shares_by_name(request: RequestOnNode) -> bool:
    """Whether a pool of the request's devices shares its name with one of another driver."""
    drivers: dict[str, set[str]] = {}
    for key in request.all_pools:
        drivers.setdefault(key[1], set()).add(key[0])
    return any(len(drivers[key[1]]) > 1 for key in request.matching)


def _reaches(allocation: Allocation, node: Node) -> bool:
    return allocation.node_selector is None or allocation.node_selector.matches(node.name, node.labels)
