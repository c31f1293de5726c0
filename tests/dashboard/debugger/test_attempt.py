"""The attempt at the cursor, as the panes show it."""

from __future__ import annotations

import re

import pytest

from dashboard.runs.models import Victim
from tests.dashboard.debugger.page_text import text


def test_node_that_is_not_there_is_said_to_be_missing(look, run, cycle_of):
    response = look(run, cycle=cycle_of("small-0").number, node="nowhere")
    cell = response.context["page"].attempt.chosen_cell
    assert (cell.kind, cell.node) == ("missing", "nowhere")
    assert "no node nowhere" in text(response)


def test_preemption_names_victim_and_criterion(look, run, cycle_of):
    cycle = cycle_of("big-0")
    response = look(run, cycle=cycle.number, tab="preemption")
    chosen = response.context["page"].attempt.preemption.chosen
    victim = Victim.objects.get(cycle=cycle.number, reprieved=False)
    assert (chosen.count, chosen.node) == (1, victim.node)
    page_text = text(response)
    assert f"{chosen.node} is nominated" in page_text
    assert re.search(r"fill-[ab]", page_text)
    assert 'id="pre-criteria"' in response.content.decode()


@pytest.mark.parametrize(
    ("pod", "query", "sentence"),
    [
        ("small-0", {"node": "nowhere"}, "There is no node nowhere in this cycle"),
        ("big-0", {"tab": "preemption"}, "is nominated: 1 victim leaves"),
        ("big-0", {"tab": "preemption"}, "Latest start of the highest victim"),
    ],
)
def test_words(look, run, cycle_of, pod, query, sentence):
    assert sentence in text(look(run, cycle=cycle_of(pod).number, **query))
