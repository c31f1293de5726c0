"""The attribute by which the devices of a node are put in rows: what claims have to match, as that decides what is free
together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from scheduler_core.api.devices import ClaimSpec
from scheduler_core.explain.devices.cells import Inventory, Published, value_text
from scheduler_core.plugins.dynamic_resources.constraints import attribute_of

_MOST_ROWS = 8


def row_attribute(inventory: Inventory, driver: str) -> str:
    """The attribute that most waiting claims match on, else most claims, else most templates, else the first that
    splits a node's devices into a few groups; "" for none. The name is qualified."""
    devices = [one for one in inventory.devices if one.key[0] == driver]
    names = {name if "/" in name else f"{driver}/{name}" for one in devices for name in one.device.attributes}
    claims = list(inventory.world.claims.values())
    waiting = [claim.spec for claim in claims if claim.allocation is None]
    templates = [one.spec for one in inventory.world.templates]
    for several in (waiting, [claim.spec for claim in claims], templates):
        matched = Counter(name for name in _matched(several) if name in names)
        if matched:
            return min(matched, key=lambda name: (-matched[name], name))
    by_place = [inventory.heads(place, driver) for place in inventory.by_place]
    return next((name for name in sorted(names) if any(_splits(name, on) for on in by_place)), "")


def _matched(specs: Iterable[ClaimSpec]) -> Iterator[str]:
    for spec in specs:
        yield from {one.match_attribute for one in spec.constraints} - {""}


def _splits(name: str, devices: list[Published]) -> bool:
    """Whether the values of the attribute are few, and at least two devices have each."""
    values = Counter(value_text(attribute_of(one.device, one.key[0], name)) for one in devices)
    return 1 < len(values) <= _MOST_ROWS and min(values.values()) > 1
