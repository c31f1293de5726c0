"""What the panel of a cycle says of it."""

from __future__ import annotations

import re

from tests.dashboard.debugger.page_text import text


def test_unschedulable_cycle_says_why(look, run, cycle_of):
    words = text(look(run, cycle=cycle_of("never-0").number, tab="why"))
    assert "2 nodes are too small: cpu; TaintToleration refuses the other 1." in words
    assert "0/3 nodes are available" in words
    assert "Insufficient cpu" in words
    assert re.search(r"Too small: cpu full-a, full-b 4 in all, asks 64", words)
    assert "What wakes it" in words
