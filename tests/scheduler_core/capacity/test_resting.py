from __future__ import annotations

from scheduler_core.capacity.resting import whole_run
from scheduler_core.testing.builders import make_node
from tests.scheduler_core.capacity.clusters import resting, web

NODES = [make_node("a"), make_node("b")]


def test_changes_are_taken_back():
    cluster = resting(NODES, [web("w", node="a"), web("waits")])
    before = cluster.where(cluster.waiting)
    with cluster.changed([make_node("c", cpu="64")], ["a"]) as moving:
        assert [pod.key for pod in moving] == ["default/w"]
        assert cluster.node_for(moving[0]) == "c"
    assert cluster.where(cluster.waiting) == before
    assert [pod.key for pod in cluster.pods_on("a")] == ["default/w"]


def test_a_whole_run_places_as_the_cluster_at_rest():
    cluster = resting(NODES, [web("w", node="a"), web("one", "3"), web("two", "3")])
    run = whole_run(cluster)
    assert cluster.where(cluster.waiting) == {pod.key: run[pod.key] for pod in cluster.waiting}
