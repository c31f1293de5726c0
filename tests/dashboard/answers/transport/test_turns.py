"""Whose question is next, and which of one person's questions makes way for another."""

from __future__ import annotations

import pytest

from dashboard.answers.transport.turns import (
    MOST_OPEN,
    PATIENT_TURNS,
    Admission,
    OwnQuestion,
    QueuedQuestion,
    admission,
    in_turn,
    queue_position,
)


def queued(key, *people, is_short=False, arrived=0):
    """Return a question that waits."""
    return QueuedQuestion(key, is_short, people, arrived)


def line(*people, is_short=False):
    """Return a question of each of these people, in this order: "hog" asks "hog-0", then "hog-1"."""
    return [
        queued(f"{person}-{people[:n].count(person)}", person, is_short=is_short, arrived=n)
        for n, person in enumerate(people)
    ]


@pytest.mark.parametrize(
    ("waiting", "served", "keys"),
    [
        (line("a", "a", "b"), {}, ["a-0", "b-0", "a-1"]),
        (line("a", "b"), {"a": 2, "b": 1}, ["b-0", "a-0"]),
        (line("a", "b"), {"a": 2}, ["b-0", "a-0"]),
        (line("a", "a", "b", "b", "c"), {"a": 1, "b": 3, "c": 2}, ["a-0", "c-0", "b-0", "a-1", "b-1"]),
        ([*line("hog", "hog"), queued("brief", "hog", is_short=True, arrived=9)], {}, ["brief", "hog-0", "hog-1"]),
        ([*line("a"), queued("brief", "b", is_short=True, arrived=9)], {"b": 7}, ["brief", "a-0"]),
        ([], {"a": 1}, []),
    ],
    ids=[
        "people take turns",
        "longest ago first",
        "never served first",
        "rounds",
        "short first",
        "short first, whoever asks",
        "nothing waits",
    ],
)
def test_the_order_of_turns(waiting, served, keys):
    assert [key for key, _ in in_turn(waiting, served, 9)] == keys
    assert [key for key, _ in in_turn(waiting[::-1], served, 9)] == keys


def test_a_question_of_several_people_comes_with_the_first_of_their_turns():
    waiting = [*line("hog", "hog", "hog"), queued("shared", "hog", "other", arrived=9)]
    assert in_turn(waiting, {"hog": 1}, 1)[0] == ("shared", "other")


def test_twelve_questions_of_one_person_delay_ten_others_by_one():
    waiting = line(*["hog"] * 12, *(f"p{n}" for n in range(10)), is_short=True)
    turns = in_turn(waiting, {}, 0)
    assert {person for _, person in turns[:11]} == {"hog", *(f"p{n}" for n in range(10))}
    assert queue_position("p9-0", turns) == 11
    assert queue_position("not there", turns) == 23


@pytest.mark.parametrize(
    ("served", "turn", "now", "key"),
    [
        ({"hog": 8}, 8, 8, "hog-0"),
        ({"hog": 27}, 8, 27, "hog-0"),
        ({"hog": 28}, 8, 28, "long"),
        ({"hog": 28, "me": 9}, 8, 28, "hog-0"),
    ],
    ids=["it came just now", "it waits", "it has waited", "its person had a turn meanwhile"],
)
def test_a_long_question_is_not_behind_short_ones_for_ever(served, turn, now, key):
    assert PATIENT_TURNS == 20
    waiting = [QueuedQuestion("long", False, ["me"], 1, turn), *line(*["hog"] * 4, is_short=True)]
    assert in_turn(waiting, served, now)[0][0] == key


def own(n, page="", computing=0):
    """Return so many open questions of a person, the first of which are computed."""
    return [OwnQuestion(f"q{i}", page, i < computing) for i in range(n)]


@pytest.mark.parametrize(
    ("mine", "page", "said"),
    [
        (own(MOST_OPEN - 1), "", Admission(is_open=True)),
        (own(MOST_OPEN), "", Admission(True, "q0")),
        (own(MOST_OPEN, computing=1), "", Admission(True, "q1")),
        (own(MOST_OPEN, "why"), "map", Admission(True, "q0")),
        (own(MOST_OPEN, "why"), "why", Admission(is_open=False)),
        ([*own(MOST_OPEN - 1, "why"), OwnQuestion("q9", "map")], "why", Admission(True, "q9")),
        (own(MOST_OPEN, computing=MOST_OPEN), "", Admission(is_open=False)),
    ],
    ids=[
        "room",
        "the oldest is dropped",
        "not the one being computed",
        "of another page",
        "never of the same page",
        "the other page's",
        "all are being computed",
    ],
)
def test_admission(mine, page, said):
    assert admission(mine, page) == said
