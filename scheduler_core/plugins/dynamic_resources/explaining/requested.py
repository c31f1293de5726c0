"""What each request of a pod's claims finds on a node: the devices that it matches, which are free, and who has others.

Nothing here is asked on the way of a pod; explanations ask (explaining.py). Selectors are evaluated one by one, so that
one that fails is known with the device on which it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

import msgspec

from scheduler_core.api.devices import ALL, Device, DeviceRequest, DeviceTaint
from scheduler_core.api.objects import Node, ResourceClaim
from scheduler_core.api.quantity import format_quantity, parse_quantity
from scheduler_core.framework.contracts.facts import DeviceCounts, HeldDevices
from scheduler_core.plugins.dynamic_resources.capacity import fits
from scheduler_core.plugins.dynamic_resources.constraints import attribute_of
from scheduler_core.plugins.dynamic_resources.counters import CounterSums
from scheduler_core.plugins.dynamic_resources.errors import AllocationError
from scheduler_core.plugins.dynamic_resources.pools import DeviceKey, DeviceOnNode, Pool, device_reaches
from scheduler_core.plugins.dynamic_resources.requests import tolerates
from scheduler_core.plugins.dynamic_resources.selecting import class_owner
from scheduler_core.plugins.dynamic_resources.work import Surroundings

Holders = Mapping[DeviceKey, list[ResourceClaim]]
"""The claims that have each device, those that share it in order."""


class FailedSelector(NamedTuple):
    """A selector that cannot be evaluated, and the device on which it fails."""

    expression: str
    device: DeviceKey
    problem: str


class RequestOnNode:
    """One request with all its alternatives, at place (``c``, ``r``) of the claims, and the devices of the pools."""

    def __init__(
        self, claim: ResourceClaim, c: int, r: int, node: Node, pools: list[Pool], around: Surroundings
    ) -> None:
        self.claim, self.c, self.r = claim, c, r
        self.request: DeviceRequest = claim.spec.requests[r]
        self.alternatives = self.request.alternatives or (self.request,)
        self._node, self._around = node, around
        self.all_pools = [pool.key for pool in pools]
        self.of_class: dict[DeviceKey, DeviceOnNode] = {}
        self.matching: dict[DeviceKey, DeviceOnNode] = {}
        self.failed: dict[str, FailedSelector] = {}
        """The selectors that fail, by expression; devices match as if there were none that fails on them."""
        for pool in pools:
            for candidate in pool.candidates if not pool.problem else ():
                self._look_at(candidate)

    def _look_at(self, candidate: DeviceOnNode) -> None:
        if candidate.device.binding_conditions and not self._around.behaviours.device_binding_conditions:
            return
        if candidate.slice.per_device_nodes and not device_reaches(candidate.device, self._node):
            return
        for one in self.alternatives:
            of = self._around.classes.get(one.class_name)
            if of is None or not self._selects(of.selectors, candidate, class_owner(of)):
                continue
            self.of_class[candidate.key] = candidate
            if self._selects(one.selectors, candidate, f"claim {self.claim.key}"):
                self.matching[candidate.key] = candidate

    def _selects(self, selectors: tuple[str, ...], candidate: DeviceOnNode, owner: str) -> bool:
        for expression in selectors:
            try:
                if not self._around.selectors.matches_all((expression,), candidate.key[0], candidate.device, owner):
                    return False
            except AllocationError as problem:
                said = str(problem).partition("selector #0: ")[2] or str(problem)
                self.failed.setdefault(expression, FailedSelector(expression, candidate.key, said))
        return True

    @property
    def asked(self) -> int:
        """How many devices the first alternative asks for, 0 for all."""
        first = self.alternatives[0]
        return 0 if first.mode == ALL else first.count

    @property
    def least(self) -> int:
        """How many devices the request needs at least."""
        return min(1 if one.mode == ALL else one.count for one in self.alternatives)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of its alternatives."""
        return tuple(dict.fromkeys(one.class_name for one in self.alternatives))

    @property
    def selectors(self) -> tuple[str, ...]:
        """The selectors of its alternatives."""
        return tuple(dict.fromkeys(expression for one in self.alternatives for expression in one.selectors))

    @property
    def amounts(self) -> dict[str, str]:
        """The capacity that is asked for."""
        return {name: amount for one in reversed(self.alternatives) for name, amount in one.capacity.items()}

    def may_have_from(self, driver: str) -> bool:
        """Whether a device of the driver may be of one of the classes, as far as that follows from the driver alone."""
        unknown = Device(name="")
        for name in self.classes:
            of = self._around.classes.get(name)
            try:
                if of is not None and self._around.selectors.matches_all(
                    of.selectors, driver, unknown, class_owner(of)
                ):
                    return True
            except AllocationError:
                return True
        return False

    def is_free(self, key: DeviceKey) -> bool:
        """Whether the request may have the device as far as other claims go."""
        return self.request.admin_access or key not in self._around.allocated.devices

    def blocking_taints(self) -> list[DeviceTaint]:
        """The taints of devices of the class that no alternative tolerates, each once."""
        if not self._around.behaviours.device_taints:
            return []
        taints = {}
        for candidate in self.of_class.values():
            if not self.is_tolerated(candidate.device):
                for taint in candidate.device.taints:
                    alone = msgspec.structs.replace(candidate.device, taints=(taint,))
                    if not self.is_tolerated(alone):
                        taints[taint.key, taint.value, taint.effect] = taint
        return list(taints.values())

    def is_tolerated(self, device: Device) -> bool:
        """Whether an alternative tolerates all taints of the device that keep claims away."""
        return any(tolerates(one, device) for one in self.alternatives)

    def counts(self, holders: Holders) -> DeviceCounts:
        """The figures of the request."""
        free = [one for key, one in self.matching.items() if self.is_free(key)]
        has_taints = self._around.behaviours.device_taints
        tainted = [one for one in self.matching.values() if has_taints and not self.is_tolerated(one.device)]
        untainted = [one for one in free if one not in tainted]
        return DeviceCounts(
            of_class=len(self.of_class),
            matching=len(self.matching),
            free=len(free),
            tainted=len(tainted),
            short=sum(not (self.has_counters(one) and self.has_capacity(one)) for one in untainted),
            together=self._together(untainted),
            held=tuple(self._held(holders)),
        )

    def has_counters(self, candidate: DeviceOnNode) -> bool:
        """Whether the counters suffice for the device alone; one that is shared already takes no more of them."""
        around, device = self._around, candidate.device
        if not around.behaviours.device_counters or not device.consumes or candidate.key in around.allocated.capacity:
            return True
        return CounterSums(around.allocated.devices).take(candidate.pool, device)

    def has_capacity(self, candidate: DeviceOnNode) -> bool:
        """Whether enough is left of the device's capacity."""
        used = self._around.allocated.capacity.get(candidate.key, {})
        is_limited = self._around.behaviours.device_capacity
        return not is_limited or any(fits(candidate.device, one.capacity, used, {}) for one in self.alternatives)

    def _together(self, candidates: list[DeviceOnNode]) -> int | None:
        """The most of the devices that one value of an attribute is common to, the least over the constraints."""
        most = []
        for constraint in self.claim.spec.constraints:
            if constraint.match_attribute and self.is_under(constraint.requests):
                values: dict[object, int] = {}
                for one in candidates:
                    value = attribute_of(one.device, one.key[0], constraint.match_attribute)
                    if value is not None:
                        values[type(value), value] = values.get((type(value), value), 0) + 1
                most.append(max(values.values(), default=0))
        return min(most) if most else None

    def is_under(self, names: tuple[str, ...]) -> bool:
        """Whether a constraint on requests of these names (none: all) is about this one."""
        return not names or any(name.partition("/")[0] == self.request.name for name in names)

    def holding_counters(self, holders: Holders) -> tuple[HeldDevices, ...]:
        """Who has devices of the same pools that take from counters."""
        pools = {one.key[:2]: one.pool for one in self.matching.values()}
        here = [(key, one.device) for key, pool in pools.items() for one in pool.candidates]
        elsewhere = [(key, device) for key, pool in pools.items() for device in pool.elsewhere]
        names = [(*key, one.name) for key, one in (*here, *elsewhere) if one.consumes]
        return tuple(self._held(holders, names))

    def most_left(self) -> dict[str, str]:
        """The most of each capacity asked for (none asked: of all) that one matching device has left."""
        left: dict[str, Decimal] = {}
        for key, candidate in self.matching.items():
            used = self._around.allocated.capacity.get(key, {})
            for name in self.amounts or candidate.device.capacity:
                if (capacity := candidate.device.capacity.get(name)) is not None:
                    free = parse_quantity(capacity.value) - used.get(name, 0)
                    left[name] = max(left.get(name, Decimal(0)), free)
        return {name: format_quantity("memory", int(free)) for name, free in left.items()}

    def _held(self, holders: Holders, keys: Iterable[DeviceKey] | None = None) -> Iterator[HeldDevices]:
        by_claim: dict[str, tuple[ResourceClaim, list[str]]] = {}
        for key in self.matching if keys is None else keys:
            for claim in holders.get(key, ()):
                by_claim.setdefault(claim.key, (claim, []))[1].append("/".join(key[1:]))
        for name, (claim, devices) in by_claim.items():
            pods = tuple(f"{claim.namespace}/{one.name}" for one in claim.reserved_for if one.resource == "pods")
            yield HeldDevices(name, tuple(devices), pods)
