"""Shared counters of pools during a search: what is left, and what the devices of the search take.

Two faults of the reference are followed. Sums are kept by the name of the pool alone, so that two drivers with pools of
one name share them. And what a device takes is given back only when the device was taken and is put back: where a taint
or a constraint refuses it after its counters were counted, they stay counted for the rest of the search.
"""

from __future__ import annotations

from collections.abc import Container
from decimal import Decimal

from scheduler_core.api.devices import Device
from scheduler_core.api.quantity import parse_quantity
from scheduler_core.plugins.dynamic_resources.pools import DeviceKey, Pool

Counters = dict[tuple[str, str], Decimal]
"""By (counter set, counter)."""


class CounterSums:
    """Counters by pool name; ``allocated`` are the devices that claims have to themselves."""

    def __init__(self, allocated: Container[DeviceKey]) -> None:
        self._allocated = allocated
        self._available: dict[str, Counters] = {}
        self._taken: dict[str, Counters] = {}

    def take(self, pool: Pool, device: Device) -> bool:
        """Count what the device takes; False, with nothing counted, where a counter of the pool does not suffice."""
        name = pool.key[1]
        available = self._available.get(name)
        if available is None:
            available = self._available[name] = self._left(pool)
        taken = self._taken.setdefault(name, {})
        _add(taken, device, 1)
        if any(value < taken.get(key, 0) for key, value in available.items()):
            _add(taken, device, -1)
            return False
        return True

    def give_back(self, pool: Pool, device: Device) -> None:
        """Undo ``take``."""
        _add(self._taken[pool.key[1]], device, -1)

    def _left(self, pool: Pool) -> Counters:
        left = {
            (counter_set.name, name): parse_quantity(value)
            for counter_set in pool.counters.values()
            for name, value in counter_set.counters.items()
        }
        for device in (*(candidate.device for candidate in pool.candidates), *pool.elsewhere):
            if (*pool.key, device.name) in self._allocated:
                _add(left, device, -1)
        return left


def _add(sums: Counters, device: Device, sign: int) -> None:
    for taken in device.consumes:
        for name, value in taken.counters.items():
            key = taken.name, name
            sums[key] = sums.get(key, Decimal(0)) + sign * parse_quantity(value)
