"""Questions in turns, as many as there is time for."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from dashboard.answers.outcomes import Answer, Dropped, Failed, TooLate, Waiting, WaitsFor
from dashboard.review.findings import asked
from dashboard.review.findings.asked import AnswerClock


@dataclass
class Turn:
    reached: int
    total: int = 3

    @property
    def is_complete(self):
        return self.reached >= self.total


@pytest.fixture
def answered(monkeypatch):
    """A function that lets questions have these outcomes, and returns the turns that were asked."""

    def answered(outcome_of):
        turns = []

        def ask(run, turn, deadline, **how):
            turns.append(turn.number)
            return outcome_of(turn.number)

        monkeypatch.setattr(asked, "ask", ask)
        monkeypatch.setattr(asked, "answer_deadline", lambda *_: 0)
        return turns

    return answered


@dataclass
class Question:
    number: int
    name: str = "turn"


def test_it_goes_on_from_turn_to_turn_until_all_is_read(answered):
    turns = answered(lambda turn: Answer(Turn(turn + 1), 0.1))
    got = AnswerClock("x", 60).of_run(None, Question)
    assert (got.value, got.turn, turns) == (Turn(3), 2, [0, 1, 2])


def test_when_the_time_is_over_it_says_how_far_it_is_and_where_to_go_on(answered):
    turns = answered(lambda turn: Answer(Turn(turn + 1), 0.1))
    got = AnswerClock("x", 0).of_run(None, Question)
    assert (got.value, got.turn, got.is_waiting) == (None, 1, True)
    assert AnswerClock("x", 0).of_run(None, Question, 2).value == Turn(3)
    assert turns == [0, 2]


@dataclass
class Runs:
    cycles: tuple[int, int]
    is_complete = False


def test_while_the_next_turn_is_waited_for_it_says_how_far_the_last_one_came(answered):
    answered(lambda turn: Waiting(WaitsFor.WORKER) if turn else Answer(Turn(1), 0.1))
    got = AnswerClock("x", 60).of_run(None, Question)
    assert (got.note.split()[1::2], got.turn, got.is_waiting) == (["1", "3"], 1, True)


@pytest.mark.parametrize(
    ("outcome", "note", "is_waiting"),
    [
        (Waiting(WaitsFor.WORKER), "Waiting for an answer worker; none replies", True),
        (TooLate(), "No answer in time", False),
        (Dropped(), "Not computed, since you asked for more than 4 answers at once", False),
        (Failed("the run is gone"), "the run is gone", False),
        (Failed("The run is gone."), "The run is gone", False),
    ],
)
def test_without_an_answer_it_says_why(answered, outcome, note, is_waiting):
    answered(lambda turn: outcome)
    got = AnswerClock("x", 60).of_run(None, Question)
    assert (got.value, got.note, got.is_waiting) == (None, note, is_waiting)


def test_what_takes_too_many_turns_is_given_up(answered, monkeypatch):
    monkeypatch.setattr(asked, "MOST_TURNS", 2)
    answered(lambda turn: Answer(Turn(0), 0.1))
    got = AnswerClock("x", 60).of_run(None, Question)
    assert (got.value, got.is_waiting) == (None, False)
    assert "Given up" in got.note


@pytest.mark.parametrize(
    ("value", "note"),
    [
        (Turn(1), "Read 1 of 3 events"),
        (
            Runs((1_200, 0)),
            "The effect is being computed while somebody looks at this page: 1,200 cycles before the change",
        ),
        (
            Runs((1_200, 30)),
            "The effect is being computed while somebody looks at this page: 1,200 cycles before the change,"
            " 30 after it",
        ),
    ],
)
def test_words(answered, value, note):
    answered(lambda turn: Answer(value, 0.1))
    got = AnswerClock("x", 0).of_run(None, Question)
    assert (got.note, got.is_waiting) == (note, True)
