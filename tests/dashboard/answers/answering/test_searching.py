"""Hits and counts of chunks: as in one go, however many turns it takes."""

from __future__ import annotations

import pytest

from dashboard.answers.answering.searching import count_found, find_hits
from dashboard.answers.answering.sessions import Sessions
from dashboard.answers.answering.source import Source
from dashboard.answers.answering.time_limit import TimeLimit
from dashboard.answers.asking import answer_deadline, ask
from dashboard.answers.outcomes import Answer, Failed
from dashboard.answers.questions import HitCountsOf, HitsOf
from dashboard.common.problems import Problem
from dashboard.runs.storage import recordings
from scheduler_core.query import parse
from scheduler_core.query.search import count_hits, page_of_hits

pytestmark = pytest.mark.slow
TEXT = "cell verdict:refused"


class SomeFrames(TimeLimit):
    """Over after so many questions."""

    def __init__(self, count):
        super().__init__(float("inf"))
        self.count = count

    def __call__(self):
        self.count -= 1
        self.was_hit = self.was_hit or self.count < 0
        return self.was_hit


def test_a_worker_answers_with_a_page_and_with_counts(run):
    hits, counts = HitsOf(TEXT, limit=3), HitCountsOf(TEXT, group="plugin")
    page = ask(run, hits, answer_deadline(hits))
    totals = ask(run, counts, answer_deadline(counts))
    assert isinstance(page, Answer), page
    assert isinstance(totals, Answer), totals
    assert page.value == recordings.read(run.pk, lambda reader: page_of_hits(reader, parse(TEXT), 3))
    assert len(page.value.hits) == 3
    assert totals.value == recordings.read(run.pk, lambda reader: count_hits(reader, parse(TEXT), group="plugin"))


@pytest.mark.parametrize("backward", [False, True])
def test_turns_that_are_cut_short_add_up_to_all_hits(run, backward):
    source, hits, start = Source(run, Sessions(2**40)), [], None
    expected = recordings.read(run.pk, lambda reader: page_of_hits(reader, parse(TEXT), 1_000, backward=backward))
    for turn in range(1_000):
        seq, index = (-1, 0) if start is None else (start.seq, start.index)
        page = find_hits(source, HitsOf(TEXT, 1_000, seq, index, backward), SomeFrames(2 + turn))
        hits.extend(page.hits)
        if page.ended == "end":
            break
        start = page.next_start(start, backward=backward)
    assert turn > 0
    assert tuple(hits) == expected.hits


def test_counts_go_on_where_the_last_turn_ended(run):
    source = Source(run, Sessions(2**40))
    expected = recordings.read(run.pk, lambda reader: count_hits(reader, parse(TEXT), (0, 5_000_000), "node"))
    reached = []
    for turn in range(1_000):
        question = HitCountsOf(TEXT, n_buckets=2, width_us=5_000_000, group="node", turn=turn)
        counts = count_found(source, question, SomeFrames(3))
        reached.append(counts.reached)
        if counts.ended == "end":
            break
    assert counts == expected
    assert turn > 1
    assert reached == sorted(reached)


def test_what_is_wrong_with_a_query_is_said(run):
    outcome = ask(run, HitsOf("outcme:x"), answer_deadline(HitsOf("outcme:x")))
    assert isinstance(outcome, Failed)
    assert outcome.text.startswith("column 1: ")
    assert "'outcme'" in outcome.text
    with pytest.raises(Problem, match="moves are not counted by node"):
        count_found(Source(run, Sessions(2**40)), HitCountsOf("move", group="node"), TimeLimit(float("inf")))
