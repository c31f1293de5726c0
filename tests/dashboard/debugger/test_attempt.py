"""The attempt at the cursor, as the panes show it."""

from __future__ import annotations

import re

from tests.dashboard.debugger.page_text import text


def test_node_that_is_not_there_is_said_to_be_missing(look, run, cycle_of):
    page_text = text(look(run, cycle=cycle_of("small-0").number, node="nowhere"))
    assert "There is no node nowhere in this cycle" in page_text


def test_preemption_names_victim_and_criterion(look, run, cycle_of):
    cycle = cycle_of("big-0")
    page_text = text(look(run, cycle=cycle.number, tab="preemption"))
    assert "is nominated: 1 victim leaves" in page_text
    assert re.search(r"fill-[ab]", page_text)
    assert "Latest start of the highest victim" in page_text
