"""In which of their inputs two runs differ. A run is a function of them, so what differs later comes from here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from scheduler_core.engine.inputs import RunInputs
from scheduler_core.recording.times import clock

VERSION = "engine version"
TITLES = {
    "objects": "cluster",
    "configuration": "configuration",
    "schedule": "pods to schedule",
    "timeline": "timeline",
    "policies": "policies",
    "changes": "changes in the middle of the run",
    "extender_answers": "answers of extenders",
    "seed": "seed",
    "max_cycles": "limit of cycles",
    "max_virtual_us": "limit of virtual time",
}
"""What each input is called, but for ``unplayed``, which no run looks at; a test holds that none is missing."""
SHOWN = 5


class InputDifference(msgspec.Struct, frozen=True):
    """An input that differs: ``what`` is one of TITLES or VERSION, ``a`` and ``b`` say what only that side has."""

    what: str
    a: str
    b: str

    def swapped(self) -> InputDifference:
        """The difference as seen from the other side."""
        return InputDifference(self.what, self.b, self.a)


def input_differences(a: RunInputs, b: RunInputs, versions: tuple[str, str] = ("", "")) -> list[InputDifference]:
    """All inputs that differ, in the order of TITLES; ``versions`` of the engine count where both are known."""
    differences = []
    for name, title in TITLES.items():
        mine, other = getattr(a, name), getattr(b, name)
        if mine is not other and mine != other:
            differences.append(InputDifference(title, *_difference_texts(name, mine, other)))
    if all(versions) and versions[0] != versions[1]:
        differences.append(InputDifference(VERSION, *versions))
    return differences


def _difference_texts(name: str, a: Any, b: Any) -> tuple[str, str]:
    if name == "objects":
        return _only(_objects(a), _objects(b))
    if name == "timeline":
        return _only(_entries(a.entries), _entries(b.entries))
    if name == "changes":
        return _only(_changes(a), _changes(b))
    if isinstance(a, msgspec.Struct):
        return _fields(a, b)
    return str(a) or "none", str(b) or "none"


def _fields(a: msgspec.Struct, b: msgspec.Struct) -> tuple[str, str]:
    """The values of the fields that differ; long ones are named only."""
    said: tuple[list[str], list[str]] = [], []
    for name in a.__struct_fields__:
        values = getattr(a, name), getattr(b, name)
        if values[0] != values[1]:
            plain = all(isinstance(value, str | int | float | None) for value in values)
            for texts, value in zip(said, values, strict=True):
                texts.append(f"{name} {value if value != '' else 'none'}" if plain else name)
    return "; ".join(said[0]), "; ".join(said[1])


Named = list[tuple[str, Any]]


def _objects(objects: Any) -> Named:
    named: Named = []
    for field in objects.__struct_fields__:
        for one in getattr(objects, field):
            named.append((f"{type(one).__name__} {_name(one)}", one))
    return named


def _name(one: Any) -> str:
    return str(getattr(one, "key", "") or getattr(one, "name", "") or "without a name")


def _entries(entries: Iterable[Any]) -> Named:
    return [(f"{_carried_out(one)} at {clock(one.at)}", one) for one in entries]


def _changes(changes: Iterable[Any]) -> Named:
    named: Named = []
    for one in changes:
        is_object = one.action in ("put", "delete")
        what = _carried_out(one) if is_object else one.action
        named.append((f"{what} at event {one.seq:,}", one))
    return named


def _carried_out(one: Any) -> str:
    return f"{one.action} {type(one.object).__name__} {_name(one.object)}"


def _only(a: Named, b: Named) -> tuple[str, str]:
    """What only one side has in this form; where both have the same things, their order differs."""
    there = _by_name(a), _by_name(b)
    if there[0] == there[1]:
        return "in another order", "in another order"
    texts = []
    for mine, other in (there, there[::-1]):
        names = [name for name, values in mine.items() if values != other.get(name)]
        more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
        texts.append(", ".join(names[:SHOWN]) + more)
    return texts[0], texts[1]


def _by_name(named: Named) -> dict[str, list[Any]]:
    by_name: dict[str, list[Any]] = {}
    for name, one in named:
        by_name.setdefault(name, []).append(one)
    return by_name
