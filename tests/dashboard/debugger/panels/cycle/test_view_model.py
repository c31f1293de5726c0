"""What the panel of a cycle says of it."""

from __future__ import annotations

from tests.dashboard.debugger.page_text import text


def test_unschedulable_cycle_says_why(look, run, cycle_of):
    page_text = text(look(run, cycle=cycle_of("never-0").number, tab="why"))
    assert "0 of 3 nodes passed all filters" in page_text
    assert "0/3 nodes are available" in page_text
    assert "Insufficient cpu" in page_text
    assert "What wakes it" in page_text
