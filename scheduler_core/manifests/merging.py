"""A change of a manifest carried over to another version of it, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class FieldConflict(msgspec.Struct, frozen=True):
    """A field that two versions changed in different ways; a value is None where the field is absent."""

    path: str
    base: Any
    theirs: Any
    mine: Any


class CarriedOver(msgspec.Struct, frozen=True):
    """The other version with the change made in it, and the fields in which both differ: there the change stands."""

    value: Any
    conflicts: tuple[FieldConflict, ...] = ()


class _Absent:
    """What a mapping has where it has no such field."""


_ABSENT = _Absent()


def carried_over(base: Any, mine: Any, theirs: Any) -> CarriedOver:
    """``theirs`` with what ``mine`` changed of ``base``.

    Mappings are merged by field, lists of one length place by place; a list that became longer or shorter is one value.
    """
    conflicts: list[FieldConflict] = []
    value = _merged((base, mine, theirs), "", conflicts)
    return CarriedOver(None if value is _ABSENT else value, tuple(conflicts))


def _merged(versions: tuple[Any, Any, Any], path: str, conflicts: list[FieldConflict]) -> Any:
    base, mine, theirs = versions
    if _equal(mine, base) or _equal(mine, theirs):
        return theirs
    if _equal(theirs, base):
        return mine
    if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        old = base if isinstance(base, Mapping) else {}
        out = {}
        for name in dict.fromkeys((*theirs, *mine)):
            parts = old.get(name, _ABSENT), mine.get(name, _ABSENT), theirs.get(name, _ABSENT)
            value = _merged(parts, f"{path}.{name}" if path else str(name), conflicts)
            if value is not _ABSENT:
                out[name] = value
        return out
    if _are_lists_of_one_length(versions):
        return [_merged(parts, f"{path}[{i}]", conflicts) for i, parts in enumerate(zip(*versions, strict=True))]
    conflicts.append(FieldConflict(path, *(None if one is _ABSENT else one for one in (base, theirs, mine))))
    return mine


def _are_lists_of_one_length(versions: tuple[Any, Any, Any]) -> bool:
    return all(isinstance(one, list) for one in versions) and len({len(one) for one in versions}) == 1


def _equal(one: Any, other: Any) -> bool:
    """Whether two values are written alike: True is no 1."""
    if one is _ABSENT or other is _ABSENT:
        return one is other
    if isinstance(one, bool) is not isinstance(other, bool):
        return False
    return bool(one == other)
