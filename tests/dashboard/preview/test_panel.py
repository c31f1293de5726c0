"""The panel of what would change: progress, groups, pages and limits in words."""

from __future__ import annotations

from dashboard.answers.answering.comparing.what_changes import RunFigures, WhatChanges
from dashboard.answers.outcomes import Answer, Failed
from dashboard.preview.panel import GROUP_LABELS, MOST_TURNS, ROWS, PreviewPanel
from scheduler_core.compare import PodDifference, PodEnd
from scheduler_core.compare.pods import GROUPS, MOVED, PLACED_A


def panel(outcome, start=0, turn=0):
    return PreviewPanel(outcome, subject="Prod r1", before="the defaults", group="", start=start, turn=turn)


def answered(**fields):
    return Answer(WhatChanges(**{"cycles": (7, 7), "is_complete": True, **fields}), 0.1)


def end(node, outcome="bound"):
    return PodEnd(outcome, node, 0, "", 1, 1)


def test_every_group_of_a_comparison_has_words():
    assert set(GROUP_LABELS) == set(GROUPS)


def test_progress_says_how_far_each_run_is_and_asks_for_the_next_turn():
    first = panel(answered(cycles=(1200, 0), is_complete=False), turn=2)
    assert (first.state, first.progress_text) == ("waiting", "Run with the defaults: 1,200 cycles so far")
    assert first.again == "group=&start=0&turn=3"
    both = panel(answered(cycles=(1200, 5), is_complete=False))
    assert both.progress_text.endswith("1,200 cycles. With this text: 5 cycles so far")


def test_runs_that_take_too_long_are_given_up():
    late = panel(answered(cycles=(900, 0), is_complete=False), turn=MOST_TURNS)
    assert late.state == "failed"
    assert late.progress_text.startswith("Run with the defaults: 900 cycles. Given up after 600 turns")


def test_a_failure_is_said():
    failed = panel(Failed("no plugin.."))
    assert (failed.state, failed.progress_text, failed.rows) == ("failed", "No plugin..", [])


def test_rows_say_both_ends_and_what_the_scheduler_said():
    differences = (
        PodDifference("default/x", "", 0, MOVED, ("node",), end("a"), end("b")),
        PodDifference("default/y", "", 0, PLACED_A, ("node", "outcome"), end("a"), end("", "pending")),
    )
    groups = {PLACED_A: 1, MOVED: 1}
    shown = panel(answered(pods=differences, messages=("", "0/1 nodes"), groups=groups, n_matching=2))
    assert [(row.before, row.after, row.message) for row in shown.rows] == [
        ("a", "b", ""),
        ("a", "pending", "0/1 nodes"),
    ]
    assert (shown.n_different, [chip.label for chip in shown.chips]) == (2, ["newly pending", "on another node"])
    assert (shown.span, shown.previous, shown.next) == ("1 to 2 of 2", None, None)


def test_pages_lead_to_those_before_and_behind():
    shown = panel(answered(n_matching=3 * ROWS), start=ROWS)
    assert (shown.previous, shown.next) == (0, 2 * ROWS)


def test_a_limit_is_said_of_each_run():
    ended = ("the limit of 20,000 cycles is reached", "nothing waits")
    assert panel(answered(ended=ended)).limits == []
    assert panel(answered(is_partial=True, ended=ended)).limits[0] == f"with the defaults: {ended[0]}"


def test_figures_of_both_runs_say_where_they_differ():
    both = (RunFigures(3, 0, 4, 1), RunFigures(1, 0, 5, 0))
    shown = panel(answered(figures=both, groups={MOVED: 6})).figures
    assert [(one.before, one.after, one.differs) for one in shown] == [
        (3, 1, True),
        (0, 0, False),
        (4, 5, True),
        (1, 0, True),
        (None, 6, False),
    ]
    assert panel(answered()).figures == []
