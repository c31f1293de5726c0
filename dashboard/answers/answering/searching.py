"""Hits of queries that database rows cannot answer: they are read from chunks, one turn at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.common.problems import Problem
from scheduler_core.query import Query, QueryError, parse
from scheduler_core.query.hits import HitPlace
from scheduler_core.query.scan import ScanControl
from scheduler_core.query.search import GROUPS_OF, HitCounter, HitCounts, HitNumber, HitNumbering, HitPage, page_of_hits

if TYPE_CHECKING:
    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import HitCountsOf, HitNumberOf, HitsOf

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
