"""What the panel of a cycle says of it."""

from __future__ import annotations

import re

from tests.dashboard.debugger.page_text import text


def test_unschedulable_cycle_says_why(look, run, cycle_of):
    page_text = text(look(run, cycle=cycle_of("never-0").number, tab="why"))
    assert "2 nodes are too small: cpu; TaintToleration refuses the other 1." in page_text
    assert "0/3 nodes are available" in page_text
    assert "Insufficient cpu" in page_text
    assert re.search(r"Too small: cpu full-a, full-b 4 in all, asks 64", page_text)
    assert "What wakes it" in page_text
