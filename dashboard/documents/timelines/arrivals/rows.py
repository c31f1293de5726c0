"""The entries of a timeline as rows: when, what happens to which object, its priority and workload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dashboard.clusters.revisions.object_keys import Key, object_key
from dashboard.common.lru_cache import LruCache
from dashboard.documents.store import read_timeline
from scheduler_core.simulate import entry_time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dashboard.documents.models import TimelineRevision

ACTIONS = {"add": "add", "update": "update", "put": "update", "delete": "delete"}
APP_LABELS = ("app.kubernetes.io/name", "app")
CACHED = 4


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
    times = [entry_time(entry) for entry in entries]
    rows: list[ArrivalRow] = []
    last: dict[Key, ArrivalRow] = {}
    for index in sorted(range(len(entries)), key=times.__getitem__):
        entry = entries[index]
        raw, action = entry["object"], ACTIONS[str(entry.get("action", "add"))]
        key = object_key(raw)
        before = last.get(key) if action == "delete" else None
        priority, owner = (before.priority, before.owner) if before else (_priority(raw), owning_workload(raw))
        row = last[key] = ArrivalRow(index, times[index], action, key, priority, owner)
        rows.append(row)
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


_cache: LruCache[StoredEntries] = LruCache(CACHED)


def read_entries(revision: TimelineRevision) -> StoredEntries:
    """Return the entries of a revision with their rows; they are the same for ever, so a few are remembered."""
    return _cache.get((revision.timeline.workspace_id, revision.sha256), lambda: _read(revision))


def _read(revision: TimelineRevision) -> StoredEntries:
    entries = read_timeline(revision)["entries"]
    return StoredEntries(entries, arrival_rows(entries))
