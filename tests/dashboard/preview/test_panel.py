"""The panel before there is a result: progress, what is given up, failures."""

from __future__ import annotations

from dashboard.answers.answering.comparing.what_changes import WhatChanges
from dashboard.answers.outcomes import Answer, Failed
from dashboard.preview.panel import MOST_TURNS, ProgressPanel


def panel(outcome, turn=0):
    return ProgressPanel(outcome, before="the defaults", turn=turn)


def so_far(*cycles):
    return Answer(WhatChanges(cycles=cycles), 0.1)


def test_progress_says_how_far_each_run_is_and_asks_for_the_next_turn():
    first = panel(so_far(1200, 0), turn=2)
    assert (first.state, first.progress_text) == ("waiting", "Run with the defaults: 1,200 cycles so far")
    assert first.again == "turn=3"
    assert panel(so_far(1200, 5)).progress_text.endswith("1,200 cycles. With this text: 5 cycles so far")


def test_runs_that_take_too_long_are_given_up():
    late = panel(so_far(900, 0), turn=MOST_TURNS)
    assert late.state == "failed"
    assert late.progress_text.startswith("Run with the defaults: 900 cycles. Given up after 600 turns")


def test_a_failure_is_said():
    failed = panel(Failed("no plugin.."))
    assert (failed.state, failed.progress_text) == ("failed", "No plugin..")
