"""Entries of a run's timeline that can be switched off, and their events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.debugger.cursor.state_cache import state_at
from dashboard.runs.inputs import load_inputs
from dashboard.runs.models import RecordingChunk
from dashboard.runs.storage import recordings
from scheduler_core.recording.events import ObjectChanged

if TYPE_CHECKING:
    from collections.abc import Collection

    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.runs.models import Run

SHOWN_BEFORE, SHOWN_BEHIND = 40, 10
# How many events after an entry's time are searched: the entry is carried out by the first step there.
LOOKED_AT = 100_000


@dataclass(frozen=True)
class EntryLine:
    """An entry: its index, time and effect; `has_come`: carried out before the cursor."""

    index: int
    at: int
    words: str
    has_come: bool


@dataclass(frozen=True)
class Entries:
    """The entries around a cursor, and the number of entries of the timeline."""

    lines: list[EntryLine]
    total: int


def entries_around(cursor: Cursor) -> Entries:
    """Return the last entries before the cursor, newest first, and the next ones; raises InputError."""
    run = cursor.run
    if run.timeline_revision is None:
        return Entries([], 0)
    entries = load_inputs(run).timeline.entries
    now = state_at(run, cursor.seq).at
    n_come = sum(entry.at <= now for entry in entries)
    indexes = [*range(n_come - 1, max(0, n_come - SHOWN_BEFORE) - 1, -1)]
    indexes += range(n_come, min(len(entries), n_come + SHOWN_BEHIND))
    lines = [
        EntryLine(index, entries[index].at, _words(entries[index].action, entries[index].object), index < n_come)
        for index in indexes
    ]
    return Entries(lines, len(entries))


def _words(action: str, obj: object) -> str:
    kind, namespace = getattr(obj, "kind", None) or type(obj).__name__, getattr(obj, "namespace", "")
    name = getattr(obj, "name", "")
    return f"{action} {kind} {namespace}/{name}" if namespace else f"{action} {kind} {name}"


def first_caused_event(run: Run, entries: Collection[int]) -> int | None:
    """Return the seq of the first event that one of these entries caused, None if there is none; raises InputError."""
    timeline = load_inputs(run).timeline.entries if entries else ()
    moments = [timeline[entry].at for entry in entries if entry < len(timeline)]
    if not moments:
        return None
    chunks = RecordingChunk.objects.filter(run_id=run.pk, last_at_us__gte=min(moments)).order_by("index")
    begins = chunks.values_list("first_seq", flat=True).first()
    if begins is None:
        return None
    for seq, event in recordings.read_events(run.pk, begins, min(begins + LOOKED_AT, run.head.seq) - 1):
        if isinstance(event, ObjectChanged) and event.entry in entries:
            return seq
    return None
