"""Figures of both sides: their change, and whether it is for the better."""

from __future__ import annotations

import pytest

from dashboard.answers.answering.comparing.sides import FiguresAnswer
from dashboard.compare.figures import figure_groups
from scheduler_core.compare import ResourceDifference, ResourceUse, SideTotals
from scheduler_core.compare.pods import WaitTotals

A = SideTotals(
    63, 34, {"pending": 2, "gated": 1, "preempted": 4, "bound": 28}, WaitTotals(32, 5_000, 94_000_000, 219_500_000)
)
B = SideTotals(58, 34, {"pending": 1, "lost": 1, "bound": 32}, WaitTotals(33, 500_000, 94_000_000, -1))
USE = ResourceDifference("cpu", ResourceUse(0.818, 0.159, 0.8, None), ResourceUse(0.841, 0.162, 0.8, 0.1))


@pytest.fixture
def lines():
    answer = FiguresAnswer(reached=1, total=1, n_pods=34, groups={}, totals=(A, B), resources=(USE,))
    return {line.name: line for group in figure_groups(answer) for line in (group.head, *group.lines)}


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
    answer = FiguresAnswer(reached=1, total=1, totals=(A, B), resources=(USE,))
    assert figure_groups(answer)[-1].dots == pytest.approx((81.8, 84.1))


def test_an_answer_that_is_not_complete_has_no_figures():
    assert figure_groups(FiguresAnswer(reached=1, total=9)) == []


def test_kinds_of_ends_that_neither_run_has_are_left_out_but_for_two():
    def names(a, b):
        totals = tuple(SideTotals(1, 1, outcomes, WaitTotals(0, -1, -1, -1)) for outcomes in (a, b))
        groups = figure_groups(FiguresAnswer(reached=1, total=1, totals=totals))
        return [line.name for line in groups[0].lines]

    always = ["Pods", "Pending at the end", "Preempted", "Without a node", "Bindings", "Cycles"]
    assert names({}, {}) == always
    others = set(names({"bound": 1}, {"lost": 1})) - set(always)
    assert others == {"Bound", "Lost with their node"}


def test_no_time_at_all_is_a_wait_too():
    totals = tuple(SideTotals(1, 1, {}, WaitTotals(1, 0, 0, longest)) for longest in (0, 5_000))
    waits = figure_groups(FiguresAnswer(reached=1, total=1, totals=totals))[1].lines
    assert [(line.name, line.a, line.delta) for line in waits if line.a != "none"] == [
        ("Median", waits[0].b, "0"),
        ("95 %", waits[1].b, "0"),
        ("Longest", waits[0].a, "+5 ms"),
    ]
