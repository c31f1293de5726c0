"""Pods and workloads by hand."""

from __future__ import annotations

from dashboard.clusters.by_hand.manifests import in_zone, off_node, on_node, resized, scaled
from tests.dashboard.clusters.conftest import node, pod


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


OLD = "failure-domain.beta.kubernetes.io/zone"


def test_a_zone_is_the_label_of_today_and_that_of_before_where_it_is_there():
    raw = node("a")
    assert in_zone(raw, "zone-c")["metadata"]["labels"] == {"topology.kubernetes.io/zone": "zone-c"}
    raw["metadata"]["labels"][OLD] = "zone-a"
    assert in_zone(raw, "zone-c")["metadata"]["labels"][OLD] == "zone-c"
    assert raw["metadata"]["labels"][OLD] == "zone-a"


def test_a_node_without_labels_gets_them():
    assert in_zone({"kind": "Node", "metadata": {"name": "a"}}, "z")["metadata"]["labels"] == {
        "topology.kubernetes.io/zone": "z"
    }


def test_a_capacity_is_raised_but_never_lowered():
    raw = node("a")
    raw["status"]["capacity"] = {"cpu": "8", "memory": "64Gi"}
    status = resized(raw, {"cpu": "16", "memory": "32Gi", "example.com/dongle": "2"})["status"]
    assert status["allocatable"]["cpu"] == status["capacity"]["cpu"] == "16"
    assert status["capacity"] == {"cpu": "16", "memory": "64Gi", "example.com/dongle": "2"}
    assert raw["status"]["capacity"]["cpu"] == "8"


def test_an_amount_that_is_none_is_left_to_the_check():
    raw = node("a")
    raw["status"]["capacity"] = {"cpu": "8"}
    assert resized(raw, {"cpu": "lots"})["status"]["capacity"] == {"cpu": "8"}
