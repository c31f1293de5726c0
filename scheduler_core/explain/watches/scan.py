"""Reads the changes of several watches in one pass over a recording, plus one pass for each watched query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import get_args

from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.watches.model import Watch, WatchKind, WatchValue
from scheduler_core.explain.watches.series import WatchSeries
from scheduler_core.explain.watches.watched_state import READ, Subject, WatchedState, watched_subjects
from scheduler_core.query import parse
from scheduler_core.query.scan import Scan, ScanControl, Stopped
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.state import RunState

BATCH = 4096
"""At most this many events are read between two checks whether the scan is to stop."""
_PASSED = frozenset(kind for kind in get_args(ev.AnyEvent) if kind not in READ)


class WatchScan:
    """WatchSeries of watches that grow with each turn. ``start`` is the state before the first event of the recording;
    ``inputs`` may be None where only hits of queries are watched."""

    def __init__(self, inputs: RunInputs | None, start: RunState, watches: Sequence[Watch]) -> None:
        self.series = [WatchSeries() for _ in watches]
        both = list(zip(watches, self.series, strict=True))
        of_cluster = [(watch, series) for watch, series in both if watch.kind is not WatchKind.COUNT]
        self._parts: list[_ClusterPart | _CountPart] = [
            _CountPart(watch, series, start.at) for watch, series in both if watch.kind is WatchKind.COUNT
        ]
        if of_cluster:
            if inputs is None:
                raise ValueError("what nodes and pods are is not to be had without the inputs")
            self._parts.insert(0, _ClusterPart(inputs, start, of_cluster))

    @property
    def reached(self) -> int:
        """The number of events that were read for every watch."""
        return min((part.reached for part in self._parts), default=0)

    def go_on(self, reader: RecordingReader, control: ScanControl | None = None) -> str:
        """Read on to the end of the recording; returns why the scan was stopped before, "" where it was not.

        Raises RecordingError. The next turn goes on where this one was stopped.
        """
        control, end = control or ScanControl(), reader.head_seq()
        try:
            for part in self._parts:
                if part.reached < end or not part.has_begun:
                    part.go_on(reader, end, control)
        except Stopped as stopped:
            return stopped.reason
        return ""


class _ClusterPart:
    """Watches of nodes, lanes and pods."""

    def __init__(self, inputs: RunInputs, start: RunState, watched: list[tuple[Watch, WatchSeries]]) -> None:
        self.reached, self.has_begun = 0, False
        self._present = WatchedState(inputs, start)
        self._watched = watched
        self._of: defaultdict[Subject, list[tuple[Watch, WatchSeries]]] = defaultdict(list)
        for watch, series in watched:
            for subject in watched_subjects(watch):
                self._of[subject].append((watch, series))

    def go_on(self, reader: RecordingReader, end: int, control: ScanControl) -> None:
        if not self.has_begun:
            self.has_begun = True
            for watch, series in self._watched:
                series.add(0, self._present.state.at, self._present.value(watch))
        while self.reached < end:
            control.check()
            until = min(self.reached + BATCH, end)
            self._read(reader, self.reached, until)
            self.reached = until
            for _, series in self._watched:
                series.reach(until)

    def _read(self, reader: RecordingReader, first: int, end: int) -> None:
        present, of = self._present, self._of
        for seq, _, event in reader.events_without(_PASSED, first, end):
            for subject in present.take(event):
                for watch, series in of.get(subject, ()):
                    series.add(seq + 1, event.at, present.value(watch))


class _CountPart:
    """Hits of one query; each counts from the event on at which searches show it."""

    def __init__(self, watch: Watch, series: WatchSeries, at: int) -> None:
        self.reached, self.has_begun = 0, False
        self._query = parse(watch.name)
        self._series = series
        self._at = at
        self._count = 0

    def go_on(self, reader: RecordingReader, end: int, control: ScanControl) -> None:
        if not self.has_begun:
            self.has_begun = True
            self._series.add(0, self._at, WatchValue(0))
        scan = Scan(reader, self._query, control)
        try:
            for batch in scan.batches(self.reached, end):
                self._count += batch.count
                self._series.add(batch.seq + 1, batch.at, WatchValue(self._count))
        finally:
            self.reached = max(scan.reached, self.reached)
            self._series.reach(self.reached)
