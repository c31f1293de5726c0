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
from tests.dashboard.debugger.page_text import text, text_of
from tests.patience import PATIENCE


def part_of(response, heading):
    """Return the words of the section that has this heading."""
    start = response.content.decode().index(f'id="{heading}"')
    return text_of(response.content.decode()[start:].partition("</section>")[0])


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
    response = compare(plain_run, cycle=decided.number)
    comparison = response.context["rivals"].comparison
    assert [rival.node for rival in comparison.rivals] == [decided.node, decided.second_node]
    assert (comparison.rivals[0].meaning, comparison.is_tie) == ("win", False)
    luck = part_of(response, "luck")
    assert f"by {decided.margin}" in luck
    assert decided.node in luck


def test_leads_of_the_plugins_add_up_to_the_lead_of_the_totals(compare, plain_run, decided):
    comparison = compare(plain_run, cycle=decided.number).context["rivals"].comparison
    assert sum(line.lead for line in comparison.lines) == comparison.lead == decided.margin
    for i, rival in enumerate(comparison.rivals):
        assert sum(line.cells[i].points for line in comparison.lines) == rival.total


def test_a_tie_is_said_to_be_drawn_and_no_plugin_decides(compare, plain_run):
    cycle = Cycle.objects.filter(run_id=plain_run.pk, tie_count__gt=1).order_by("number").first()
    response = compare(plain_run, cycle=cycle.number)
    assert response.context["rivals"].comparison.is_tie
    assert f"1 of {cycle.tie_count}" in part_of(response, "luck")
    assert not any(line.is_key or line.lead for line in response.context["rivals"].comparison.lines)


def test_a_refused_node_shows_the_filter_that_refused_it(compare, run):
    cycle = Cycle.objects.get(run_id=run.pk, pod="default/small-0")
    response = compare(run, cycle=cycle.number, nodes=f"{cycle.node},taint-c")
    comparison = response.context["rivals"].comparison
    refused = comparison.rivals[1]
    assert (refused.node, refused.verdict.plugin, refused.total) == ("taint-c", "TaintToleration", None)
    assert refused.verdict.plugin in text(response)
    assert comparison.lead is None


def test_nodes_of_a_cycle_that_found_none_are_compared_by_their_filters(compare, run):
    cycle = Cycle.objects.filter(run_id=run.pk, pod="default/never-0").latest("number")
    response = compare(run, cycle=cycle.number, nodes="full-a,taint-c")
    comparison = response.context["rivals"].comparison
    verdicts = [(one.node, one.verdict.plugin) for one in comparison.rivals]
    assert verdicts == [("full-a", "NodeResourcesFit"), ("taint-c", "TaintToleration")]
    assert comparison.lines == []
    assert response.context["rivals"].weights is None


def test_a_node_that_the_cycle_did_not_have_is_said_to_be_absent(compare, part, plain_run, decided):
    response = compare(plain_run, cycle=decided.number, nodes=f"{decided.node},nowhere")
    assert response.status_code == 200
    absent = response.context["rivals"].rivals[1]
    assert (absent.node, absent.meaning, absent.verdict.asked, absent.total) == ("nowhere", "none", 0, None)
    assert absent.sub in text(response)
    answer = part(plain_run, "why-node", cycle=decided.number, nodes=f"{decided.node},nowhere")
    absent = answer.context["rivals"].rivals[1]
    assert absent.answer.absent
    assert absent.note in text(answer)


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
    assert not response.context["rivals"].comparison.has_answer
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
    response = part(plain_run, name, cycle=decided.number)
    panel = response.context["panel"]
    assert panel.is_waiting
    assert panel.text in text(response)
    assert ("data-total=" in response.content.decode()) == (name == "why-node")
    assert len(waits) == 1


def test_each_score_has_the_inputs_of_its_formula(part, plain_run, decided):
    response = part(plain_run, "why-node", cycle=decided.number)
    comparison = response.context["rivals"].comparison
    inputs = [cell.inputs for line in comparison.lines for cell in line.cells]
    assert None not in inputs
    page_text = text(response)
    assert [said for one in inputs for said in one.texts if said not in page_text] == []
    assert comparison.lead == decided.margin
    assert 'id="stand-1"' in response.content.decode()


