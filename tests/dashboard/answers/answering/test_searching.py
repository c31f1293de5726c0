"""Hits and counts of chunks: as in one go, however many turns it takes."""

from __future__ import annotations

import pytest

from dashboard.answers.answering.searching import count_found, find_hits, read_series
from dashboard.answers.answering.sessions import Sessions
from dashboard.answers.answering.source import Source
from dashboard.answers.answering.time_limit import TimeLimit
from dashboard.answers.asking import answer_deadline, ask
from dashboard.answers.outcomes import Answer, Failed
from dashboard.answers.questions import HitCountsOf, HitsOf, SeriesOf
from dashboard.common.problems import Problem
from dashboard.runs.inputs import load_inputs
from dashboard.runs.storage import recordings
from scheduler_core.explain.watches import WatchScan, parse_watch
from scheduler_core.query import parse
from scheduler_core.query.search import count_hits, page_of_hits
from scheduler_core.recording.errors import RecordingError

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


TEXTS = ("length of unschedulable", "count of cell verdict:refused")


def scanned(run, after=-1):
    def read(reader):
        scan = WatchScan(load_inputs(run), reader.state_at(0), [parse_watch(text) for text in TEXTS])
        scan.go_on(reader)
        return tuple(series.part(after) for series in scan.series)

    return recordings.read(run.pk, read)


def test_a_worker_answers_with_the_changes_of_all(run):
    question = SeriesOf(TEXTS, head=run.head.seq)
    outcome = ask(run, question, answer_deadline(question))
    assert isinstance(outcome, Answer), outcome
    assert outcome.value.parts == scanned(run)
    assert outcome.value.reached == outcome.value.head == run.head.seq
    later = ask(run, SeriesOf(TEXTS, after=run.head.seq // 2, head=run.head.seq), answer_deadline(question))
    assert later.value.parts == scanned(run, run.head.seq // 2)
    assert 0 < len(later.value.parts[1].seqs) < len(outcome.value.parts[1].seqs)


def test_turns_go_on_where_the_last_one_was_cut_short(run):
    source, answers = Source(run, Sessions(2**40)), []
    for turn in range(1_000):
        answers.append(read_series(source, SeriesOf(TEXTS, turn=turn), SomeFrames(3)))
        if answers[-1].reached >= answers[-1].head:
            break
    assert answers[0].reached < answers[0].head
    assert answers[-1].parts == scanned(run)


def test_a_query_alone_needs_no_inputs(run, monkeypatch):
    monkeypatch.setattr("dashboard.answers.answering.source.load_inputs", None)
    answer = read_series(Source(run, Sessions(2**40)), SeriesOf(TEXTS[1:]), SomeFrames(10_000))
    assert answer.parts == scanned(run)[1:]


def test_a_recording_that_cannot_be_read_leaves_no_half_of_a_scan(run, monkeypatch):
    source = Source(run, Sessions(2**40))
    read_series(source, SeriesOf(TEXTS), SomeFrames(3))
    assert any(key[2] == "watches" for key in source.sessions.held)

    def broken(*_):
        raise RecordingError("chunk 0 is damaged")

    monkeypatch.setattr(WatchScan, "go_on", broken)
    with pytest.raises(RecordingError):
        read_series(source, SeriesOf(TEXTS), SomeFrames(3))
    assert not any(key[2] == "watches" for key in source.sessions.held)


def test_what_cannot_be_watched_is_said_with_its_column(run):
    with pytest.raises(Problem, match="column 6"):
        read_series(Source(run, Sessions(2**40)), SeriesOf(("free <b> of node-1",)), SomeFrames(3))
    question = SeriesOf(("colour of node-1",))
    outcome = ask(run, question, answer_deadline(question))
    assert isinstance(outcome, Failed)
    assert "column 1" in outcome.text
