"""The page that sets nodes of one cycle against each other."""

from __future__ import annotations

import pytest

from dashboard.debugger.outcomes import summary_cache
from dashboard.debugger.why.node.address import rivals_url
from dashboard.runs.models import Cycle
from tests.dashboard.debugger.test_pages import text


@pytest.fixture(autouse=True)
def _fresh_summary():
    summary_cache.forget()


@pytest.fixture
def compare(look):
    """A function that opens the page of a run: compare(run, cycle=3, nodes="a,b")."""
    return lambda run, part="", **query: look(run, part=part, name="debugger:why_node", **query)


@pytest.fixture
def decided(plain_run):
    """The first cycle of the run that one node won by points."""
    return Cycle.objects.filter(run_id=plain_run.pk, margin__gt=0).order_by("number").first()


def test_without_nodes_the_winner_stands_beside_the_next(compare, plain_run, decided):
    words = text(compare(plain_run, cycle=decided.number))
    assert f"Why {decided.node} and not {decided.second_node}" in words
    assert f"The lead of {decided.margin}:" in words
    assert f"no, by {decided.margin}" in words
    assert "Any seed gives" in words


def test_leads_of_the_plugins_add_up_to_the_lead_of_the_totals(compare, plain_run, decided):
    page = compare(plain_run, cycle=decided.number).context["page"]
    found = page.comparison
    assert sum(line.lead for line in found.lines) == found.lead == decided.margin
    for i, rival in enumerate(found.rivals):
        assert sum(line.cells[i].points for line in found.lines) == rival.total


def test_a_tie_is_said_to_be_drawn_and_no_plugin_decides(compare, plain_run):
    cycle = Cycle.objects.filter(run_id=plain_run.pk, tie_count__gt=1).order_by("number").first()
    response = compare(plain_run, cycle=cycle.number)
    words = text(response)
    assert "Drawn, not decided" in words
    assert f"yes, 1 of {cycle.tie_count}" in words
    assert not any(line.is_key or line.lead for line in response.context["page"].comparison.lines)


def test_a_refused_node_shows_the_filter_that_refused_it(compare, run):
    cycle = Cycle.objects.get(run_id=run.pk, pod="default/small-0")
    response = compare(run, cycle=cycle.number, nodes=f"{cycle.node},taint-c")
    words = text(response)
    assert f"Why {cycle.node} and not taint-c" in words
    assert "taint-c was refused by TaintToleration: untolerated taint" in words
    assert "not scored" in words
    assert response.context["page"].comparison.lead is None


def test_nodes_of_a_cycle_that_found_none_are_compared_by_their_filters(compare, run):
    cycle = Cycle.objects.filter(run_id=run.pk, pod="default/never-0").latest("number")
    words = text(compare(run, cycle=cycle.number, nodes="full-a,taint-c"))
    assert "full-a beside taint-c" in words
    assert "No node passed all filters, so none was scored." in words


def test_a_node_that_the_cycle_did_not_have_is_a_clear_404(compare, plain_run, decided):
    response = compare(plain_run, cycle=decided.number, nodes="nowhere")
    assert response.status_code == 404
    assert "had no node nowhere" in text(response)


def test_the_form_without_scripts_leads_to_the_address_of_its_nodes(compare, plain_run, decided):
    response = compare(plain_run, cycle=decided.number, node1=decided.second_node, node2=decided.node)
    assert response.status_code == 302
    assert response["Location"].endswith(f"nodes={decided.second_node},{decided.node}")


def test_the_address_of_another_cycle_compares_its_own_nodes(compare, plain_run, decided):
    cursor = compare(plain_run, cycle=decided.number, nodes=decided.node).context["cursor"]
    assert "nodes" not in cursor.url(cycle=decided.number + 1)
    assert cursor.url(tab="matrix").startswith(f"/w/team/runs/{plain_run.number}/?")
    assert rivals_url("team", 1, 5, ["a", "b"]) == "/w/team/runs/1/why-node/?cycle=5&nodes=a,b"
