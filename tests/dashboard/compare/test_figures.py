"""Figures of both sides: their change, and whether it is for the better."""

from __future__ import annotations

import pytest

from dashboard.answers.answering.comparing.sides import FiguresAnswer
from dashboard.compare.figures import figure_lines
from scheduler_core.compare import ResourceDifference, ResourceUse, SideTotals, figure_groups
from scheduler_core.compare.pods import AllWaits, PodsApart, Wait, WaitTotals

A = SideTotals(
    63, 34, {"pending": 2, "gated": 1, "preempted": 4, "bound": 28}, WaitTotals(32, 5_000, 94_000_000, 219_500_000)
)
B = SideTotals(58, 34, {"pending": 1, "lost": 1, "bound": 32}, WaitTotals(33, 500_000, 94_000_000, -1))
USE = ResourceDifference("cpu", ResourceUse(0.818, 0.159, 0.8, None), ResourceUse(0.841, 0.162, 0.8, 0.1))


NOT_APART = PodsApart()


def groups_of(a, b, *resources, apart=NOT_APART):
    """Return the groups of lines of an answer about two sides."""
    figures = figure_groups((a, b), resources, apart)
    return figure_lines(FiguresAnswer(reached=1, total=1, totals=(a, b), figures=figures))


@pytest.fixture
def lines():
    # Two groups have lines of the same names: those of bound pods come first.
    groups = groups_of(A, B, USE)
    return {line.name: line for group in reversed(groups) for line in (group.head, *group.lines)}


@pytest.mark.parametrize(
    ("name", "a", "b", "delta", "look"),
    [
        ("Pending at the end", "2", "1", "\N{MINUS SIGN}1", "up"),
        ("Preempted", "4", "0", "\N{MINUS SIGN}4", "up"),
        ("Lost with their node", "0", "1", "+1", "dn"),
        ("Bound", "28", "32", "+4", ""),
        ("Cycles", "63", "58", "\N{MINUS SIGN}5", ""),
        ("Pods", "34", "34", "0", "zero"),
        ("Median", "5 ms", "500 ms", "+495 ms", "dn"),
        ("95 %", "1 min 34 s", "1 min 34 s", "0", "zero"),
        ("Longest", "3 min 40 s", "none", "", "zero"),
        ("Without a node", "3", "1", "\N{MINUS SIGN}2", "up"),
        ("Bindings", "32", "33", "+1", ""),
        ("cpu requested", "81.8 %", "84.1 %", "+2.3", ""),
        ("Balance", "15.9 %", "16.2 %", "+0.3", "dn"),
        ("Packing", "80.0 %", "80.0 %", "0", "zero"),
        ("Fragmentation", "none", "10.0 %", "", "zero"),
    ],
)
def test_a_figure_with_its_change(lines, name, a, b, delta, look):
    line = lines[name]
    assert (line.a, line.b, line.delta, line.look) == (a, b, delta, look)


def test_shares_of_both_are_drawn_on_one_scale():
    assert groups_of(A, B, USE)[-1].dots == pytest.approx((81.8, 84.1))


def test_an_answer_that_is_not_complete_has_no_figures():
    assert figure_lines(FiguresAnswer(reached=1, total=9)) == []


def test_kinds_of_ends_that_neither_run_has_are_left_out_but_for_two():
    def names(a, b):
        totals = (SideTotals(1, 1, outcomes, WaitTotals(0, -1, -1, -1)) for outcomes in (a, b))
        return [line.name for line in groups_of(*totals)[0].lines]

    always = ["Pods", "Pending at the end", "Preempted", "Without a node", "Bindings", "Cycles"]
    assert names({}, {}) == always
    others = set(names({"bound": 1}, {"lost": 1})) - set(always)
    assert others == {"Bound", "Lost with their node"}


def test_no_time_at_all_is_a_wait_too():
    totals = (SideTotals(1, 1, {}, WaitTotals(1, 0, 0, longest)) for longest in (0, 5_000))
    waits = groups_of(*totals)[1].lines
    assert [(line.name, line.a, line.delta) for line in waits if line.a != "none"] == [
        ("Median", waits[0].b, "0"),
        ("95 %", waits[1].b, "0"),
        ("Longest", waits[0].a, "+5 ms"),
    ]


def test_what_cannot_be_compared_has_no_colour_and_a_reason():
    groups = groups_of(A, B, USE, apart=PodsApart((0, 2), (0, 2)))
    waits, shares = groups[1], groups[-1]
    assert {line.look for line in (*waits.lines, *shares.lines)} == {"zero"}
    assert waits.note
    assert shares.note
    assert not groups[0].note


def test_a_wait_that_goes_on_is_marked_and_its_change_is_a_direction():
    waits = [AllWaits(n, *[Wait(micros, goes_on=n > 0)] * 3) for n, micros in ((2, 219_500_000), (0, 94_000_000))]
    sides = [SideTotals(1, 1, {}, WaitTotals(), one) for one in waits]
    better, worse = ({line.name: line for line in groups_of(*pair)[2].lines} for pair in (sides, sides[::-1]))
    assert (better["Median"].a, better["Median"].b) == (worse["Median"].b, worse["Median"].a)
    assert better["Median"].a.startswith("> ")
    assert [(side["Longest"].delta, side["Longest"].look) for side in (better, worse)] == [
        ("shorter", "up"),
        ("longer", "dn"),
    ]
    both = groups_of(sides[0], sides[0])[2]
    assert ({line.look for line in both.lines}, bool(both.note)) == ({"zero"}, True)
