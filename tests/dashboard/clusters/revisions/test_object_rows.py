"""Rows of the tables: what is requested of a node, the state of a pod, zones."""

from __future__ import annotations

from dashboard.clusters.revisions.totals import zones_of
from tests.dashboard.clusters.conftest import node, pod
from tests.dashboard.clusters.revisions.revision_helpers import loaded


def test_requested_counts_bound_pods_that_still_run():
    done = pod("done", "n", cpu="4")
    done["status"] = {"phase": "Succeeded"}
    found = loaded(node("n"), pod("a", "n", cpu="1"), done, pod("waiting", cpu="2"), pod("away", "elsewhere"))
    row = found.rows.nodes[0]
    assert (row.requested["cpu"], row.n_pods) == (1000, 1)
    assert [pod.status for pod in found.rows.pods] == ["bound", "finished", "pending", "bound"]
    assert [pod.node_is_known for pod in found.rows.pods] == [True, True, False, False]


def test_gated_pods_say_so():
    found = loaded(pod("g", schedulingGates=[{"name": "a/b"}]))
    assert found.rows.pods[0].status == "gated"


def test_a_node_without_a_resource_counts_as_over_when_it_is_asked():
    empty = node("n")
    empty["status"]["allocatable"].pop("cpu")
    found = loaded(empty, pod("a", "n", cpu="1"))
    assert found.rows.nodes[0].share("cpu") == 1.0


def test_zones_group_by_zone_and_pool_and_put_nodes_without_a_zone_last():
    bare = node("bare")
    bare["metadata"]["labels"] = {}
    pooled = node("pooled", "a")
    pooled["metadata"]["labels"]["pool"] = "gpu"
    zones = zones_of(loaded(bare, node("x", "b"), pooled, node("y", "a")).rows.nodes)
    assert [(zone.name, [pool for pool, _ in zone.pools]) for zone in zones] == [
        ("a", ["", "gpu"]),
        ("b", [""]),
        ("", [""]),
    ]
