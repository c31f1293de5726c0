"""Pods and workloads by hand."""

from __future__ import annotations

from dashboard.clusters.by_hand.pods import off_node, on_node, scaled
from tests.dashboard.clusters.conftest import pod


def test_a_bound_pod_has_no_gates_and_no_status_of_elsewhere():
    raw = pod("a", schedulingGates=[{"name": "g"}]) | {"status": {"phase": "Pending", "nominatedNodeName": "x"}}
    made = on_node(raw, "node-a")
    assert made["spec"]["nodeName"] == "node-a"
    assert "schedulingGates" not in made["spec"]
    assert "status" not in made
    assert "nodeName" not in raw["spec"]


def test_a_pod_taken_off_its_node_waits():
    raw = pod("a", "node-a") | {"status": {"phase": "Running"}}
    assert off_node(raw) == pod("a")


def test_a_job_is_scaled_by_its_parallelism():
    assert scaled({"kind": "Job", "spec": {"completions": 8}}, 3)["spec"] == {"completions": 8, "parallelism": 3}
    assert scaled({"kind": "Deployment"}, 0)["spec"] == {"replicas": 0}
