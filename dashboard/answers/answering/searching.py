"""Hits of queries that rows cannot answer, and values of watches: read from chunks, one turn at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dashboard.common.problems import Problem
from scheduler_core.explain.watches import SeriesPart, Watch, WatchKind, WatchScan, parse_watch
from scheduler_core.query import Query, QueryError, parse
from scheduler_core.query.hits import HitPlace
from scheduler_core.query.scan import ScanControl
from scheduler_core.query.search import GROUPS_OF, HitCounter, HitCounts, HitNumber, HitNumbering, HitPage, page_of_hits
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import HitCountsOf, HitNumberOf, HitsOf, SeriesOf
    from scheduler_core.recording.reader import RecordingReader

DEADLINE = "deadline"


def find_hits(source: Source, question: HitsOf, limit: TimeLimit) -> HitPage:
    """Return a page of hits, or a part of one; raises Problem for an invalid query, RecordingError."""
    query = _query(question.query)
    start = HitPlace(question.seq, question.index) if question.seq >= 0 else None
    control = _control(limit, question.seconds)
    return source.read(
        lambda reader: page_of_hits(reader, query, question.limit, start, backward=question.backward, control=control)
    )


def count_found(source: Source, question: HitCountsOf, limit: TimeLimit) -> HitCounts:
    """Return the counts of this and the earlier turns; raises as `find_hits`, and Problem for a group of others.

    What turns counted is kept between them; where it was dropped meanwhile, counting begins again.
    """
    query = _query(question.query)
    if question.group and question.group not in GROUPS_OF[query.subject]:
        raise Problem(f"{query.subject}s are not counted by {question.group}")
    edges = tuple(number * question.width_us for number in range(question.n_buckets))
    key = (*source.key, "hits", question.query, question.n_buckets, question.width_us, question.group)
    counter: HitCounter = source.sessions.get(key, 1, lambda: HitCounter(query, edges, question.group))
    return source.read(lambda reader: counter.go_on(reader, _control(limit, question.seconds)))


def number_hit(source: Source, question: HitNumberOf, limit: TimeLimit) -> HitNumber:
    """Return which hit is at the moment, as far as this and the earlier turns counted; raises as `find_hits`."""
    query = _query(question.query)
    key = (*source.key, "hit-numbers", question.query)
    numbering: HitNumbering = source.sessions.get(key, 1, lambda: HitNumbering(query))
    return source.read(lambda reader: numbering.go_on(reader, question.moment, _control(limit, question.seconds)))


def _query(text: str) -> Query:
    try:
        return parse(text)
    except QueryError as problem:
        raise Problem(problem.text()) from problem


def _control(limit: TimeLimit, seconds: float) -> ScanControl:
    is_over = limit.within(seconds)
    return ScanControl(stopped=lambda: DEADLINE if is_over() else "")


class SeriesAnswer(msgspec.Struct, frozen=True):
    """The changes of each watch that was asked about, in that order. All are known after `reached` of `head` events;
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
