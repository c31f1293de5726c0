"""The values of watches over a recording, read turn by turn, and continued when the run has gone on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dashboard.common.problems import Problem
from scheduler_core.explain.watches import SeriesPart, Watch, WatchKind, WatchScan, parse_watch
from scheduler_core.query import QueryError
from scheduler_core.query.scan import ScanControl
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import SeriesOf
    from scheduler_core.recording.reader import RecordingReader


class SeriesAnswer(msgspec.Struct, frozen=True):
    """The changes of each watch that was asked about, in that order. All are known behind `reached` of `head` events;
    where that is less, the next turn goes on."""

    parts: tuple[SeriesPart, ...]
    reached: int
    head: int


def read_series(source: Source, question: SeriesOf, limit: TimeLimit) -> SeriesAnswer:
    """Return the changes, or a part of them; raises Problem for what cannot be watched, RecordingError, InputError.

    What turns read is kept between them, also while the run goes on; where it was dropped, reading begins again.
    """
    watches = [_watch(text) for text in question.watches]
    is_over = limit.within(question.seconds)
    control = ScanControl(stopped=lambda: "turn" if is_over() else "")
    key = (*source.key, "watches", question.watches)
    # Kept apart from the scan, and not needed for hits of queries alone.
    inputs = None if all(watch.kind is WatchKind.COUNT for watch in watches) else source.inputs

    def read(reader: RecordingReader) -> SeriesAnswer:
        scan = source.sessions.get(key, source.n_objects, lambda: WatchScan(inputs, reader.state_at(0), watches))
        scan.go_on(reader, control)
        parts = tuple(series.part(question.after) for series in scan.series)
        return SeriesAnswer(parts, scan.reached, reader.head_seq())

    try:
        return source.read(read)
    except RecordingError:
        # It may have stopped in the middle of a chunk.
        source.sessions.forget(key)
        raise


def _watch(text: str) -> Watch:
    try:
        return parse_watch(text)
    except QueryError as problem:
        raise Problem(problem.text()) from problem
