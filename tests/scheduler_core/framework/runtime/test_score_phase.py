"""The score phase: what a node's total is where few or no plugins score."""

from __future__ import annotations

from tests.scheduler_core.decided import config, decided, disabled, enabled, node, pod

NODES = [node("n1"), node("n2")]


def only_scores(*plugins: str):
    """A profile with just these score plugins."""
    return config(plugins={"score": {**disabled("*"), **enabled(*plugins)}})


def test_without_any_score_plugin_every_node_has_a_total_of_1():
    (step,) = decided(NODES, [pod("p")], only_scores())
    assert (step["topScore"], step["total"], step["score"]) == (1, [1, 1], {})


def test_where_all_score_plugins_skip_every_node_has_a_total_of_0():
    steps = decided(NODES, [pod("p"), pod("q")], only_scores("InterPodAffinity"))
    assert [(s["topScore"], s["total"], s["score"]) for s in steps] == [(0, [0, 0], {})] * 2


def test_totals_are_those_of_the_plugins_that_do_not_skip():
    (step,) = decided(NODES, [pod("p")], only_scores("InterPodAffinity", "TaintToleration"))
    assert (step["total"], list(step["score"])) == ([100, 100], ["TaintToleration"])
