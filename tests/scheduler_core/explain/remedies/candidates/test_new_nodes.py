"""One more node: of which shapes, and with which devices."""

from __future__ import annotations

from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.device_clusters import (
    DeviceCluster,
    claim,
    gpu,
    held,
    holder,
    pool_of,
    request,
)
from tests.scheduler_core.explain.remedies.proposed import made_up


def test_nodes_that_are_alike_are_one_proposal() -> None:
    nodes = [make_node("a", cpu="2"), make_node("b", cpu="2"), make_node("c", cpu="4")]
    full = [make_pod(f"full-{name}", cpu="2" if name != "c" else "4", node_name=name) for name in "abc"]
    proposals = made_up(nodes, [*full, make_pod("p", cpu="1")], "new node")
    assert [one.nodes for one in proposals] == [("a",), ("c",)]


def test_of_nodes_that_differ_in_devices_alone_those_with_devices_come_first() -> None:
    taken = (held("h", "q", ("n9", "gpu-0")), holder("q", "n9", "h"))
    cluster = DeviceCluster(pool_of("n9", gpu(0)), *taken, claim(request()), nodes=("n1", "n2", "n9"))
    tried = [*cluster.remedies().verified, *cluster.remedies().not_enough]
    likes = {one.nodes[0]: one.status for one in tried if one.code == "ADD_NODE_LIKE"}
    assert likes == {"n9": "verified", "n1": "not enough"}
