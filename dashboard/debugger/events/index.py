"""A run's events as columns, so that lists of any filter are answered without reading the recording again.

An index reads each event once per process, which takes about 8 us, and holds 50 bytes of it: the first page of a
run with 100,000 events waits 0.8 s, all others ask columns. A run that goes on adds what is new.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dashboard.common.lru_cache import LruCache
from dashboard.debugger.events.about import About, about
from dashboard.debugger.events.kinds import KINDS
from dashboard.runs.storage import recordings
from scheduler_core.recording import events as ev

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dashboard.runs.models import Run
    from scheduler_core.recording.reader import RecordingReader

KEPT_RUNS = 4
BATCH = 4096
ORIGIN, UNRECORDED = -1, -2
"""Causes that are no event: an input or the start of the run; a recording of a format without causes."""
NOBODY = -1
_CODES = {kind: code for code, kind in enumerate(KINDS)}
# In the order of the rows that are made of events.
COLUMNS = (
    ("kinds", np.uint8),
    ("at", np.int64),
    ("pods", np.int32),
    ("others", np.int32),
    ("nodes", np.int32),
    ("cycles", np.int32),
)


@dataclass(frozen=True, eq=False)
class EventIndex:
    """Columns over the seqs of a run, up to some head; a run that goes on gets others.

    `kinds` are places in KINDS, `at` virtual microseconds, `causes` seqs or ORIGIN or UNRECORDED; `pods` and `others`
    are places in `pod_names`, `nodes` in `node_names`, NOBODY for none; `cycles` are the numbers of the cycles whose
    events lie between their start and their end, 0 outside. `by_cause` are the seqs in order of their causes, which
    `sorted_causes` are: the effects of an event lie together.
    """

    kinds: NDArray[np.uint8]
    at: NDArray[np.int64]
    causes: NDArray[np.int64]
    pods: NDArray[np.int32]
    others: NDArray[np.int32]
    nodes: NDArray[np.int32]
    cycles: NDArray[np.int32]
    by_cause: NDArray[np.int64]
    sorted_causes: NDArray[np.int64]
    pod_names: list[tuple[str, str]]
    node_names: list[str]

    def __len__(self) -> int:
        return len(self.kinds)

    def effects(self, seq: int) -> list[int]:
        """Return the seqs of the events that the event caused, in order."""
        low, high = np.searchsorted(self.sorted_causes, [seq, seq + 1])
        found: list[int] = self.by_cause[low:high].tolist()
        return found


class Indexing:
    """The index of one run as it grows: `index` is whole at any time, and never changed."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._pod_ids: dict[tuple[str, str], int] = {}
        self._node_ids: dict[str, int] = {}
        self._pod_names: list[tuple[str, str]] = []
        self._node_names: list[str] = []
        self._newest: dict[str, int] = {}
        self._pod_of_cycle: dict[int, int] = {}
        self._node_of_victim: dict[str, int] = {}
        self._open_cycle = 0
        self.index = self._grown([], [])

    def extend(self, reader: RecordingReader, end: int) -> None:
        """Read the events up to the seq `end`; raises RecordingError for what cannot be read."""
        rows: list[tuple[int, ...]] = []
        causes: list[int] = []
        first = len(self.index)
        while first + len(rows) < end:
            begin = first + len(rows)
            last = min(begin + BATCH, end) - 1
            events = reader.events(begin, last)
            if not events:
                break
            rows.extend(self._row(event) for _, event in events)
            found = reader.causes(begin, last)
            causes.extend(UNRECORDED if cause is None else max(cause, ORIGIN) for cause in found)
        if rows:
            self.index = self._grown(rows, causes)

    def _grown(self, rows: Sequence[tuple[int, ...]], causes: list[int]) -> EventIndex:
        old = getattr(self, "index", None)
        columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
        made: dict[str, Any] = {}
        for (name, kind), column in zip(COLUMNS, columns, strict=True):
            new = np.array(column, kind)
            made[name] = new if old is None else np.append(getattr(old, name), new)
        new = np.array(causes, np.int64)
        all_causes = new if old is None else np.append(old.causes, new)
        by_cause = np.argsort(all_causes, kind="stable")
        return EventIndex(
            **made,
            causes=all_causes,
            by_cause=by_cause,
            sorted_causes=all_causes[by_cause],
            pod_names=self._pod_names,
            node_names=self._node_names,
        )

    def _row(self, event: ev.AnyEvent) -> tuple[int, int, int, int, int, int]:
        found = about(event)
        if isinstance(event, ev.CycleStarted):
            self._open_cycle = event.cycle
            self._pod_of_cycle[event.cycle] = self._pod_id(found.pod, found.uid)
        elif isinstance(event, ev.PreemptionDecided) and (nominated := event.nominated) is not None:
            self._node_of_victim.update(dict.fromkeys(nominated.victims, self._node_id(nominated.node)))
        cycle = self._open_cycle
        if isinstance(event, ev.CycleFinished):
            self._open_cycle = 0
        other = self._newest_of(found.other) if found.other else NOBODY
        return _CODES[found.kind], event.at, self._pod_of(found), other, self._node_of(found), cycle

    def _pod_of(self, found: About) -> int:
        """The pod that the event names; events of a cycle leave out its uid, or the pod altogether."""
        of_cycle = self._pod_of_cycle.get(found.cycle, NOBODY)
        if not found.pod:
            return of_cycle
        if of_cycle != NOBODY and self._pod_names[of_cycle][0] == found.pod:
            return of_cycle
        return self._newest_of(found.pod) if found.kind == "preemption" else self._pod_id(found.pod, found.uid)

    def _node_of(self, found: About) -> int:
        if found.node:
            return self._node_id(found.node)
        return self._node_of_victim.get(found.pod, NOBODY) if found.kind == "eviction" else NOBODY

    def _newest_of(self, pod: str) -> int:
        newest = self._newest.get(pod)
        return self._pod_id(pod, "") if newest is None else newest

    def _pod_id(self, pod: str, uid: str) -> int:
        place = self._pod_ids.setdefault((pod, uid), len(self._pod_names))
        if place == len(self._pod_names):
            self._pod_names.append((pod, uid))
        self._newest[pod] = place
        return place

    def _node_id(self, node: str) -> int:
        place = self._node_ids.setdefault(node, len(self._node_names))
        if place == len(self._node_names):
            self._node_names.append(node)
        return place


_runs: LruCache[Indexing] = LruCache(KEPT_RUNS)


def index_of(run: Run) -> EventIndex:
    """Return the index of the run up to its head as loaded, or further; raises RecordingError for what cannot be read.

    A database may give a deleted run's key out again; the moment of creation tells the two apart.
    """
    indexing = _runs.get((run.pk, run.created_at), Indexing)
    with indexing.lock:
        if len(indexing.index) < run.head.seq:
            recordings.read(run.pk, lambda reader: indexing.extend(reader, run.head.seq), run.head)
        return indexing.index
