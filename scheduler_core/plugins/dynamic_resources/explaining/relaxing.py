"""Which smallest sets of obstacles keep a pod's claims from devices on a node: the allocator asked again without them.

Idea. What could stand in the way is a list of small changes (``Relaxation``): the devices that a request matches set
free, one taint tolerated, one constraint dropped, counters without end, and so on. The allocator is asked with one of
them, then with two, then with three, until it gives devices; the sets of that size that do are the obstacles of the
node, the first in the order of ``_ORDER`` before the others.

Invariant. With all obstacles of a set gone the allocator gives the claims devices on the node; with any left it does
not.

Cost. Searches of MOST_STEPS steps, MOST_SEARCHES at most; only explanations ask. Example: 2 GPUs
wanted of one NUMA node, 1 free on each: {constraint} gives devices, and so does {held devices of the request}.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

import msgspec
from msgspec.structs import replace

from scheduler_core.api.devices import ClaimSpec, DeviceRequest, DeviceTaint
from scheduler_core.api.objects import Node, ResourceClaim
from scheduler_core.plugins.dynamic_resources.errors import AllocationError, RefusalOnNode
from scheduler_core.plugins.dynamic_resources.explaining.listing import tolerating, without_counters
from scheduler_core.plugins.dynamic_resources.explaining.requested import RequestOnNode
from scheduler_core.plugins.dynamic_resources.pools import DeviceKey, Pool
from scheduler_core.plugins.dynamic_resources.requests import MAX_DEVICES, Allocated, NodeDeviceRequests
from scheduler_core.plugins.dynamic_resources.search import DeviceSearch
from scheduler_core.plugins.dynamic_resources.work import Surroundings

MOST_STEPS, MOST_SEARCHES, MOST_OBSTACLES, MOST_SETS = 5_000, 160, 3, 4
_ORDER = (
    "DEVICE_SELECTOR_ERROR", "DEVICE_CONSTRAINT", "DEVICE_IN_USE", "DEVICE_COUNTERS", "DEVICE_CAPACITY",
    "DEVICE_TAINTED", "DEVICE_TOO_MANY", "DEVICE_SELECTOR", "DEVICE_POOL_INCOMPLETE", "DEVICE_NONE",
)  # fmt: skip


class Relaxation(msgspec.Struct, frozen=True):
    """An obstacle that is taken away: its code, the places of claim, request and constraint (-1: of none), and the
    taint that is tolerated."""

    code: str
    c: int
    r: int = -1
    constraint: int = -1
    taint: DeviceTaint | None = None


class NodeAllocator:
    """The allocator for claims on one node, with obstacles taken away. ``pools`` are those that the node has,
    ``published`` those that it would have if all slices were all that there are."""

    def __init__(
        self,
        claims: list[ResourceClaim],
        node: Node,
        around: Surroundings,
        pools: list[Pool],
        published: list[Pool],
    ) -> None:
        self.claims, self.node, self.around, self.pools, self.published = claims, node, around, pools, published
        self.n_left, self.drops = MOST_SEARCHES, False
        """``drops``: a request for too many devices is left out, and does not ask for one."""
        self.requests = [
            RequestOnNode(claim, c, r, node, pools, around)
            for c, claim in enumerate(claims)
            for r in range(len(claim.spec.requests))
        ]
        self.could = {
            (one.c, one.r): one
            if published is pools
            else RequestOnNode(one.claim, one.c, one.r, node, published, around)
            for one in self.requests
        }
        """The same requests as if all slices of the pools were all that there are."""

    # --- what could stand in the way --------------------------------------------------------------------------------
    def relaxations(self) -> list[Relaxation]:
        """All that can be taken away, the first to be named first."""
        possible = [one for request in self.requests for one in self._of_request(request)]
        for c, claim in enumerate(self.claims):
            possible += [Relaxation("DEVICE_CONSTRAINT", c, constraint=i) for i in range(len(claim.spec.constraints))]
            if sum(one.least for one in self.requests if one.c == c) > MAX_DEVICES:
                possible.append(Relaxation("DEVICE_TOO_MANY", c))
        return sorted(possible, key=lambda one: _ORDER.index(one.code))

    def _of_request(self, one: RequestOnNode) -> Iterator[Relaxation]:
        c, r = one.c, one.r
        could = self.could[c, r]
        if could.failed:
            yield Relaxation("DEVICE_SELECTOR_ERROR", c, r)
        if not all(map(one.is_free, could.of_class)):
            yield Relaxation("DEVICE_IN_USE", c, r)
        if any(candidate.device.consumes for candidate in could.of_class.values()):
            yield Relaxation("DEVICE_COUNTERS", c, r)
        if one.amounts or any(key in self.around.allocated.capacity for key in could.of_class):
            yield Relaxation("DEVICE_CAPACITY", c, r)
        for taint in could.blocking_taints():
            yield Relaxation("DEVICE_TAINTED", c, r, taint=taint)
        if len(could.matching) < len(could.of_class):
            yield Relaxation("DEVICE_SELECTOR", c, r)
        yield from self._of_absence(one, could)

    def _of_absence(self, one: RequestOnNode, could: RequestOnNode) -> Iterator[Relaxation]:
        """What more devices than there are would have to be there for."""
        is_broken = any(self.is_broken_for(one, pool) for pool in self.pools)
        if is_broken:
            yield Relaxation("DEVICE_POOL_INCOMPLETE", one.c, one.r)
        n_there = len(could.matching) or len(could.of_class)
        if n_there and one.least + self._others_of(one) > n_there:
            yield Relaxation("DEVICE_TOO_MANY", one.c, one.r)
        if not could.of_class and not is_broken:
            yield Relaxation("DEVICE_NONE", one.c, one.r)

    def _others_of(self, one: RequestOnNode) -> int:
        """How many devices requests before this one ask for of those that it matches."""
        before = [other for other in self.requests if (other.c, other.r) < (one.c, one.r)]
        mine = self.could[one.c, one.r].of_class.keys()
        return sum(other.least for other in before if self.could[other.c, other.r].of_class.keys() & mine)

    def is_broken_for(self, one: RequestOnNode, pool: Pool) -> bool:
        """Whether the pool is incomplete or invalid, and a device of its driver may be of the request's classes."""
        return bool(pool.is_incomplete or pool.problem) and one.may_have_from(pool.key[0])

    # --- sets that do -----------------------------------------------------------------------------------------------
    def sets(self) -> list[tuple[Relaxation, ...]]:
        """The smallest sets without which the claims get devices, the first MOST_SETS: the empty one where
        nothing is in the way, none where no set is known."""
        if self.allocates(()):
            return [()]
        several = self.relaxations()
        for self.drops in (False, True):
            for size in range(1, MOST_OBSTACLES + 1):
                doing = [one for one in combinations(several, size) if self.allocates(one)]
                if doing:
                    return doing[:MOST_SETS]
        return [fewer] if (fewer := self._without_needless(several)) else []

    def _without_needless(self, several: list[Relaxation]) -> tuple[Relaxation, ...]:
        """A set of which none can stay, from all of them."""
        self.n_left += len(several) + 1
        if not self.allocates(several):
            return ()
        needed = list(several)
        for one in reversed(several):
            fewer = [other for other in needed if other is not one]
            if self.allocates(fewer):
                needed = fewer
        return tuple(needed)

    def allocates(self, gone: Iterable[Relaxation]) -> bool:
        """Whether the claims get devices once these obstacles are gone; False too where that is not known in time."""
        self.n_left -= 1
        if self.n_left < 0:
            return False
        changed = _Changed(self)
        for one in sorted(gone, key=lambda relaxation: _ORDER.index(relaxation.code)):
            changed.without(one)
        return changed.allocates()


