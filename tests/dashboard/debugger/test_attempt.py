"""The attempt at the cursor, as the panes show it."""

from __future__ import annotations

import re

import pytest
from django.template.loader import get_template

from dashboard.debugger.attempt import STATES, Refusals
from dashboard.runs.models import Cycle, Victim
from tests.dashboard.debugger.conftest import page_of
from tests.dashboard.debugger.page_text import text
from tests.dashboard.run_helpers import node, pod


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


def test_every_state_has_a_partial():
    for state in STATES:
        assert get_template(f"debugger/why/_{state}.html")


def test_states_of_the_scene(run, cycle_of):
    assert page_of(run, cycle=cycle_of("never-0").number).attempt.why_state == "refused"
    first = cycle_of("big-0")
    assert page_of(run, cycle=first.number).attempt.why_state == "refused"
    second = Cycle.objects.filter(run_id=run.pk, pod="default/big-0", attempt=2).get()
    assert page_of(run, cycle=second.number).attempt.why_state == "nominated"
    assert page_of(run, cycle=first.number, point="PreFilter").attempt.why_state == "open"


def test_states_of_scores(execute):
    run = execute([node("only"), pod("one")], slug="one", schedule="pending")
    assert page_of(run, cycle=1).attempt.why_state == "only"
    run = execute([node("a", "8"), node("b", "64"), pod("one", "2")], slug="two", schedule="pending")
    assert page_of(run, cycle=1).attempt.why_state == "decided"
    run = execute([node("a"), node("b"), pod("one")], slug="equal", schedule="pending")
    assert page_of(run, cycle=1).attempt.why_state == "drawn"


def test_a_pod_that_prefilter_rejects_says_which_plugin(execute, look):
    claim = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "nowhere"}}]}
    run = execute([node("a"), pod("one", **claim)], slug="claim", schedule="pending")
    assert page_of(run, cycle=1).attempt.why_state == "rejected"
    html = look(run, cycle=1, tab="why").content.decode()
    plugin = page_of(run, cycle=1).attempt.rejected.plugin
    assert plugin == "VolumeRestrictions"
    sentences = ("Refused before any node was looked at.", f"<b>{plugin}</b> ended the cycle in PreFilter")
    assert [one for one in sentences if one not in html] == []


def test_refusals_of_the_scene(run, cycle_of):
    page = page_of(run, cycle=cycle_of("never-0").number)
    assert page.attempt.refusals == Refusals(n_nodes=3, n_refused=3, feasible=0, unvisited=0)
