"""Summaries of scores, against a recount of every node."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.engine.summaries import outcome as end_of_run
from scheduler_core.engine.summaries import scored_event
from scheduler_core.framework.contracts.verdicts import IDENTITY
from scheduler_core.framework.runtime.score_phase import NodeChoice, PluginScores, ScoreOutcome
from scheduler_core.recording import events as ev

SCORES = st.lists(st.tuples(*[st.integers(0, 100)] * 3), min_size=1, max_size=8)
WEIGHTS = (1, 2, 3)


def outcome(by_node: list[tuple[int, int, int]]) -> tuple[ScoreOutcome, NodeChoice]:
    """Three plugins, the first of the best nodes chosen, and a row behind the others that is not feasible."""
    norms = [np.array([*column, 100], dtype=np.int16) for column in zip(*by_node, strict=True)]
    totals = sum(weight * norm for weight, norm in zip(WEIGHTS, norms, strict=True))
    totals[-1] -= 16_000
    plugins = [
        PluginScores(
            f"P{weight}", weight, norm * np.int64(7), norm, IDENTITY,
            int(norm[:-1].min()), int(norm[:-1].max()), float(norm[:-1].mean()),
        )
        for weight, norm in zip(WEIGHTS, norms, strict=True)
    ]  # fmt: skip
    winner = int(totals.argmax())
    others = [row for row in range(len(by_node)) if row != winner]
    second = max(others, key=lambda row: int(totals[row]), default=-1)
    tied = totals == totals[winner]
    selection = NodeChoice(winner, int(totals[winner]), tied, int(tied.sum()), second)
    if second >= 0:
        selection.second_total = int(totals[second])
    rows = np.arange(len(by_node))
    return ScoreOutcome(rows, plugins, np.zeros((3, len(totals)), dtype=np.int64), totals, []), selection


SHORT = [ev.Missing(f"Job d/{name}", desired=5, bound=1, unmade=4) for name in "abcd"]
FAILED = ev.Missing("Job d/j", desired=1, bound=0, unmade=1, why="failed")


@pytest.mark.parametrize(
    ("pending", "short", "gone", "text"),
    [
        (0, [], 0, "every pod is bound"),
        (0, [], 1, "every pod is bound; 1 pod that no controller makes anew is gone"),
        (1, [], 2,
         "1 pod stays pending; it was tried since the last change of the cluster, is gated or foreign; 2 pods that "
         "no controller makes anew are gone"),
        (1200, [FAILED], 0,
         "1 replica is missing: Job d/j has 0 of 1 (failed); 1,200 pods stay pending; each was tried since the last "
         "change of the cluster, is gated or foreign"),
        (0, SHORT, 0,
         "16 replicas are missing: Job d/a has 1 of 5, Job d/b has 1 of 5, Job d/c has 1 of 5 and 1 more workloads"),
    ],
)  # fmt: skip
def test_words_of_the_end(pending, short, gone, text):
    assert end_of_run(pending, short, gone) == text


@given(SCORES)
def test_summaries_hold_what_the_nodes_have(by_node):
    scores, selection = outcome(by_node)
    winner, second = selection.row, selection.second
    for j, summary in enumerate(scored_event(5, 1, scores, selection).plugins):
        column = [node[j] for node in by_node]
        without = [int(total) - WEIGHTS[j] * own for total, own in zip(scores.totals, column, strict=False)]
        assert summary.norm_winner == column[winner]
        assert summary.raw_winner == 7 * column[winner]
        assert summary.norm_second == (column[second] if second >= 0 else -1)
        assert summary.raw_second == (7 * column[second] if second >= 0 else -1)
        assert (summary.norm_min, summary.norm_max) == (min(column), max(column))
        assert summary.norm_mean == pytest.approx(sum(column) / len(column), abs=0.0005)
        assert summary.decided == (column[winner] != min(column) and max(without) > without[winner])
