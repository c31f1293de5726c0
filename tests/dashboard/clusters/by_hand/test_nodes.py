"""Nodes by hand: zones by both labels, and sizes whose capacity follows."""

from __future__ import annotations

from dashboard.clusters.by_hand.nodes import in_zone, resized
from tests.dashboard.clusters.conftest import node

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
