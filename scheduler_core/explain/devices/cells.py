"""The devices of each place as cells: a device each, or the set of counters that several devices take from.

Idea. A cell is in one state, by the first of: a claim has it (use), its pool offers nothing (out), a taint that keeps
claims away (taint), else free. What may be had in parts, by counters or by capacity, is in parts whatever is taken.
A cell of counters is drawn for the whole device that takes all of them, and has its name.

Cost. One look at each device.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from scheduler_core.api.devices import AttributeValue, Device, ResourceSlice, VersionValue
from scheduler_core.api.labels import NodeSelector
from scheduler_core.api.quantity import format_quantity, parse_quantity
from scheduler_core.explain.devices.model import CellState, DeviceCard, DeviceCell, Parts
from scheduler_core.explain.devices.world import DeviceWorld
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.plugins.dynamic_resources.constraints import attribute_of
from scheduler_core.plugins.dynamic_resources.explaining.explainer import taint_text
from scheduler_core.plugins.dynamic_resources.pools import DeviceKey, Pool, PoolKey

_KEEPS_AWAY = ("NoSchedule", "NoExecute")
_MOST_PARTS = 16
_MODELS = ("productName", "model", "type", "architecture")
"""Names of attributes that drivers give a device's model by."""
Place = tuple[bool, str]
"""(whether it is a node, its name)."""


class Published(NamedTuple):
    """A device of a pool's newest generation, where it is."""

    place: Place
    key: DeviceKey
    device: Device
    slice: ResourceSlice


class Inventory:
    """All devices of a world by place. ``drivers`` with their number of cells, the one with most first."""

    def __init__(self, world: DeviceWorld) -> None:
        self.world = world
        self._published = list(_published(world))
        self._offered = _offered_keys(world)
        self.by_place: dict[Place, list[Published]] = {}
        for one in self._published:
            self.by_place.setdefault(one.place, []).append(one)
        self._counters = _amounts_of_counters(world)
        counts: dict[str, int] = {}
        for several in self.by_place.values():
            for _, cell_of in _units(several):
                counts[cell_of[0].key[0]] = counts.get(cell_of[0].key[0], 0) + 1
        self.drivers = tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    @property
    def devices(self) -> list[Published]:
        """Every device."""
        return self._published

    def heads(self, place: Place, driver: str) -> list[Published]:
        """The device that each cell of a driver shows."""
        return [unit[0] for _, unit in _units(self.by_place[place]) if unit[0].key[0] == driver]

    def places(self) -> list[Place]:
        """Nodes by name as people count ("node-10" after "node-9"), then pools."""
        return sorted(self.by_place, key=lambda place: (not place[0], natural(place[1])))

    def card(self, place: Place, driver: str, attribute: str) -> DeviceCard:
        """The devices of a place; those of other drivers apart."""
        mine: list[DeviceCell] = []
        others: list[DeviceCell] = []
        whole: list[Device] = []
        for name, unit in _units(self.by_place[place]):
            is_mine = unit[0].key[0] == driver
            (mine if is_mine else others).append(self._cell(name, unit, attribute if is_mine else ""))
            if is_mine:
                whole.append(unit[0].device)
        mine.sort(key=lambda cell: natural(cell.row))
        return DeviceCard(
            name=place[1],
            is_node=place[0],
            about=_about(whole),
            cells=tuple(mine),
            others=tuple(others),
            problem=next((cell.note for cell in (*mine, *others) if cell.state == "out"), ""),
        )

    def _cell(self, name: str, unit: list[Published], attribute: str) -> DeviceCell:
        world, first = self.world, unit[0]
        value = attribute_of(first.device, first.key[0], attribute) if attribute else None
        claims = tuple(dict.fromkeys(claim.key for one in unit for claim in world.holders.get(one.key, ())))
        parts = self._parts(unit)
        state, note = self._state(unit, claims, has_parts=parts is not None)
        return DeviceCell(name=name, state=state, row=value_text(value), claims=claims, note=note, parts=parts)

    def _state(self, unit: list[Published], claims: tuple[str, ...], *, has_parts: bool) -> tuple[CellState, str]:
        taints = [self._taints(one.device) for one in unit]
        note = ", ".join(taints[0]) if all(taints) else ""
        if claims and not has_parts:
            return "use", note
        if not any(one.key in self._offered for one in unit):
            return "out", self._flaw(unit[0].key[:2])
        if note and not claims:
            return "taint", note
        return ("parts" if has_parts else "free"), note

    def _taints(self, device: Device) -> list[str]:
        if not self.world.behaviours.device_taints:
            return []
        return [taint_text(taint) for taint in device.taints if taint.effect in _KEEPS_AWAY]

    def _flaw(self, key: PoolKey) -> str:
        """Why nothing of the pool is offered."""
        slices = self.world.pools.get(key, [])
        if slices and len(slices) != slices[0].slice_count:
            return f"{len(slices)} of {plural(slices[0].slice_count, 'slice')}"
        problem = next((pool.problem for pool in _pools_of(self.world, key) if pool.problem), "")
        return problem or "no node reaches it"

    # --- parts ------------------------------------------------------------------------------------------------------
    def _parts(self, unit: list[Published]) -> Parts | None:
        first = unit[0]
        if first.device.shared and self.world.behaviours.device_capacity:
            return self._of_capacity(first)
        if not first.device.consumes or len(unit) == 1 or not self.world.behaviours.device_counters:
            return None
        return self._of_counters(unit)

    def _of_capacity(self, one: Published) -> Parts | None:
        used = self.world.around.allocated.capacity.get(one.key, {})
        shares = []
        for name, capacity in one.device.capacity.items():
            whole, taken = parse_quantity(capacity.value), used.get(name, Decimal(0))
            policy = capacity.policy
            least = policy and (policy.step or policy.min or policy.default or next(iter(policy.values), None))
            if whole > 0:
                shares.append((name, whole, taken, parse_quantity(least) if least else whole))
        return _leading(shares)

    def _of_counters(self, unit: list[Published]) -> Parts | None:
        taken: dict[str, Decimal] = {}
        least: dict[str, Decimal] = {}
        for one in unit:
            for name, amount in _consumed(one.device).items():
                if one.key in self.world.around.allocated.devices:
                    taken[name] = taken.get(name, Decimal(0)) + amount
                if amount > 0:
                    least[name] = min(least.get(name, amount), amount)
        whole = self._counters.get((*unit[0].key[:2], unit[0].device.consumes[0].name), {})
        return _leading([(name, value, taken.get(name, Decimal(0)), least.get(name, value))
                         for name, value in whole.items() if value > 0])  # fmt: skip


