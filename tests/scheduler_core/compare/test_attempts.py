"""Attempts of two runs beside each other: each once, in the order of A, with how they differ."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from scheduler_core.compare.attempts import (
    ENDED_OTHERWISE,
    KINDS,
    ONLY_ONE,
    OTHER_NODE,
    OTHER_VICTIMS,
    PLACED_IN_ONE,
    SAME,
    Attempt,
    AttemptPair,
    aligned,
)
from tests.seeds import each_seed

BOUND = Attempt(1, "x/web", "", 1, "scheduled", "n-1")
REFUSED = Attempt(1, "x/web", "", 1, "unschedulable")
PREEMPTING = Attempt(1, "x/web", "", 1, "unschedulable", "", "n-1", frozenset({"x/a "}))


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        (BOUND, BOUND, SAME),
        (REFUSED, REFUSED, SAME),
        (BOUND, msgspec.structs.replace(BOUND, node="n-2"), OTHER_NODE),
        (BOUND, REFUSED, PLACED_IN_ONE),
        (PREEMPTING, BOUND, PLACED_IN_ONE),
        (PREEMPTING, REFUSED, OTHER_VICTIMS),
        (PREEMPTING, msgspec.structs.replace(PREEMPTING, nominated="n-2"), OTHER_VICTIMS),
        (PREEMPTING, msgspec.structs.replace(PREEMPTING, victims=frozenset({"x/b "})), OTHER_VICTIMS),
        (REFUSED, msgspec.structs.replace(REFUSED, outcome="error"), ENDED_OTHERWISE),
    ],
)
def test_how_two_attempts_differ_does_not_depend_on_which_is_a(a, b, kind):
    assert aligned([a], [b]) == [AttemptPair(1, 1, kind)] == aligned([b], [a])
    assert AttemptPair(1, 1, kind).is_difference == (kind != SAME)


def attempts(*names):
    """Attempts of pods by name, numbered as a run numbers them."""
    numbers: dict[str, int] = {}
    listed = []
    for cycle, name in enumerate(names, start=1):
        numbers[name] = numbers.get(name, 0) + 1
        listed.append(Attempt(cycle, name, "", numbers[name], "unschedulable"))
    return listed


def test_what_only_b_has_follows_the_attempt_that_it_followed_there():
    pairs = aligned(attempts("web", "db", "web"), attempts("first", "web", "new", "web"))
    assert [(one.a, one.b) for one in pairs] == [(0, 1), (1, 2), (0, 3), (2, 0), (3, 4)]
    assert [one.kind for one in pairs] == [ONLY_ONE, SAME, ONLY_ONE, ONLY_ONE, SAME]


def test_a_later_pod_of_a_name_is_another_pod():
    later = msgspec.structs.replace(BOUND, uid="made-2")
    assert [one.kind for one in aligned([BOUND], [later])] == [ONLY_ONE, ONLY_ONE]


def test_attempts_that_a_recording_numbers_alike_are_told_apart_by_their_order():
    twice = [BOUND, msgspec.structs.replace(BOUND, cycle=2, node="n-2")]
    assert aligned(twice, twice) == [AttemptPair(1, 1, SAME), AttemptPair(2, 2, SAME)]


@each_seed(range(40), together=40)
def test_every_attempt_is_there_once_and_swapped_runs_have_the_same_pairs(seed):
    draw = Random(seed)
    a, b = (attempts(*(draw.choice("abcdef") for _ in range(draw.randrange(30)))) for _ in "ab")
    pairs, back = aligned(a, b), aligned(b, a)
    assert [one.a for one in pairs if one.a] == [one.cycle for one in a]
    assert sorted(one.b for one in pairs if one.b) == [one.cycle for one in b]
    assert {(one.a, one.b, one.kind) for one in pairs} == {(one.b, one.a, one.kind) for one in back}
    by_cycle = [{one.cycle: one for one in side} for side in (a, b)]
    for one in pairs:
        assert one.kind in KINDS
        if one.a and one.b:
            mine, other = by_cycle[0][one.a], by_cycle[1][one.b]
            assert (mine.pod, mine.attempt) == (other.pod, other.attempt)
