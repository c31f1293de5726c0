"""Nominated pods that count on a node."""

from __future__ import annotations

import pytest

from tests.scheduler_core.decided import decided, node, pod


@pytest.mark.parametrize(
    ("priority", "node_name"),
    [
        pytest.param(4, "n1", id="one of lower priority does not count"),
        pytest.param(5, "n2", id="one of the same priority counts"),
        pytest.param(6, "n2", id="one of higher priority counts"),
    ],
)
def test_which_nominated_pods_are_counted_on_their_node(priority, node_name):
    """As addNominatedPods of runtime/framework.go; n2 alone would lose by its smaller size."""
    rival = pod("rival", cpu="16", priority=priority, nominated="n1")
    steps = decided([node("n1", cpu="16"), node("n2", cpu="2"), rival], [pod("p", cpu="1", priority=5)])
    assert steps[0]["node"] == node_name