def _leading(shares: Iterable[tuple[str, Decimal, Decimal, Decimal]]) -> Parts | None:
    """Of (name, all, used, least part) the one that is used most, cut into parts of the least."""
    several = sorted(shares, key=lambda one: (-(one[2] / one[1]), -(one[1] / one[3]), one[0]))
    if not several:
        return None
    name, whole, taken, least = several[0]
    n = max(1, int(whole / least)) if least > 0 else 1
    if n > _MOST_PARTS:
        n, least = _MOST_PARTS, whole / _MOST_PARTS
    used = min(n, int((taken * n / whole).to_integral_value(rounding="ROUND_CEILING")))
    return Parts(name, format_quantity("memory", int(least)), n, used)


def _consumed(device: Device) -> dict[str, Decimal]:
    return {name: parse_quantity(amount) for one in device.consumes for name, amount in one.counters.items()}


def _units(several: Iterable[Published]) -> Iterator[tuple[str, list[Published]]]:
    """Devices one by one, and those that take from one set of counters together, with the name of the cell."""
    of_set: dict[tuple[str, str, str], list[Published]] = {}
    order: list[tuple[str, list[Published]] | tuple[str, str, str]] = []
    for one in several:
        if len(one.device.consumes) != 1:
            order.append((one.device.name, [one]))
            continue
        key = (*one.key[:2], one.device.consumes[0].name)
        if key not in of_set:
            order.append(key)
        of_set.setdefault(key, []).append(one)
    for entry in order:
        if len(entry) == 2:
            yield entry[0], entry[1]
            continue
        unit = sorted(of_set[entry], key=lambda one: -sum(_consumed(one.device).values()))
        takes_most = len(unit) == 1 or _consumed(unit[0].device) != _consumed(unit[1].device)
        yield (unit[0].device.name if takes_most else entry[2]), unit


# --- where devices are ----------------------------------------------------------------------------------------------
def _published(world: DeviceWorld) -> Iterator[Published]:
    for key in sorted(world.pools):
        for one in sorted(world.pools[key], key=lambda each: each.name):
            for device in one.devices:
                node = one.node_name or (device.node_name if one.per_device_nodes else "")
                yield Published((True, node) if node else (False, key[1]), (*key, device.name), device, one)


def _offered_keys(world: DeviceWorld) -> set[DeviceKey]:
    """The devices that the allocator may take on some node."""
    keys: set[DeviceKey] = set()
    seen: set[int] = set()
    for node in world.nodes.values():
        for pool in world.pools_on(node):
            if id(pool) not in seen and not pool.problem:
                seen.add(id(pool))
                keys.update(one.key for one in pool.candidates)
    return keys


def _pools_of(world: DeviceWorld, key: PoolKey) -> Iterator[Pool]:
    for node in world.nodes.values():
        yield from (pool for pool in world.pools_on(node) if pool.key == key)


def _amounts_of_counters(world: DeviceWorld) -> Mapping[tuple[str, str, str], dict[str, Decimal]]:
    """The counters of each set, by (driver, pool, set)."""
    return {
        (*key, one.name): {name: parse_quantity(value) for name, value in one.counters.items()}
        for key, slices in world.pools.items()
        for part in slices
        for one in part.shared_counters
    }


# --- words ----------------------------------------------------------------------------------------------------------
def natural(name: str) -> list[tuple[int, int, str]]:
    """A key that orders "node-9" before "node-10"."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", name) if part]


def value_text(value: AttributeValue | None) -> str:
    """An attribute's value in writing, "" for none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value.text if isinstance(value, VersionValue) else str(value)


def capacity_text(device: Device) -> str:
    """The amount of one capacity of a device ("80Gi"): of its memory, else of the first; "" for none."""
    named = [name for name in device.capacity if name.rpartition("/")[2] == "memory"] or list(device.capacity)
    return device.capacity[named[0]].value if named else ""


def _about(devices: list[Device]) -> str:
    """The model and capacity that all of the devices have in common."""
    models = {
        next((value_text(device.attributes[name]) for name in _MODELS if name in device.attributes), "")
        for device in devices
    }
    sizes = {capacity_text(device) for device in devices}
    return " ".join(next(iter(several)) for several in (models, sizes) if len(several) == 1).strip()


def places_text(selector: NodeSelector | None) -> str:
    """The nodes that a selector is for, in words."""
    if selector is None:
        return "every node"
    terms = [
        " and ".join(
            ", ".join(one.values) if one.key == "metadata.name" else f"{one.key} {one.operator} {', '.join(one.values)}"
            for one in (*term.match_fields, *term.match_expressions)
        )
        for term in selector.terms
    ]
    return " or ".join(terms) or "no node"
