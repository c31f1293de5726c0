"""The order of pods on nodes, as upstream lists them: the last one takes the place of one that goes."""

from __future__ import annotations

from scheduler_core.columns.cluster import Cluster
from scheduler_core.testing.builders import make_pod


def test_the_order_of_pods_on_nodes_can_be_set_again():
    def filled():
        cluster = Cluster()
        cluster.in_node_order = True
        for key in "abcd":
            cluster.put_pod(cluster.info(make_pod(key)), "n")
        return cluster

    cluster = filled()
    assert cluster.node_orders() == {}
    cluster.drop_pod("default/a")
    assert cluster.pods_of("n") == ["default/d", "default/b", "default/c"]
    other = filled()
    other.in_node_order = False
    other.drop_pod("default/a")
    other.set_node_orders(cluster.node_orders())
    assert other.pods_of("n") == cluster.pods_of("n")
    assert other.node_orders() == cluster.node_orders()
