"""The arrivals and ends that a run recorded in an interval, as entries of a timeline that begins with it.

What the run's timeline or people brought is written as they wrote it. Of what the engine did itself, pods that
workloads made and pods that completed or were evicted come in on request only: a run that follows the timeline makes,
ends and evicts its own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_keys import normal_key
from dashboard.common.problems import Problem
from dashboard.documents.timelines.arrivals.rows import StoredEntries, read_entries
from dashboard.runs.models import RecordingChunk, Schedule
from dashboard.runs.storage import recordings
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS
from scheduler_core.manifests.writing.objects import NotWritable, Writing, to_manifest
from scheduler_core.recording.events import ObjectChanged
from scheduler_core.recording.objects import decode_object
from scheduler_core.simulate import MAX_TIMELINE_ENTRIES, time_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.clusters.revisions.object_keys import Key
    from dashboard.runs.models import Run

    Raw = dict[str, Any]

BLOCK = 20_000
MOST_EVENTS = 600_000
ENDS = ("", "all", "none")


@dataclass(frozen=True)
class ObservedPart:
    """Which part of a recording is read: from `start` to before `end` in microseconds (None: to the end).

    `waiting`: pods that waited at the start of the run come at the beginning. `made`: with pods that workloads made.
    `ends`: "" what was deleted by the timeline and by people, "all" with what completed or was evicted, "none".
    """

    start: int = 0
    end: int | None = None
    waiting: bool = False
    made: bool = False
    ends: str = ""


@dataclass
class ObservedArrivals:
    """Entries in order of time, and how many of what is left out: {words: n}."""

    entries: list[Raw] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def observed_arrivals(run: Run, part: ObservedPart) -> ObservedArrivals:
    """Return the arrivals and ends; raises Problem where they are too many, RecordingError for an unreadable run."""
    reading = _ObservedEntries(run, part)
    if part.waiting and not part.start:
        reading.take_waiting()
    for event in _changes(run, part):
        reading.take(event)
        if len(reading.result.entries) > MAX_TIMELINE_ENTRIES:
            raise Problem(f"More than {MAX_TIMELINE_ENTRIES:,} entries are in this interval. Choose a shorter one.")
    return reading.result


def _changes(run: Run, part: ObservedPart) -> Iterator[ObjectChanged]:
    """Yield the changes of objects in the interval, in order."""
    chunks = RecordingChunk.objects.filter(run_id=run.pk, last_at_us__gte=part.start)
    if part.end is not None:
        chunks = chunks.filter(first_at_us__lt=part.end)
    spans = list(chunks.order_by("index").values_list("first_seq", "n_events"))
    if not spans:
        return
    first, end = spans[0][0], min(spans[-1][0] + spans[-1][1], run.head.seq)
    if end - first > MOST_EVENTS:
        raise Problem(
            f"This interval has {end - first:,} events, more than the {MOST_EVENTS:,} that are read at once. Choose a"
            " shorter one."
        )
    for begin in range(first, end, BLOCK):
        for _, event in recordings.read_events(run.pk, begin, min(begin + BLOCK, end) - 1):
            inside = event.at >= part.start and (part.end is None or event.at < part.end)
            if inside and isinstance(event, ObjectChanged):
                yield event


class _ObservedEntries:
    """The entries so far, and the keys of the objects that arrived among them."""

    def __init__(self, run: Run, part: ObservedPart) -> None:
        self.part = part
        self.result = ObservedArrivals()
        self._contents = read_contents(run.revision)
        self._context = [self._contents.by_key[key] for key in self._contents.by_key if key.kind in CONTEXT_KINDS]
        followed = run.timeline_revision if run.schedule == Schedule.TIMELINE else None
        self._stored = StoredEntries((), ()) if followed is None else read_entries(followed)
        self._arrived: set[Key] = set()

    def take_waiting(self) -> None:
        for key in self._contents.by_key:
            if key.kind == "Pod":
                raw = self._contents.by_key[key]
                if not (raw.get("spec") or {}).get("nodeName"):
                    self._add(0, "add", key, dict(raw))

    def take(self, event: ObjectChanged) -> None:
        namespace, _, name = event.key.rpartition("/")
        key = normal_key(event.kind, namespace, name)
        is_asked = event.entry is not None or event.change is not None
        if event.action == "deleted":
            self._end(event, key, is_asked)
        elif is_asked:
            self._asked(event, key)
        elif event.action == "added":
            self._made(event, key)

    def _asked(self, event: ObjectChanged, key: Key) -> None:
        action = "add" if event.action == "added" else "update"
        if event.entry is not None:
            raw = dict(self._stored.entries[self._stored.rows[event.entry].place]["object"])
        else:
            written = self._written(event)
            if written is None:
                return
            raw = written
        self._add(event.at - self.part.start, action, key, raw)

    def _made(self, event: ObjectChanged, key: Key) -> None:
        if not self.part.made:
            self.result.left_out["made by workloads of the cluster during the run"] += 1
            return
        raw = self._written(event)
        if raw is not None:
            # Without its owner, which would count it as its own.
            for name in ("ownerReferences", "uid"):
                raw["metadata"].pop(name, None)
            self._add(event.at - self.part.start, "add", key, raw)

    def _written(self, event: ObjectChanged) -> Raw | None:
        try:
            return to_manifest(decode_object(event.kind, event.object), Writing(context=self._context))
        except NotWritable:
            self.result.left_out["that no manifest can say as the engine has it"] += 1
            return None

    def _end(self, event: ObjectChanged, key: Key, is_asked: bool) -> None:
        if self.part.ends == "none":
            self.result.left_out["that end, as ends are left out"] += 1
        elif not is_asked and self.part.ends != "all":
            self.result.left_out["ended by the engine: completed, evicted or removed"] += 1
        elif not is_asked and key not in self._arrived:
            self.result.left_out["ended by the engine that arrived before"] += 1
        else:
            metadata = {"name": key.name} | ({"namespace": key.namespace} if key.namespace else {})
            self._add(event.at - self.part.start, "delete", key, {"kind": key.kind, "metadata": metadata})

    def _add(self, at: int, action: str, key: Key, raw: Raw) -> None:
        if action != "delete":
            self._arrived.add(key)
        self.result.entries.append({"at": time_text(at), "action": action, "object": raw})
