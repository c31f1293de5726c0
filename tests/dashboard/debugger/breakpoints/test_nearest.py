"""The walk along the hits of several queries: forward and backward the same ones, by rows and by chunks."""

from __future__ import annotations

import pytest

from dashboard.answers.outcomes import Answer, Waiting, WaitsFor
from dashboard.answers.questions import HitsOf
from dashboard.debugger.breakpoints import nearest
from dashboard.debugger.breakpoints.nearest import HitWalk
from dashboard.debugger.breakpoints.places import changes_to, moment_at
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.runs.models import Cycle, QueueMove
from dashboard.runs.storage import recordings
from scheduler_core.query import parse
from scheduler_core.query.hits import HitPlace
from scheduler_core.query.search import HitPage, find_hits

TEXTS = (
    "outcome:unschedulable",
    "preemption",
    "move to:active",
    "cell verdict:refused node:taint-c",
    "event type:bound",
)


def queries(*texts):
    return {key: parse(text) for key, text in enumerate(texts, 1)}


def walked(run, texts, seq, backward):
    """Return the moments that a walk visits from a moment on."""
    moments, cursor = [], cursor_of(run, "team", {"seq": str(seq)})
    for _ in range(1_000):
        reached = HitWalk(cursor, queries(*texts), backward, "test").to_nearest({})
        assert reached.is_done
        if reached.hit is None:
            return moments
        moments.append(reached.hit.moment)
        query = {name: str(value) for name, value in changes_to(reached.hit.hit).items()}
        cursor = cursor_of(run, "team", query)
        assert cursor.seq == reached.hit.moment
    raise AssertionError("the walk does not end")


def all_moments(run, texts):
    """Return the moments of all hits of the queries, from the chunks alone."""

    def of(text):
        return recordings.read(run.pk, lambda reader: list(find_hits(reader, parse(text))))

    return sorted({moment_at(run, hit) for text in texts for hit in of(text)})


@pytest.mark.slow
@pytest.mark.parametrize("texts", [TEXTS, *((text,) for text in TEXTS)])
def test_forward_and_backward_visit_all_hits_in_opposite_order(run, texts):
    expected = all_moments(run, texts)
    assert len(expected) > 0
    assert walked(run, texts, 0, backward=False) == expected
    before_the_head = [one for one in expected if one < run.head.seq]
    assert walked(run, texts, run.head.seq, backward=True) == before_the_head[::-1]


def test_without_a_hit_it_says_so(run):
    cursor = cursor_of(run, "team", {"seq": "5"})
    for text in ("pod:nobody", "cell node:nobody"):
        for backward in (False, True):
            reached = HitWalk(cursor, queries(text), backward, "test").to_nearest({})
            assert (reached.is_done, reached.hit) == (True, None)
    assert HitWalk(cursor, {}, True, "test").to_nearest({}).is_done


def test_what_takes_several_turns_goes_on_where_it_was_and_says_how_far_it_is(run, monkeypatch):
    asked = []

    def ask(_run, question, _deadline, **_how):
        asked.append(question)
        return Answer(HitPage((), "deadline", 20 + 10 * len(asked)), 1.0)

    monkeypatch.setattr(nearest, "ask", ask)
    walk = HitWalk(cursor_of(run, "team", {"seq": "10"}), queries("cell verdict:refused"), False, "test")
    first = walk.to_nearest({})
    assert not first.is_done
    second = walk.to_nearest(first.starts)
    assert asked[0].seq < 10
    assert asked[1].seq == 29
    assert 0 < first.share < second.share < 1


def test_chunks_behind_the_nearest_hit_of_rows_are_not_read(run, monkeypatch):
    asked = []
    monkeypatch.setattr(nearest, "ask", lambda *_a, **_h: asked.append(1) or Answer(HitPage((), "deadline", 100), 1.0))
    cursor = cursor_of(run, "team", {"seq": "0"})
    walk = HitWalk(cursor, queries("cycle:1", "cell verdict:refused"), False, "test")
    first = walk.to_nearest({})
    assert not first.is_done
    assert walk.to_nearest(first.starts).hit.key == 1
    assert len(asked) == 1


def test_without_a_worker_it_says_what_it_waits_for(run, monkeypatch):
    monkeypatch.setattr(nearest, "ask", lambda *_a, **_h: Waiting(WaitsFor.WORKER))
    reached = HitWalk(cursor_of(run, "team", {"seq": "9"}), queries("cell raw>5"), True, "test").to_nearest({})
    assert not reached.is_done
    assert reached.text.startswith("Waiting for")
    assert set(reached.starts) == {1}


def test_questions_name_the_place_and_the_direction(run, monkeypatch):
    asked = []

    def ask(_run, question, _deadline, **_how):
        asked.append(question)
        return Answer(HitPage((), "end", 0), 1.0)

    monkeypatch.setattr(nearest, "ask", ask)
    HitWalk(cursor_of(run, "team", {"seq": "9"}), queries("event type:bound"), True, "test").to_nearest({})
    assert asked == [HitsOf("event type:bound", 1, 8, -1, True)]


def test_backward_chunks_are_read_where_a_hit_may_be_nearer_than_that_of_rows(run, monkeypatch):
    asked = []
    monkeypatch.setattr(nearest, "ask", lambda *_a, **_h: asked.append(1) or Answer(HitPage((), "end", 0), 1.0))
    cursor = cursor_of(run, "team", {"seq": str(run.head.seq)})

    def is_asked(text, seq):
        del asked[:]
        reached = HitWalk(cursor, queries(text, "cell verdict:refused"), True, "test").to_nearest(
            {2: HitPlace(seq, -1)}
        )
        assert reached.hit.key == 1
        return bool(asked)

    before, cycle = Cycle.objects.filter(run=run).order_by("number")[2:4]
    assert [is_asked(f"cycle:{cycle.number}", cycle.first_seq + n) for n in (-1, 0, 1)] == [False, False, True]
    popped = QueueMove.objects.get(run=run, seq=cycle.first_seq - 1)
    text = f"move seq:{popped.seq}"
    assert [is_asked(text, before.first_seq + n) for n in (-1, 0, 1)] == [False, False, True]
    assert is_asked(text, popped.seq), "the cycle before may end behind the move"
