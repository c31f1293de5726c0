"""Attempts of two recorded runs beside each other, and the way from a pair to the next."""

from __future__ import annotations

import pytest

from dashboard.answers.answering.comparing.attempts import Alignment
from dashboard.answers.asking import answer_deadline, ask
from dashboard.answers.outcomes import Answer
from dashboard.answers.questions import AttemptsAligned
from dashboard.runs.models import Cycle
from scheduler_core.compare.attempts import SAME, Attempt
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.run_helpers import node


@pytest.fixture
def other(execute):
    """The scene with another node."""
    return execute([*scene(), node("spare", "128")], slug="larger", schedule="pending", once=True)


def aligned(a, b, a_seq=None, b_seq=None, **where):
    seqs = (a.head.seq if a_seq is None else a_seq, b.head.seq if b_seq is None else b_seq)
    question = AttemptsAligned(b.pk, b.created_at.isoformat(), *seqs, **where)
    outcome = ask(a, question, answer_deadline(question))
    assert isinstance(outcome, Answer), outcome
    return outcome.value


def test_steps_from_the_first_pair_reach_every_attempt_of_both(run, other):
    first = aligned(run, other, a_cycle=1)
    pairs, at = [], first
    while at is not None:
        pairs.append(at.at)
        place = at.after
        at = aligned(run, other, a_cycle=place.a, b_cycle=0 if place.a else place.b) if place else None
    assert [one.a for one in pairs if one.a] == list(range(1, run.head.cycle + 1))
    assert sorted(one.b for one in pairs if one.b) == list(range(1, other.head.cycle + 1))
    differing = [one for one in pairs if one.kind != SAME]
    assert first.n_differences == len(differing)
    assert aligned(run, other).at == differing[0]
    assert sum(first.kinds.values()) == len(pairs)


def test_the_differences_before_and_behind_a_pair_are_the_nearest(run, other):
    first = aligned(run, other)
    second = aligned(run, other, a_cycle=first.difference_after.a, b_cycle=0 if first.difference_after.a else 1)
    assert (first.difference, second.difference) == (1, 2)
    assert (first.difference_before, second.difference_before) == (None, first.at)


def test_a_pair_that_is_no_difference_has_no_number(run):
    same = aligned(run, run, a_cycle=1)
    assert (same.at.kind, same.difference, same.n_differences, same.first) == (SAME, 0, 0, None)
    assert set("".join(same.strips)) == {"0"}


def test_attempts_count_that_had_ended_at_the_moment(run):
    second = Cycle.objects.get(run=run, number=2)
    for seq, n in ((0, 0), (second.last_seq, 1), (second.last_seq + 1, 2)):
        assert aligned(run, run, a_seq=seq).n_attempts == (n, run.head.cycle)


def test_free_cursors_are_taken_as_they_are_and_none_that_is_not_there(run, other):
    assert (aligned(run, other, a_cycle=1, b_cycle=3).at.a, aligned(run, other, a_cycle=1, b_cycle=3).at.b) == (1, 3)
    for where in ({"a_cycle": 999}, {"b_cycle": 999}, {"a_cycle": 1, "b_cycle": 999}):
        assert aligned(run, other, **where).at is None


def alignment(a, b):
    """Return the alignment of attempts of the pods p0, p1, ... by their nodes: one letter for each, on either side."""
    sides = [
        [Attempt(10 * side + n, f"default/p{n}", "", 1, "scheduled", node) for n, node in enumerate(nodes) if node]
        for side, nodes in enumerate((a, b), start=1)
    ]
    return Alignment(*sides)


@pytest.mark.parametrize(
    ("a", "b", "index"), [("xx", "xx", 0), ("xxx", "xyy", 1), ("xx", "xxy", 2), ("", "", None), ("", "x", 0)]
)
def test_without_a_cycle_the_first_difference_is_found_or_the_first_pair(a, b, index):
    assert alignment(a, b).find_index(0, 0) == index


def test_pairs_and_differences_are_found_by_their_numbers():
    aligned = alignment("xxx", "xyy")
    assert [aligned.find_index(12, 0), aligned.find_index(0, 22), aligned.find_index(99, 0)] == [2, 2, None]
    assert [pair and (pair.a, pair.b) for pair in map(aligned.pair, (-1, 0, 2, 3))] == [None, (10, 20), (12, 22), None]
    assert [pair and pair.a for pair in map(aligned.difference, (-1, 0, 1, 2))] == [None, 11, 12, None]
