"""A branch's changes as entries of a timeline, with their times, and those that a timeline cannot express."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.clusters.revisions.contents import read_contents
from dashboard.documents import store
from dashboard.runs.keeping.changed_objects import ChangedObject, admission_context
from dashboard.runs.models import Schedule, placed_changes
from dashboard.runs.storage import recordings
from scheduler_core.recording.events import CreationRefused, InputsChanged, ObjectChanged
from scheduler_core.simulate import (
    EntryMoment,
    MovedChange,
    RecordedPlace,
    TimelineError,
    entry_moment,
    timeline_from_raw,
    timeline_with,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dashboard.runs.models import Run
    from scheduler_core.recording.reader import RecordingReader

BLOCK = 256


@dataclass(frozen=True)
class ChangedEntry:
    """A change as an entry of a timeline, or why it cannot be one."""

    changed: ChangedObject
    moment: EntryMoment
    problem: str

    @property
    def moved(self) -> MovedChange:
        """Return it as the core takes it."""
        metadata = {"name": self.changed.key.name}
        if self.changed.key.namespace:
            metadata["namespace"] = self.changed.key.namespace
        named = {"kind": self.changed.key.kind, "metadata": metadata}
        raw = self.changed.in_timeline
        return MovedChange(self.moment, "delete" if raw is None else "put", named if raw is None else raw)


def changed_entries(run: Run, changes: Sequence[ChangedObject]) -> list[ChangedEntry]:
    """Return the changes of objects as entries; raises RecordingError."""
    moments = {seq: _moment(run, seq) for seq in {one.seq for one in changes}}
    context = admission_context(read_contents(run.revision)) if changes else []
    entries = [ChangedEntry(one, moments[one.seq], one.not_in_timeline) for one in changes]
    return [one if one.problem else ChangedEntry(one.changed, one.moment, _problem(one, context)) for one in entries]


def _problem(entry: ChangedEntry, context: Any) -> str:
    """Why a timeline cannot contain the entry, "" if it can."""
    moved = entry.moved
    raw = {"at": 0, "action": moved.action, "object": moved.manifest}
    try:
        timeline_from_raw({"entries": [raw]}, context)
    except TimelineError as problem:
        return f"{str(problem).removeprefix('entries[0].object: ')}."
    return ""


def _moment(run: Run, seq: int) -> EntryMoment:
    def read(reader: RecordingReader) -> EntryMoment:
        at = _change_time(reader, seq, run.head.seq)
        first, last = seq, seq - 1
        while first > 0 and (block := reader.events(max(0, first - BLOCK), first - 1)):
            same = next((i for i, (_, event) in enumerate(reversed(block)) if event.at != at), len(block))
            first -= same
            if same < len(block):
                break
        while block := reader.events(last + 1, last + BLOCK):
            same = next((i for i, (_, event) in enumerate(block) if event.at != at), len(block))
            last += same
            if same < len(block):
                break
        events = [event for _, event in reader.events(first, last)]
        causes = reader.causes(first, last)
        return entry_moment(RecordedPlace(seq, at, first, list(zip(events, causes, strict=True))))

    return recordings.read(run.pk, read, run.head)


def _change_time(reader: RecordingReader, seq: int, head: int) -> int:
    """The virtual time in microseconds of the changes at a place: that of the first event that one of them caused."""
    for _, event in reader.events(seq, min(seq + BLOCK, head) - 1):
        if isinstance(event, ObjectChanged | CreationRefused | InputsChanged) and event.change is not None:
            return event.at
    return reader.state_at(seq).at


def switched_off(run: Run) -> list[int]:
    """Return the indexes of the timeline's entries that the run's changes switch off."""
    return sorted({int(change["entry"]) for change in placed_changes(run) if change["action"] == "switch_off"})


def timeline_raw(run: Run, entries: Sequence[ChangedEntry]) -> Mapping[str, Any]:
    """Return the run's timeline with the changes in it and without what they switch off; raises TimelineError."""
    follows = run.schedule == Schedule.TIMELINE and run.timeline_revision is not None
    raw = store.read_timeline(run.timeline_revision) if follows and run.timeline_revision else {"entries": []}
    moved = [one.moved for one in entries if not one.problem]
    return timeline_with(raw, admission_context(read_contents(run.revision)), moved, set(switched_off(run)))
