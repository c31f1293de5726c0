"""The score phase: what a node's total is where few or no plugins score."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

from scheduler_core.compiled import without_kernel
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.framework.runtime.score_phase import NodeChoice, ScoreOutcome, select_host
from scheduler_core.testing.builders import make_cluster, make_node
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


@pytest.mark.parametrize("setting", [nullcontext, without_kernel], ids=["kernel", "numpy"])
def test_of_equal_nodes_the_draw_takes_one_and_the_first_other_one_is_second(setting):
    framework = Framework("test", RunContext(make_cluster(make_node(f"n{i}") for i in range(6)), seed=1))
    totals = np.array([7, 9, 3, 9, -16_000, 9], dtype=np.int16)
    drawn = set()
    with setting():
        for cycle in range(40):
            framework.run.cycle = cycle
            place = framework.run.draw("host", 3)
            scores = ScoreOutcome(np.arange(6), [], np.zeros((0, 6), dtype=np.int64), totals.copy(), [])
            row = [1, 3, 5][place]
            assert select_host(framework, scores) == NodeChoice(row, 9, b"\x54", 3, 3 if row == 1 else 1, 9)
            drawn.add(place)
    assert drawn == {0, 1, 2}


@pytest.mark.parametrize("setting", [nullcontext, without_kernel], ids=["kernel", "numpy"])
@pytest.mark.parametrize(
    ("totals", "expected"),
    [
        pytest.param([7, 9, 8, 8], NodeChoice(1, 9, b"", 1, 2, 8), id="the first of the next best is second"),
        pytest.param([-16_000, 0, -15_999, -16_000], NodeChoice(1, 0, b"", 1), id="no infeasible node is second"),
    ],
)
def test_the_best_node_and_the_one_after_it(totals, expected, setting):
    framework = Framework("test", RunContext(make_cluster(make_node(f"n{i}") for i in range(4)), seed=1))
    by_row = np.array(totals, dtype=np.int16)
    with setting():
        choice = select_host(framework, ScoreOutcome(np.arange(4), [], np.zeros((0, 4), dtype=np.int64), by_row, []))
    assert choice == expected
    assert by_row.tolist() == totals
