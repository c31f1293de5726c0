"""The entries of a timeline as rows: when, what happens to which object, its priority and workload."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

from dashboard.clusters.revisions.object_keys import Key, object_key
from dashboard.common.lru_cache import LruCache
from dashboard.documents.store import read_timeline
from scheduler_core.simulate import entry_time

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from dashboard.documents.models import TimelineRevision
    from dashboard.documents.timelines.arrivals.hunks import Hunk

ACTIONS = {"add": "add", "update": "update", "put": "update", "delete": "delete"}
APP_LABELS = ("app.kubernetes.io/name", "app")
# An entry takes two kilobytes: of the longest timelines one is remembered.
KEPT_ENTRIES = 250_000


class ArrivalRow(NamedTuple):
    """An entry: its place in the list of entries, time in microseconds, action (add, update or delete) and object.

    `priority` is the number or class of a pod, `owner` its workload, such as "Job train" or "app=web"; "" without one.
    A deletion has those of the object that it deletes.
    """

    place: int
    at: int
    action: str
    key: Key
    priority: str
    owner: str

    @property
    def is_end(self) -> bool:
        """Return whether the object leaves."""
        return self.action == "delete"


def arrival_rows(entries: Sequence[Mapping[str, Any]]) -> list[ArrivalRow]:
    """Return checked entries as rows in order of time; entries of one time keep their order."""
    rows = sorted([_row(place, entry) for place, entry in enumerate(entries)], key=_order)
    return _ended(rows, {row.key for row in rows if row.is_end}, entries)


def rows_after(before: StoredEntries, hunks: Sequence[Hunk], entries: Sequence[Mapping[str, Any]]) -> list[ArrivalRow]:
    """Return the rows of entries that hunks made of others: `arrival_rows` of them, for what the hunks change.

    Rows that stay are shared, with another place where entries came or went before them.
    """
    gone, fresh, shifts = set[int](), list[int](), list[tuple[int, int]]()
    shift = 0
    for hunk in hunks:
        gone.update(range(hunk.start, hunk.start + hunk.removed))
        fresh += range(hunk.start + shift, hunk.start + shift + len(hunk.entries))
        shift += len(hunk.entries) - hunk.removed
        shifts.append((hunk.start + hunk.removed, shift))
    made = [_row(place, entries[place]) for place in fresh]
    touched = {row.key for row in made} | {row.key for row in before.rows if row.place in gone}
    staying = [row for row in before.rows if row.place not in gone] if gone else list(before.rows)
    if any(by for _, by in shifts):
        starts, moves = [start for start, _ in shifts], [0, *(by for _, by in shifts)]
        staying = [_moved(row, moves[bisect_right(starts, row.place)]) for row in staying]
    rows = sorted([*staying, *made], key=_order)
    return _ended(rows, touched, entries)


def _order(row: ArrivalRow) -> tuple[int, int]:
    return row.at, row.place


def _moved(row: ArrivalRow, by: int) -> ArrivalRow:
    return ArrivalRow(row[0] + by, *row[1:]) if by else row


def _row(place: int, entry: Mapping[str, Any]) -> ArrivalRow:
    raw, action = entry["object"], ACTIONS[str(entry.get("action", "add"))]
    return ArrivalRow(place, entry_time(entry), action, object_key(raw), _priority(raw), owning_workload(raw))


def _ended(rows: list[ArrivalRow], keys: Collection[Key], entries: Sequence[Mapping[str, Any]]) -> list[ArrivalRow]:
    """Return the rows in which the deletions of these objects have priority and workload of what they delete."""
    last: dict[Key, ArrivalRow] = {}
    for index, row in enumerate(rows):
        if row.key not in keys:
            continue
        now = row
        if row.is_end:
            before = last.get(row.key) or _row(row.place, entries[row.place])
            now = rows[index] = row._replace(priority=before.priority, owner=before.owner)
        last[row.key] = now
    return rows


def owning_workload(raw: Mapping[str, Any]) -> str:
    """Return the workload of an object: its controller, or the app that its labels name; "" without either."""
    metadata = raw.get("metadata") or {}
    for reference in metadata.get("ownerReferences") or ():
        if reference.get("controller"):
            return f"{reference.get('kind', '')} {reference.get('name', '')}"
    labels = metadata.get("labels") or {}
    return next((f"app={labels[label]}" for label in APP_LABELS if labels.get(label)), "")


def _priority(raw: Mapping[str, Any]) -> str:
    spec = raw.get("spec") if raw.get("kind") == "Pod" else None
    if not isinstance(spec, dict):
        return ""
    value = spec.get("priorityClassName") or spec.get("priority")
    return "" if value is None else str(value)


# ---------------------------------------------------------------- of a revision


class StoredEntries(NamedTuple):
    """The entries of a revision, and their rows in order of time. Neither may be changed: they are shared."""

    entries: Sequence[Mapping[str, Any]]
    rows: Sequence[ArrivalRow]


_cache: LruCache[StoredEntries] = LruCache(KEPT_ENTRIES, lambda stored: 1 + len(stored.entries))


def read_entries(revision: TimelineRevision) -> StoredEntries:
    """Return the entries of a revision with their rows; they are the same for ever, so a few are remembered."""
    return _cache.get((revision.timeline.workspace_id, revision.sha256), lambda: _read(revision))


def _read(revision: TimelineRevision) -> StoredEntries:
    entries = read_timeline(revision)["entries"]
    return StoredEntries(entries, arrival_rows(entries))
