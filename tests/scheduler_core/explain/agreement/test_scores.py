"""Scores beside ours: what our own run gave is the same, and each change is found."""

from __future__ import annotations

import pytest

from scheduler_core.explain.agreement import RealScores, session
from scheduler_core.explain.agreement.scores import score_agreement
from scheduler_core.testing.builders import make_pod
from tests.scheduler_core.explain.agreement.bound_by_us import dump, with_objects


def real(inputs, keys):
    """The scores of these pending pods, as the engine gives them."""
    trials, scores = session(inputs), RealScores()
    for key in keys:
        trial = trials.attempt(key)
        scores.of[key] = {node: {one.plugin: one.weighted for one in trial.points(node)} for node in trial.feasible}
    return scores


@pytest.fixture(scope="module")
def inputs():
    """Eight pods that wait beside those that are bound."""
    made = dump(5, n_pods=12)
    waiting = [make_pod(f"wait-{i}", cpu="10m", memory=f"{1 + i}Mi") for i in range(8)]
    return with_objects(made, pods=[*made.objects.pods, *waiting])


def test_our_own_scores_are_the_same(inputs):
    figures = score_agreement(inputs, real(inputs, [f"default/wait-{i}" for i in range(8)]))
    assert figures.n_scores == figures.n_equal > 100
    assert all(pod.agrees and pod.rows == () for pod in figures.pods)


def test_a_score_that_differs_is_told_with_its_node_and_plugin(inputs):
    scores = real(inputs, ["default/wait-1"])
    node, plugins = next(iter(scores.of["default/wait-1"].items()))
    plugin = next(iter(plugins))
    plugins[plugin] += 1
    one = score_agreement(inputs, scores).pods[0]
    assert one.n_equal == one.n_scores - 1
    (row,) = one.rows
    assert (row.real, row.plugin, row.node) == (row.ours + 1, plugin, node)


def test_nodes_that_do_not_fit_and_pods_that_are_not_there_are_told(inputs):
    elsewhere = {"no-such-node": {"NodeResourcesFit": 5}}
    figures = score_agreement(inputs, RealScores(of={"default/wait-1": elsewhere, "default/gone": elsewhere}))
    here, gone = figures.pods
    assert [(row.real, row.ours) for row in here.rows] == [(5, None)]
    assert gone.unknown
    assert (figures.n_scores, figures.n_equal) == (1, 0)
