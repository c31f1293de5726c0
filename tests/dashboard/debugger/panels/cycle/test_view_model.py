"""What the panel of a cycle says of it."""

from __future__ import annotations

from tests.dashboard.debugger.page_text import text


def test_unschedulable_cycle_says_why(look, run, cycle_of):
    response = look(run, cycle=cycle_of("never-0").number, tab="why")
    cycle = response.context["page"].attempt.cycle
    page_text = text(response)
    assert (cycle.row.outcome, cycle.winner) == ("unschedulable", "")
    assert cycle.finished.message in page_text
    assert "0 of 3 nodes" in page_text
    assert "What wakes it" in page_text