def test_a_refused_node_gets_what_it_would_have_had_in_grey(part, run):
    cycle = Cycle.objects.get(run_id=run.pk, pod="default/small-0")
    response = part(run, "why-node", cycle=cycle.number, nodes=f"{cycle.node},taint-c")
    refused = response.context["rivals"].rivals[1]
    assert refused.is_computed
    assert refused.total == refused.answer.total
    [(plugin, reason)] = refused.verdict.refusals
    assert (plugin, "gpu=yes:NoSchedule" in reason) == ("TaintToleration", True)
    page_text = text(response)
    assert reason in page_text
    assert refused.note in page_text
    assert 'class="is-would"' in response.content.decode()


def test_nodes_of_a_cycle_that_found_none_have_points_too(part, run):
    cycle = Cycle.objects.filter(run_id=run.pk, pod="default/never-0").latest("number")
    response = part(run, "why-node", cycle=cycle.number, nodes="full-a,taint-c")
    assert [row.is_computed for row in response.context["rivals"].rivals] == [True, True]
    assert response.context["rivals"].comparison.lines
    assert all(row.note in text(response) for row in response.context["rivals"].rivals)
    assert part(run, "request-ranges", cycle=cycle.number).status_code == 404


@pytest.mark.slow
def test_requests_have_a_range_and_are_tried_from_the_address(compare, part, run, waits, monkeypatch):
    cycle = Cycle.objects.get(run_id=run.pk, pod="default/small-0")
    html = compare(run, cycle=cycle.number, requests="cpu:4").content.decode()
    assert re.findall(r"/why-node/answers/([a-z-]+)/", html) == ["why-node", "request-ranges", "request-trial"]
    monkeypatch.undo()
    ranges = part(run, "request-ranges", cycle=cycle.number)
    assert ranges.context["rivals"].asked.ranges.shown.n_tried > 0
    assert 'data-request="cpu"' in ranges.content.decode()

    def tried(**query):
        response = part(run, "request-trial", cycle=cycle.number, **query)
        return response.context["rivals"].asked.trial.shown, text(response)

    trial, page_text = tried(requests="cpu:4")
    assert not trial.stays
    assert trial.text in page_text
    assert "4 cpu" in page_text
    trial, page_text = tried(**{"ask.cpu": "0.2", "weights": "NodeResourcesFit:5"})
    assert trial.stays
    assert f"{cycle.node} stays" in page_text
    assert trial.asked in page_text
    assert tried()[0] is None


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


@pytest.mark.parametrize(
    ("pod", "nodes", "sentences"),
    [
        (
            "small-0",
            "full-a,taint-c",
            [
                "Why full-a and not taint-c",
                "taint-c was refused by TaintToleration: untolerated taint",
            ],
        ),
        ("never-0", "full-a,taint-c", ["full-a beside taint-c", "No node passed all filters, so none was scored."]),
        ("small-0", "full-a,nowhere", ["the cycle had no such node", "The inputs of the scores are being computed."]),
    ],
)
def test_words(compare, cycle_of, run, pod, nodes, sentences):
    page_text = text(compare(run, cycle=cycle_of(pod).number, nodes=nodes))
    assert [one for one in sentences if one not in page_text] == []


@pytest.mark.parametrize(
    ("pod", "nodes", "sentences"),
    [
        ("small-0", "full-a,taint-c", ["no toleration for the taint gpu=yes:NoSchedule", "All inputs in words"]),
        ("small-0", "full-a,nowhere", ["the run has no node of this name"]),
        ("never-0", "full-a,taint-c", ["had all compared nodes been let through"]),
    ],
)
def test_words_of_the_answer(part, cycle_of, run, pod, nodes, sentences):
    page_text = text(part(run, "why-node", cycle=cycle_of(pod).number, nodes=nodes))
    assert [one for one in sentences if one not in page_text] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "query", "sentence"),
    [
        ("request-ranges", {}, "amounts tried by the engine"),
        ("request-trial", {}, "Move a request: the engine then decides again on the state that the cycle found."),
        ("request-trial", {"requests": "cpu:4"}, "No node fits. 0/3 nodes are available"),
    ],
)
def test_words_of_requests(part, cycle_of, run, name, query, sentence):
    assert sentence in text(part(run, name, cycle=cycle_of("small-0").number, **query))


def test_words_of_a_decision(compare, plain_run, decided):
    page_text = text(compare(plain_run, cycle=decided.number))
    sentences = [
        f"Why {decided.node} and not {decided.second_node}",
        f"The lead of {decided.margin}:",
        f"Any seed gives {decided.node}.",
    ]
    assert [one for one in sentences if one not in page_text] == []
