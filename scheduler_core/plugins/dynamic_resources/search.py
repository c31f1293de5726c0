"""The allocator: devices for all claims of a pod on one node, by a depth-first search whose first solution counts.

Idea. A place of the search is (claim, request, alternative, n-th device of it). At each place the candidates are
tried in the order of pools, slices and devices; a candidate that passes all tests is taken, and the search goes on at
the next place. Where that finds nothing, the candidate is put back and the next one is tried. ``firstAvailable`` tries
its alternatives in order, each with all places after it. "All" has its devices fixed before: each must be takable.

Invariant. At each place ``_results[c]`` are the devices taken for claim c, and constraints, counters, capacity and
``_taking`` say what follows from exactly these, but for what the faults of the reference leave behind (see counters.py;
a shared device does not give its counters back).

Cost. Exponential at worst, as the reference's: one pod's requests over one node's devices. ``MOST_STEPS`` tests of a
candidate end the search in place of the reference's ten seconds, so that a run stays a function of its inputs.

Example. Devices d0 (numa 0), d1 (numa 1), d2 (numa 1), a request for 2 that matches numa:
    take d0; second device: d1 breaks the constraint, d2 too; put d0 back
    take d1; second device: d0 breaks it, d1 is taken, d2 fits -> d1, d2
The next device of a request is searched after the last one taken (combinations); a new request begins at the first.

Mirrors allocateOne and allocateDevice (structured/internal/experimental/allocator_experimental.go).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from scheduler_core.plugins.dynamic_resources.capacity import Amounts, add_to, consumed, fits
from scheduler_core.plugins.dynamic_resources.constraints import Constraint, constraint_of
from scheduler_core.plugins.dynamic_resources.counters import CounterSums
from scheduler_core.plugins.dynamic_resources.errors import AllocationError, RefusalOnNode
from scheduler_core.plugins.dynamic_resources.pools import DeviceKey, DeviceOnNode, Pool
from scheduler_core.plugins.dynamic_resources.requests import (
    MAX_DEVICES,
    Allocated,
    NodeDeviceRequests,
    PreparedRequest,
    RequestKey,
    tolerates,
)
from scheduler_core.versions.behaviours import Behaviours

MOST_STEPS = 1_000_000
INVALID_POOLS = "invalid resource pools were encountered"
CANNOT = "cannot allocate all claims"
TIMED_OUT = "timed out trying to allocate devices"


class TakenDevice(msgspec.Struct, frozen=True, eq=False):
    """A device that the search took for a request; ``consumed`` of its capacity, None where it is not shared."""

    prepared: PreparedRequest
    candidate: DeviceOnNode
    consumed: dict[str, str] | None = None


class _TooMany(Exception):
    """A claim would have more devices than it can."""


class DeviceSearch:
    """One search of at most ``steps`` tests of a candidate. ``run`` gives the devices of each claim."""

    def __init__(
        self, requests: NodeDeviceRequests, allocated: Allocated, behaviours: Behaviours, steps: int = MOST_STEPS
    ) -> None:
        self._requests, self._allocated, self._behaviours = requests, allocated, behaviours
        self._results: list[list[TakenDevice]] = [[] for _ in requests.claims]
        self._constraints = [self._constraints_of(i) for i in range(len(requests.claims))]
        self._taking: dict[DeviceKey, list[int]] = {}
        self._sharing: dict[DeviceKey, Amounts] = {}
        self._n_sharing: dict[DeviceKey, int] = {}
        self._counters = CounterSums(allocated.devices)
        self._steps_left = steps
        self._order: list[tuple[Pool, DeviceOnNode | None]] = []
        for pool in requests.pools:
            self._order += [(pool, None)] if pool.problem else [(pool, one) for one in pool.candidates]

    def run(self) -> list[list[TakenDevice]]:
        """The devices of each claim, in order. Raises AllocationError, and RefusalOnNode where there are none."""
        try:
            done = self._claim(0)
        except _TooMany:
            done = False
        if done:
            return self._results
        pools = self._requests.pools
        if self._behaviours.pools_counted_whole and any(pool.problem for pool in pools):
            raise RefusalOnNode(INVALID_POOLS)
        raise RefusalOnNode(CANNOT)

    def _constraints_of(self, c: int) -> list[Constraint]:
        claim = self._requests.claims[c]
        constraints = []
        for i, spec in enumerate(claim.spec.constraints):
            constraint = constraint_of(spec)
            if constraint is None:
                text = f"constraint #{i}: empty constraint (unsupported constraint type?)"
                raise AllocationError(f"claim {claim.key}, {text}")
            constraints.append(constraint)
        return constraints

    # --- places ----------------------------------------------------------------------------------------------------
    def _claim(self, c: int) -> bool:
        """Search from the first request of a claim on."""
        if c >= len(self._requests.claims):
            return True
        return self._request(c, 0)

    def _request(self, c: int, r: int) -> bool:
        """Search from the first device of a request on."""
        if r >= len(self._requests.claims[c].spec.requests):
            try:
                return self._claim(c + 1)
            except _TooMany:
                return False
        first = self._requests.prepared[c, r, 0]
        if not first.parent:
            return self._device((c, r, 0), 0, 0)
        all_too_many = True
        for s in range(len(self._requests.claims[c].spec.requests[r].alternatives)):
            try:
                done = self._device((c, r, s), 0, 0)
            except _TooMany:
                continue
            all_too_many = False
            if done:
                first.chosen = s
                return True
        if all_too_many:
            raise _TooMany
        return False

    def _device(self, key: RequestKey, n: int, start: int) -> bool:
        """Search from the n-th device of a request on, whose candidates begin at the place ``start``."""
        prepared = self._requests.prepared[key]
        if prepared.takes_all and not prepared.all_devices:
            return False
        if n >= prepared.n_devices:
            return self._request(key[0], key[1] + 1)
        if len(self._results[key[0]]) + prepared.n_devices - n > MAX_DEVICES:
            raise _TooMany
        if prepared.takes_all:
            return self._next_of_all(key, prepared, n)
        for place, candidate in self._free(key, prepared, start):
            if self._take(key, prepared, candidate, must=False) and self._goes_on(key, candidate, key, n, place + 1):
                return True
        return False

    def _next_of_all(self, key: RequestKey, prepared: PreparedRequest, n: int) -> bool:
        candidate = prepared.all_devices[n]
        if not self._take(key, prepared, candidate, must=True):
            return False
        # Up to 1.35 the search goes on in the first alternative.
        following = key if self._behaviours.all_in_later_alternatives else (key[0], key[1], 0)
        return self._goes_on(key, candidate, following, n, 0)

    def _goes_on(self, key: RequestKey, candidate: DeviceOnNode, following: RequestKey, n: int, start: int) -> bool:
        """Whether there is a solution with the candidate that was taken as n-th device; if not, it is put back."""
        done = False
        try:
            done = self._device(following, n + 1, start)
        finally:
            if not done:
                self._put_back(key, candidate)
        return done

    # --- candidates ------------------------------------------------------------------------------------------------
    def _free(self, key: RequestKey, prepared: PreparedRequest, start: int) -> Iterator[tuple[int, DeviceOnNode]]:
        """The candidates from a place on that are not in use and selected, each with its place. Raises
        AllocationError."""
        asked = prepared.request.capacity
        for place in range(start, len(self._order)):
            pool, candidate = self._order[place]
            if candidate is None:
                self._pass_over(pool)
                continue
            self._steps_left -= 1
            if self._steps_left < 0:
                raise RefusalOnNode(TIMED_OUT)
            if self._in_use(key[0], prepared, candidate):
                continue
            if not self._requests.is_selectable(key, prepared, candidate):
                continue
            if self._behaviours.device_capacity and not self._has_capacity(candidate, asked):
                continue
            yield place, candidate

    def _pass_over(self, pool: Pool) -> None:
        """Nothing is taken from an invalid pool. Raises AllocationError where it ends the search."""
        if not self._behaviours.pools_counted_whole:
            raise AllocationError(f"pool {pool.key[1]} is invalid: {pool.problem}")

    def _in_use(self, c: int, prepared: PreparedRequest, candidate: DeviceOnNode) -> bool:
        taking = self._taking.get(candidate.key)
        if prepared.request.admin_access:
            return bool(taking) and c in (taking or ())
        return candidate.key in self._allocated.devices or bool(taking)

    def _has_capacity(self, candidate: DeviceOnNode, asked: Mapping[str, str]) -> bool:
        used = self._allocated.capacity.get(candidate.key, {})
        return fits(candidate.device, asked, used, self._sharing.get(candidate.key, {}))

    def _take(self, key: RequestKey, prepared: PreparedRequest, candidate: DeviceOnNode, *, must: bool) -> bool:
        """Take the candidate if nothing speaks against it. ``must``: a broken constraint is an AllocationError."""
        device, request, behaviours = candidate.device, prepared.request, self._behaviours
        shared = behaviours.device_capacity and device.shared
        if not (shared and request.admin_access) and self._in_use(key[0], prepared, candidate):
            return False
        if device.consumes and not self._takes_counters(candidate, shared=shared):
            return False
        if behaviours.device_taints and not tolerates(request, device):
            return False
        if not self._add_to_constraints(key, prepared, candidate, must=must):
            return False
        if not shared:
            self._taking.setdefault(candidate.key, []).append(key[0])
        if behaviours.device_capacity and not self._has_capacity(candidate, request.capacity):
            return False
        amounts = consumed(device, request.capacity) if shared else None
        if amounts is not None:
            add_to(self._sharing.setdefault(candidate.key, {}), amounts)
            self._n_sharing[candidate.key] = self._n_sharing.get(candidate.key, 0) + 1
        self._results[key[0]].append(TakenDevice(prepared, candidate, amounts))
        return True

    def _takes_counters(self, candidate: DeviceOnNode, *, shared: bool) -> bool:
        if not self._behaviours.device_counters:
            return False
        if shared and (candidate.key in self._allocated.capacity or self._n_sharing.get(candidate.key)):
            return True
        return self._counters.take(candidate.pool, candidate.device)

    def _add_to_constraints(
        self, key: RequestKey, prepared: PreparedRequest, candidate: DeviceOnNode, *, must: bool
    ) -> bool:
        constraints, names = self._constraints[key[0]], _names(prepared)
        for i, constraint in enumerate(constraints):
            if constraint.add(*names, candidate.device, candidate.key[0]):
                continue
            if must:
                where = f"claim {self._requests.claims[key[0]].key}, request {prepared.request.name}"
                device = "/".join(candidate.key)
                text = f"cannot add device {device} because a claim constraint would not be satisfied"
                raise AllocationError(f"{where}: {text}")
            for other in constraints[:i]:
                other.remove(*names)
            return False
        return True

    def _put_back(self, key: RequestKey, candidate: DeviceOnNode) -> None:
        taken = self._results[key[0]].pop()
        for constraint in self._constraints[key[0]]:
            constraint.remove(*_names(taken.prepared))
        if taken.consumed is not None:
            add_to(self._sharing[candidate.key], taken.consumed, -1)
            self._n_sharing[candidate.key] -= 1
            return
        self._taking[candidate.key].remove(key[0])
        if candidate.device.consumes:
            self._counters.give_back(candidate.pool, candidate.device)


def _names(prepared: PreparedRequest) -> tuple[str, str]:
    """(request, alternative) as constraints know them."""
    return (prepared.parent, prepared.request.name) if prepared.parent else (prepared.request.name, "")
