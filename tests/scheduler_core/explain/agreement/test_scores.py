"""Scores of a log beside ours: what our own run would have logged is the same, and each change is found."""

from __future__ import annotations

import pytest

from scheduler_core.explain.agreement import scores_in_log, session
from scheduler_core.explain.agreement.scores import score_agreement
from scheduler_core.testing.builders import make_pod
from tests.scheduler_core.explain.agreement.bound_by_us import dump, with_objects


def logged(inputs, keys):
    """What a scheduler logs of these pending pods at verbosity 10."""
    trials = session(inputs)
    for key in keys:
        trial = trials.attempt(key)
        for node in trial.feasible:
            for points in trial.points(node):
                yield (
                    f'I1 "Plugin scored node for pod" pod="{key}" plugin="{points.plugin}" node="{node}" '
                    f"score={points.weighted}"
                )


@pytest.fixture(scope="module")
def inputs():
    """Eight pods that wait beside those that are bound."""
    made = dump(5, n_pods=12)
    waiting = [make_pod(f"wait-{i}", cpu="10m", memory=f"{1 + i}Mi") for i in range(8)]
    return with_objects(made, pods=[*made.objects.pods, *waiting])


def test_our_own_scores_are_the_same(inputs):
    lines = list(logged(inputs, [f"default/wait-{i}" for i in range(8)]))
    figures = score_agreement(inputs, scores_in_log("\n".join(lines)))
    assert figures.n_scores == figures.n_equal == len(lines) > 100
    assert all(pod.agrees and pod.rows == () for pod in figures.pods)


def test_a_score_that_differs_is_told_with_its_node_and_plugin(inputs):
    lines = list(logged(inputs, ["default/wait-1"]))
    head, _, score = lines[3].rpartition("=")
    lines[3] = f"{head}={int(score) + 1}"
    one = score_agreement(inputs, scores_in_log("\n".join(lines))).pods[0]
    assert (one.n_equal, one.n_scores) == (len(lines) - 1, len(lines))
    (row,) = one.rows
    assert row.real == row.ours + 1
    assert f'plugin="{row.plugin}" node="{row.node}"' in head


def test_nodes_that_do_not_fit_and_pods_that_are_not_there_are_told(inputs):
    line = 'I1 "Plugin scored node for pod" pod="{}" plugin="NodeResourcesFit" node="no-such-node" score=5'
    figures = score_agreement(inputs, scores_in_log("\n".join(map(line.format, ["default/wait-1", "default/gone"]))))
    here, gone = figures.pods
    assert [(row.real, row.ours) for row in here.rows] == [(5, None)]
    assert gone.unknown == "the pod is not in the input"
    assert (figures.n_scores, figures.n_equal) == (1, 0)
