"""What the panel shows of an answer: orders of the table, the filters that took nodes, what the map is told."""

from __future__ import annotations

import json

import pytest
from msgspec import structs

from dashboard.answers.outcomes import Answer, Failed, TooLate, Waiting, WaitsFor
from dashboard.fit.panel import FitPanel
from scheduler_core.explain.fit import Fit, RefusalGroup, SieveStep

SMALL = RefusalGroup(plugin="NodeResourcesFit", reasons=("Insufficient cpu",), nodes=1)
TAINT = RefusalGroup(plugin="TaintToleration", reasons=("node(s) had untolerated taint {</script>: }",), nodes=1)
FOUND = Fit(
    pod="default/web",
    nodes=("c", "a", "b", "d"),
    group_of=(-1, 0, -1, 1),
    totals=(90, -1, 130, -1),
    groups=(SMALL, TAINT),
    sieve=(SieveStep("NodeName", 0, 4), SieveStep("TaintToleration", 1, 3), SieveStep("NodeResourcesFit", 1, 2)),
    best=("b",),
)


def panel(outcome=None, sort="verdict", **query):
    shown = Answer(FOUND, 0.05) if outcome is None else outcome
    return FitPanel(shown, "default/web", "r3", "defaults", sort, "again", "/fit/", query=query)


def nodes(shown):
    return [row.node for row in shown.rows.items]


def test_the_best_node_is_first_and_refusing_ones_are_last():
    assert nodes(panel()) == ["b", "c", "a", "d"]
    assert nodes(panel(sort="-verdict"))[-1] == "b"
    assert nodes(panel(sort="node")) == ["a", "b", "c", "d"]
    assert nodes(panel(sort="-node")) == ["d", "c", "b", "a"]
    assert nodes(panel(sort="reason"))[2:] == ["a", "d"]


def test_heads_turn_the_order_round():
    assert [(head.sort, head.order) for head in panel(sort="node").heads] == [
        ("-node", "ascending"),
        ("verdict", ""),
        ("reason", ""),
    ]
    assert panel(sort="-node").heads[0] == ("fit-by-node", "Node", "node", "descending")


def test_filters_that_took_no_node_are_apart():
    assert [step.plugin for step in panel().steps] == ["TaintToleration", "NodeResourcesFit"]
    assert panel().best_total == 130


def test_an_address_keeps_pod_and_revision_and_nothing_else():
    shown = panel(fit="default/web", r="2", until="7", asker="x")
    assert shown.address(sort="node", fit_page=2) == "/fit/?fit=default/web&r=2&sort=node&fit_page=2"


def test_the_map_is_told_nodes_totals_and_reasons_and_no_text_ends_the_script():
    assert "<" not in panel().lit
    data = json.loads(panel().lit)
    assert (data["nodes"], data["reasonOf"]) == (["c", "a", "b", "d"], [-1, 0, -1, 1])
    assert data["totals"] == [90, -1, 130, -1]
    assert data["reasons"][1] == f"TaintToleration: {TAINT.reasons[0]}"


def test_without_an_answer_it_says_why():
    assert panel(Waiting(WaitsFor.OTHERS, 2)).text.endswith(", 2 in line")
    assert panel(Waiting(WaitsFor.WORKER)).pause_ms > panel(Waiting(WaitsFor.RESULT)).pause_ms
    assert panel(Failed("no pod x.")).text == "No pod x."
    assert nodes(panel(TooLate())) == []


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (Waiting(WaitsFor.OTHERS, 2), "Waiting for the answer worker, 2 in line"),
        (TooLate(), "No answer in time"),
    ],
)
def test_words(outcome, sentence):
    assert panel(outcome).text == sentence


def test_the_first_of_the_best_nodes_are_named_and_the_others_counted():
    def best(*names):
        return panel(Answer(structs.replace(FOUND, best=names), 0.05)).best

    assert best() == ""
    assert best("b") == "b"
    assert best("a", "b", "c") == "a, b, c"
    assert best("a", "b", "c", "d", "e") == "a, b, c and 2 more"
    assert panel(TooLate()).best == ""
    assert panel(TooLate()).best_total is None
    assert panel(Answer(structs.replace(FOUND, best=()), 0.05)).best_total is None


def test_a_script_knows_whether_there_is_an_answer():
    states = [panel().state, panel(Waiting(WaitsFor.RESULT)).state, panel(TooLate()).state]
    assert states == ["answer", "waiting", "failed"]
    assert panel(TooLate()).lit == "null"
