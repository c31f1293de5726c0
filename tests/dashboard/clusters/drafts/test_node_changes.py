"""The usual edits of nodes, as changes of their manifests."""

from __future__ import annotations

from dashboard.clusters.drafts.node_changes import NodeChange, change_node
from tests.dashboard.clusters.conftest import node


def test_node_changes_can_be_taken_back_without_a_trace():
    raw = node("n", taints=[{"key": "own", "effect": "NoSchedule"}])
    changed = change_node(change_node(raw, NodeChange("cordon")), NodeChange("taint", "t"))
    back = change_node(change_node(changed, NodeChange("uncordon")), NodeChange("untaint", "t"))
    assert back == raw
    labelled = change_node(raw, NodeChange("label", "a", "b"))
    assert change_node(labelled, NodeChange("unlabel", "a")) == raw
    assert raw["spec"] == {"taints": [{"key": "own", "effect": "NoSchedule"}]}


def test_a_change_puts_nothing_into_a_node_but_what_it_names():
    raw = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
    for back in (NodeChange("unlabel", "a"), NodeChange("uncordon"), NodeChange("untaint", "t")):
        assert change_node(raw, back) == raw
    labelled = {**raw, "metadata": {"name": "n", "labels": {"a": "b"}}}
    assert change_node(raw, NodeChange("label", "a", "b")) == labelled
    assert change_node(raw, NodeChange("cordon")) == {**raw, "spec": {"unschedulable": True}}


def test_a_taint_of_the_same_key_and_effect_is_replaced():
    once = change_node(node("n"), NodeChange("taint", "k", "1"))
    twice = change_node(once, NodeChange("taint", "k", "2"))
    assert twice["spec"]["taints"] == [{"key": "k", "effect": "NoSchedule", "value": "2"}]
    assert "taints" not in change_node(twice, NodeChange("untaint", "k", effect=""))["spec"]
