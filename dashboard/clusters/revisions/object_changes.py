"""The changes of objects as pages show them: by field, and line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.diff import ObjectChange, TextDiff, diff_manifests

SHOWN_FIELDS = 40
VALUE_LENGTH = 120


@dataclass(frozen=True)
class FieldChange:
    """A field that differs: its path, and its values before and after as compact JSON, "" if it did not exist."""

    path: str
    before: str
    after: str


@dataclass(frozen=True)
class ShownChange:
    """An object that a change changes: by field (changed ones only), and line by line."""

    change: ObjectChange
    fields: list[FieldChange]
    left_out: int
    text: TextDiff

    @property
    def anchor(self) -> str:
        """Return a name of the object that an id in the page may have."""
        return self.change.anchor


def shown_changes(workspace_id: int, changes: Sequence[ObjectChange]) -> list[ShownChange]:
    """Return these changes with the fields that differ."""
    addresses = [address for one in changes for address in (one.old, one.new) if address is not None]
    texts = object_store.read_addresses(workspace_id, addresses)

    def manifest(address: bytes | None) -> Any:
        return None if address is None else msgspec.json.decode(texts[address])

    return [shown_change(one, manifest(one.old), manifest(one.new)) for one in changes]


def shown_change(change: ObjectChange, old: Any, new: Any) -> ShownChange:
    """Return a change with the fields that differ between both manifests, None for one that is not there."""
    fields = list(field_changes(old, new)) if old is not None and new is not None else []
    left_out = max(0, len(fields) - SHOWN_FIELDS)
    return ShownChange(change, fields[:SHOWN_FIELDS], left_out, diff_manifests(old, new))


def field_changes(old: Any, new: Any, path: str = "") -> Iterator[FieldChange]:
    """Yield the fields that differ, in the order of their names; lists are compared place by place."""
    old, new = _as_other(old, new), _as_other(new, old)
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in sorted(old.keys() | new.keys()):
            below = f"{path}.{name}" if path else name
            yield from field_changes(old.get(name), new.get(name), below)
    elif isinstance(old, list) and isinstance(new, list):
        for at in range(max(len(old), len(new))):
            one, other = (values[at] if at < len(values) else None for values in (old, new))
            yield from field_changes(one, other, f"{path}[{at}]")
    elif old != new:
        yield FieldChange(path, _words(old), _words(new))


def _as_other(value: Any, other: Any) -> Any:
    """Return an empty value of the other's type instead of a missing one, so that its fields are listed one by one."""
    if value is None and isinstance(other, Mapping | list) and other:
        return type(other)()
    return value


def _words(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= VALUE_LENGTH else f"{text[:VALUE_LENGTH]}…"
