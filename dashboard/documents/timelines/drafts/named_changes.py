"""Changed entries of a timeline as changes of things with names, as changed objects of a cluster are shown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from dashboard.clusters.revisions.diff import ObjectChange
from dashboard.clusters.revisions.object_changes import shown_change
from dashboard.clusters.revisions.object_keys import Key
from dashboard.documents.timelines.arrivals.rows import arrival_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.clusters.revisions.object_changes import ShownChange

MOST_NAMED = 2_000
"""Changes of a draft; more are neither commented on nor put up for review."""


class NamedChange(NamedTuple):
    """A changed entry: its name and what happened to it, and the entry before and after, None where there is none."""

    change: ObjectChange
    before: Any
    after: Any

    @property
    def shown(self) -> ShownChange:
        """Return it by field and line by line."""
        return shown_change(self.change, self.before, self.after)


def named_changes(pairs: Iterable[tuple[Any, Any]]) -> list[NamedChange]:
    """Return (entry before, entry after) with names: what is done to which object, numbered where it is done again."""
    times: Counter[Key] = Counter()
    return [_named(before, after, times) for before, after in pairs]


def _named(before: Any, after: Any, times: Counter[Key]) -> NamedChange:
    row = arrival_rows([before if after is None else after])[0]
    key = Key(f"{row.action} {row.key.kind}", row.key.namespace, row.key.name)
    times[key] += 1
    if times[key] > 1:
        key = key._replace(kind=f"{row.action} {row.key.kind} ({times[key]})")
    return NamedChange(ObjectChange(key, _address(before), _address(after)), before, after)


def _address(entry: Any) -> bytes | None:
    return None if entry is None else msgspec.json.encode(entry)
