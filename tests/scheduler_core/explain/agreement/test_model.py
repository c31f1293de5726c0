"""What counts as agreement, as difference, and as not compared."""

from __future__ import annotations

from typing import get_args

import pytest

from scheduler_core.explain.agreement.model import (
    AGREEING,
    DIFFERING,
    NOT_COMPARED,
    Agreement,
    BoundPod,
    PendingPod,
    PendingStanding,
    Standing,
)


@pytest.mark.parametrize("standing", get_args(Standing))
def test_a_bound_pod_agrees_or_differs_or_is_not_compared(standing):
    pod = BoundPod(pod="a/b", node="n", standing=standing)
    assert (pod.agrees, pod.differs) == (standing in AGREEING, standing in DIFFERING)
    assert not (pod.agrees and pod.differs)


def test_a_pending_pod_was_tried_where_there_is_a_node_or_a_message():
    assert not PendingPod(pod="a/b", standing="gated").is_tried
    assert PendingPod(pod="a/b", standing="fits", node="n").is_tried
    assert PendingPod(pod="a/b", standing="no_message", ours="0/1 nodes are available").is_tried


def test_figures_count_what_was_compared_and_leave_the_pods_out():
    """One pod of each standing: those that agree and those that differ are compared, and nobody else."""
    standings = dict.fromkeys(get_args(Standing), 1)
    messages = dict.fromkeys(get_args(PendingStanding), 2)
    bound = tuple(BoundPod(pod=f"a/{standing}", node="n", standing=standing) for standing in standings)
    agreement = Agreement(
        standings=standings,
        messages=messages,
        order="snapshot",
        n_nodes=3,
        scored=None,
        n_decided=5,
        seconds=0.5,
        bound=bound,
        pending=(),
    )
    assert (agreement.n_bound, agreement.n_compared, agreement.n_agree, agreement.n_differ) == (9, 5, 3, 2)
    assert (agreement.n_pending, agreement.n_messages, agreement.n_equal) == (22, 2 * (11 - len(NOT_COMPARED)), 4)
    assert [pod.standing for pod in agreement.differences] == ["lower", "refused"]
    figures = agreement.figures
    assert not hasattr(figures, "bound")
    assert (figures.n_compared, figures.seconds, figures.order) == (5, 0.5, "snapshot")
