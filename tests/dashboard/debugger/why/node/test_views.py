"""The page that sets nodes of one cycle against each other."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from django.urls import reverse

from dashboard.answers import asking
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import WaitsFor
from dashboard.answers.registry import KINDS
from dashboard.debugger.outcomes import summary_cache
from dashboard.debugger.why.node.address import rivals_url
from dashboard.runs.models import Cycle
from scheduler_core.cli.answers.why import run as why
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.debugger.page_text import text
from tests.patience import PATIENCE


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
    page_text = text(compare(plain_run, cycle=decided.number))
    assert f"Why {decided.node} and not {decided.second_node}" in page_text
    assert f"The lead of {decided.margin}:" in page_text
    assert f"no, by {decided.margin}" in page_text
    assert "Any seed gives" in page_text


def test_leads_of_the_plugins_add_up_to_the_lead_of_the_totals(compare, plain_run, decided):
    comparison = compare(plain_run, cycle=decided.number).context["rivals"].comparison
    assert sum(line.lead for line in comparison.lines) == comparison.lead == decided.margin
    for i, rival in enumerate(comparison.rivals):
        assert sum(line.cells[i].points for line in comparison.lines) == rival.total


def test_a_tie_is_said_to_be_drawn_and_no_plugin_decides(compare, plain_run):
    cycle = Cycle.objects.filter(run_id=plain_run.pk, tie_count__gt=1).order_by("number").first()
    response = compare(plain_run, cycle=cycle.number)
    page_text = text(response)
    assert "Drawn, not decided" in page_text
    assert f"yes, 1 of {cycle.tie_count}" in page_text
    assert not any(line.is_key or line.lead for line in response.context["rivals"].comparison.lines)


def test_a_refused_node_shows_the_filter_that_refused_it(compare, run):
    cycle = Cycle.objects.get(run_id=run.pk, pod="default/small-0")
    response = compare(run, cycle=cycle.number, nodes=f"{cycle.node},taint-c")
    page_text = text(response)
    assert f"Why {cycle.node} and not taint-c" in page_text
    assert "taint-c was refused by TaintToleration: untolerated taint" in page_text
    assert "not scored" in page_text
    assert response.context["rivals"].comparison.lead is None


def test_nodes_of_a_cycle_that_found_none_are_compared_by_their_filters(compare, run):
    cycle = Cycle.objects.filter(run_id=run.pk, pod="default/never-0").latest("number")
    page_text = text(compare(run, cycle=cycle.number, nodes="full-a,taint-c"))
    assert "full-a beside taint-c" in page_text
    assert "No node passed all filters, so none was scored." in page_text


def test_a_node_that_the_cycle_did_not_have_is_said_to_be_absent(compare, part, plain_run, decided):
    response = compare(plain_run, cycle=decided.number, nodes=f"{decided.node},nowhere")
    assert response.status_code == 200
    assert "the cycle had no such node" in text(response)
    answer = part(plain_run, "why-node", cycle=decided.number, nodes=f"{decided.node},nowhere")
    assert "the run has no node of this name" in text(answer)


@pytest.fixture
def part(viewer):
    """A function that opens a part that asks an answer worker: part(run, "request-ranges", cycle=3)."""

    def part(run, name, client=viewer, **query):
        return client.get(reverse("debugger:why_node_answer", args=["team", run.number, name]), query)

    return part


def test_the_page_asks_for_its_parts_when_it_rests_and_does_not_ask_a_worker_itself(compare, decided, plain_run, waits):
    response = compare(plain_run, cycle=decided.number)
    html = response.content.decode()
    assert re.findall(r"/why-node/answers/([a-z-]+)/", html) == ["why-node", "request-ranges"]
    assert "The inputs of the scores are being asked for." in text(response)
    assert waits == []


@pytest.fixture
def waits(monkeypatch):
    """The questions that were asked, of a worker that is not there."""
    asked = []

    def ask(question):
        asked.append(question)
        return AskResult(waits_for=WaitsFor.WORKER)

    monkeypatch.setattr(asking, "_transport", lambda: ask)
    return asked


@pytest.mark.parametrize("name", ["why-node", "request-ranges"])
def test_a_part_without_an_answer_shows_what_was_recorded_and_says_what_it_waits_for(
    part, plain_run, decided, waits, name
):
    page_text = text(part(plain_run, name, cycle=decided.number))
    assert "Waiting for an answer worker" in page_text
    assert ("Total of" in page_text) == (name == "why-node")
    assert len(waits) == 1


def test_each_score_has_the_inputs_of_its_formula(part, plain_run, decided):
    response = part(plain_run, "why-node", cycle=decided.number)
    page_text = text(response)
    assert "requested with the pod" in page_text
    assert "All inputs in words" in page_text
    comparison = response.context["rivals"].comparison
    assert all(cell.inputs is not None for line in comparison.lines for cell in line.cells)
    assert comparison.lead == decided.margin
    assert 'id="stand-1"' in response.content.decode()


def test_a_refused_node_gets_what_it_would_have_had_in_grey(part, run):
    cycle = Cycle.objects.get(run_id=run.pk, pod="default/small-0")
    response = part(run, "why-node", cycle=cycle.number, nodes=f"{cycle.node},taint-c")
    refused = response.context["rivals"].rivals[1]
    assert refused.is_computed
    assert refused.total == refused.answer.total
    page_text = text(response)
    assert "no toleration for the taint gpu=yes:NoSchedule" in page_text
    assert "would have had" in page_text
    assert "computed now" in page_text


def test_nodes_of_a_cycle_that_found_none_have_points_too(part, run):
    cycle = Cycle.objects.filter(run_id=run.pk, pod="default/never-0").latest("number")
    response = part(run, "why-node", cycle=cycle.number, nodes="full-a,taint-c")
    assert [row.is_computed for row in response.context["rivals"].rivals] == [True, True]
    assert response.context["rivals"].comparison.lines
    assert "had all compared nodes been let through" in text(response)
    assert part(run, "request-ranges", cycle=cycle.number).status_code == 404


@pytest.mark.slow
def test_requests_have_a_range_and_are_tried_from_the_address(compare, part, run, waits, monkeypatch):
    cycle = Cycle.objects.get(run_id=run.pk, pod="default/small-0")
    html = compare(run, cycle=cycle.number, requests="cpu:4").content.decode()
    assert re.findall(r"/why-node/answers/([a-z-]+)/", html) == ["why-node", "request-ranges", "request-trial"]
    monkeypatch.undo()
    page_text = text(part(run, "request-ranges", cycle=cycle.number))
    assert "amounts tried by the engine" in page_text
    tried = text(part(run, "request-trial", cycle=cycle.number, requests="cpu:4"))
    assert "No node fits. 0/3 nodes are available" in tried
    assert "with 4 cpu" in tried
    stays = text(part(run, "request-trial", cycle=cycle.number, **{"ask.cpu": "0.2", "weights": "NodeResourcesFit:5"}))
    assert f"{cycle.node} stays" in stays
    assert "NodeResourcesFit at weight 5" in stays
    assert "Move a request" in text(part(run, "request-trial", cycle=cycle.number))


def test_the_form_of_requests_without_scripts_leads_to_their_address(compare, plain_run, decided):
    response = compare(plain_run, cycle=decided.number, weights="NodeResourcesFit:3", **{"ask.cpu": "0.25"})
    assert response.status_code == 302
    assert response["Location"].endswith("&weights=NodeResourcesFit:3&requests=cpu:250m")


def test_moved_weights_stand_in_the_address_and_on_their_sliders(compare, plain_run, decided):
    response = compare(plain_run, cycle=decided.number, weights="NodeResourcesFit:7")
    line = next(one for one in response.context["rivals"].comparison.lines if one.plugin == "NodeResourcesFit")
    assert (line.tried, line.weight) == (7, 1)
    assert 'value="7"' in response.content.decode()
    assert "weights" not in response.context["cursor"].url(cycle=decided.number + 1)


@pytest.mark.parametrize(
    "query",
    [
        {"weights": "NodeResourcesFit:-1"},
        {"weights": "NodeResourcesFit:101"},
        {"weights": "NodeResourcesFit"},
        {"requests": "cpu:much"},
        {"requests": "cpu:-1"},
        {"requests": ",".join(f"a{i}:1" for i in range(60))},
    ],
)
def test_an_address_that_cannot_be_read_is_a_clear_400(compare, plain_run, decided, query):
    assert compare(plain_run, cycle=decided.number, **query).status_code == 400


def test_parts_are_for_members_and_have_names(part, plain_run, decided, stranger):
    assert part(plain_run, "why-node", client=stranger, cycle=decided.number).status_code == 404
    assert part(plain_run, "horoscope", cycle=decided.number).status_code == 404


def test_the_form_without_scripts_leads_to_the_address_of_its_nodes(compare, plain_run, decided):
    response = compare(plain_run, cycle=decided.number, node1=decided.second_node, node2=decided.node)
    assert response.status_code == 302
    assert response["Location"].endswith(f"nodes={decided.second_node},{decided.node}")


def test_the_address_of_another_cycle_compares_its_own_nodes(compare, plain_run, decided):
    cursor = compare(plain_run, cycle=decided.number, nodes=decided.node).context["cursor"]
    assert "nodes" not in cursor.url(cycle=decided.number + 1)
    assert cursor.url(tab="matrix").startswith(f"/w/team/runs/{plain_run.number}/?")
    assert rivals_url("team", 1, 5, ["a", "b"]) == "/w/team/runs/1/why-node/?cycle=5&nodes=a,b"


def printed(run, pod, nodes, path, capsys):
    """What the command line says of nodes beside each other: its lines, without names that stand in front of them."""
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": scene()}))
    named = [word for name in nodes for word in ("--node", name)]
    assert why([str(path), "--pod", f"default/{pod}", "--seed", str(run.seed), "--attempt", "1", *named]) == 0
    parts = capsys.readouterr().out.split("\n\n")
    head, *lines = next(part for part in parts if ", cycle " in part.partition("\n")[0]).splitlines()
    # "name: words" of a node, a weight or a request; points are a table on the page.
    said = [line.strip() if line.startswith(" ") else line.partition(": ")[2] for line in lines if "->" not in line]
    return [head.partition(", cycle ")[0], *said]


@pytest.mark.slow
@pytest.mark.parametrize(("pod", "nodes"), [("small-0", ["full-a", "taint-c"]), ("small-1", ["full-b", "full-a"])])
def test_the_command_line_says_the_same_as_the_page(part, compare, run, tmp_path, capsys, monkeypatch, pod, nodes):
    # How far either comes in its time is another matter; here both try all.
    monkeypatch.setattr("scheduler_core.cli.answers.why._SECONDS_FOR_REQUESTS", PATIENCE)
    monkeypatch.setattr("dashboard.answers.answering.trials.TRYING_SECONDS", PATIENCE)
    monkeypatch.setitem(KINDS, "request-ranges", replace(KINDS["request-ranges"], seconds=PATIENCE))
    lines = printed(run, pod, nodes, tmp_path / "cluster.json", capsys)
    query = {
        "cycle": Cycle.objects.get(run_id=run.pk, pod=f"default/{pod}", attempt=1).number,
        "nodes": ",".join(nodes),
    }
    parts = (compare(run, **query), part(run, "why-node", **query), part(run, "request-ranges", **query))
    page = " ".join(text(response) for response in parts)
    assert len(lines) > 8
    assert [line for line in lines if line not in page] == []
