"""The panels of a comparison: each says what the recordings hold."""

from __future__ import annotations

import pytest

from dashboard.runs.models import Cycle
from scheduler_core.compare.attempts import ONLY_ONE, PLACED_IN_ONE

pytestmark = pytest.mark.django_db


def test_without_a_cursor_both_stand_at_the_first_difference(page):
    shown = page()
    assert shown.strip.at == shown.strip.answer.first
    assert shown.strip.answer.difference == 1
    assert shown.sides[0].pod == shown.sides[1].pod


def test_a_linked_cursor_leads_the_other_to_the_same_attempt(page, run, other, cycle_of):
    mine = cycle_of("never-0")
    theirs = Cycle.objects.get(run=other, pod="default/never-0", attempt=mine.attempt)
    for query in ({"a_cycle": mine.number}, {"b_cycle": theirs.number}):
        shown = page(**query)
        assert (shown.strip.at.a, shown.strip.at.b, shown.strip.at.kind) == (mine.number, theirs.number, PLACED_IN_ONE)
        assert [side.row for side in shown.sides] == [mine, theirs]


def test_free_cursors_stand_where_each_says(page):
    shown = page(a_cycle=1, b_cycle=2)
    assert [side.row.number for side in shown.sides] == [1, 2]


def test_an_attempt_that_only_one_run_has_says_what_became_of_the_pod_in_the_other(page, run):
    late = next(one for one in _pairs(page) if one.kind == ONLY_ONE and one.a)
    shown = page(a_cycle=late.a)
    there, missing = shown.sides
    assert there.row is not None
    assert missing.row is None
    assert missing.text.startswith(("B has no attempt", "B never tried"))
    assert shown.points is None


def _pairs(page):
    answer, pairs, seen = page().strip.answer, [], set()
    at = answer.first
    while at is not None and (at.a, at.b) not in seen:
        seen.add((at.a, at.b))
        pairs.append(at)
        at = page(**({"a_cycle": at.a} if at.a else {"b_cycle": at.b})).strip.answer.difference_after
    return pairs


def test_walking_along_the_differences_meets_each_once(page):
    pairs = _pairs(page)
    assert len(pairs) == page().strip.answer.n_differences > 0
    assert all(one.is_difference for one in pairs)


def test_a_cycle_that_is_not_there_has_no_sides(page):
    shown = page(a_cycle=99_999)
    assert shown.strip.at is None
    assert shown.sides is None
    assert shown.tiles is None


def test_figures_pods_and_divergence_are_answered(page):
    shown = page()
    assert shown.first.divergence is not None
    assert sum(shown.figures.answer.value.groups.values()) == shown.pod_list.answer.n_matching > 0
    assert {group.head.name for group in shown.figure_groups} >= {"Outcome", "Wait until bound", "cpu requested"}