class _Changed:
    """Claims, pools and allocated devices after changes."""

    def __init__(self, of: NodeAllocator) -> None:
        self._of = of
        self.specs = [claim.spec for claim in of.claims]
        self.pools, self.classes = of.pools, dict(of.around.classes)
        self.capacity = of.around.allocated.capacity
        self.freed: set[tuple[int, int]] = set()
        self.unselective: set[tuple[int, int]] = set()
        self.dropped: dict[int, set[int]] = {}
        """By claim, the places of requests and constraints that are left out at the end, so that places stay."""
        self.constraints: dict[int, set[int]] = {}

    def without(self, one: Relaxation) -> None:
        """Take an obstacle away."""
        match one.code:
            case "DEVICE_CONSTRAINT":
                self.constraints.setdefault(one.c, set()).add(one.constraint)
            case "DEVICE_IN_USE":
                self.freed.add((one.c, one.r))
            case "DEVICE_COUNTERS":
                self._without_counters()
            case "DEVICE_CAPACITY":
                self.capacity = {}
                self._edit(one, lambda request: replace(request, capacity={}))
            case "DEVICE_TAINTED" if one.taint is not None:
                added = tolerating(one.taint)
                self._edit(one, lambda request: replace(request, tolerations=(*request.tolerations, added)))
            case "DEVICE_SELECTOR":
                self.unselective.add((one.c, one.r))
                self._edit(one, lambda request: replace(request, selectors=()))
            case "DEVICE_SELECTOR_ERROR":
                self._without_selectors(one)
            case "DEVICE_POOL_INCOMPLETE":
                self._completed(one)
            case "DEVICE_TOO_MANY":
                self._with_fewer(one)
            case _:
                self.dropped.setdefault(one.c, set()).add(one.r)

    def _edit(self, one: Relaxation, make: Callable[[DeviceRequest], DeviceRequest]) -> None:
        requests = list(self.specs[one.c].requests)
        whole = requests[one.r]
        several = tuple(make(other) for other in whole.alternatives)
        requests[one.r] = replace(whole, alternatives=several) if several else make(whole)
        self.specs[one.c] = replace(self.specs[one.c], requests=tuple(requests))

    def _without_counters(self) -> None:
        self.pools = [without_counters(pool) for pool in self.pools]

    def _without_selectors(self, one: Relaxation) -> None:
        """Without those selectors of the request and its classes that fail on a device."""
        looked_at = self._of.could[one.c, one.r]

        def rest(several: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(expression for expression in several if expression not in looked_at.failed)

        self._edit(one, lambda request: replace(request, selectors=rest(request.selectors)))
        for name in looked_at.classes:
            self.classes[name] = replace(self.classes[name], selectors=rest(self.classes[name].selectors))

    def _completed(self, one: Relaxation) -> None:
        """With the slices that are there as all that there are; a request for devices of slices that are not there, and
        of invalid pools, is left out."""
        self.pools = [pool for pool in self._of.published if not pool.problem]
        could = self._of.could[one.c, one.r]
        if len(could.matching) < could.least:
            self.dropped.setdefault(one.c, set()).add(one.r)

    def _with_fewer(self, one: Relaxation) -> None:
        """One device of the request, none where that is what it asks for; of a whole claim as many as it can have."""
        if one.r >= 0:
            if self._of.drops or self._of.could[one.c, one.r].least <= 1:
                self.dropped.setdefault(one.c, set()).add(one.r)
            self._edit(one, lambda request: replace(request, count=1))
            return
        for request in self._of.requests:
            if request.c == one.c:
                place = Relaxation("DEVICE_TOO_MANY", one.c, request.r)
                self._edit(place, lambda whole: replace(whole, count=1))

    def allocates(self) -> bool:
        """Whether the claims get devices now."""
        of, behaviours = self._of, self._of.around.behaviours
        claims = [replace(claim, spec=self._spec(c)) for c, claim in enumerate(of.claims)]
        requests = NodeDeviceRequests(claims, of.node, self.pools, self.classes, of.around.selectors, behaviours)
        try:
            requests.prepare()
            DeviceSearch(requests, Allocated(self._held(), self.capacity), behaviours, MOST_STEPS).run()
        except (AllocationError, RefusalOnNode):
            return False
        return True

    def _held(self) -> frozenset[DeviceKey]:
        held = frozenset(self._of.around.allocated.devices)
        for place in self.freed:
            could = self._of.could[place]
            held -= (could.of_class if place in self.unselective else could.matching).keys()
        return held

    def _spec(self, c: int) -> ClaimSpec:
        spec, dropped, constraints = self.specs[c], self.dropped.get(c, set()), self.constraints.get(c, set())
        return replace(
            spec,
            requests=tuple(one for r, one in enumerate(spec.requests) if r not in dropped),
            constraints=tuple(one for i, one in enumerate(spec.constraints) if i not in constraints),
        )
