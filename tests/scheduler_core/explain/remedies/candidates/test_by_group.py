"""What is made up for small clusters, each expectation worked out by hand."""

from __future__ import annotations

from scheduler_core.explain.remedies.search import remedies
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.remedies.proposed import trials_of


def test_equal_nodes_are_one_line_with_their_count():
    nodes = [make_node(f"n{i}", labels={"disk": "hdd"}) for i in range(5)]
    pod = make_pod("p", cpu="1", node_selector={"disk": "ssd"})
    trials, key = trials_of(nodes, [pod])
    answer = remedies(trials, key)
    assert [(one.text, one.n_nodes, one.n_fit) for one in answer.verified] == [
        ("Let it go to nodes with disk=hdd too", 5, 5),
        ("Drop disk=ssd from the node selector", 5, 5),
        ("Label a node disk=ssd", 5, 1),
    ]
