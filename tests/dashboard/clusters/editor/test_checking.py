"""Text of an editor judged in its cluster, and the usual edits of nodes."""

from __future__ import annotations

import json

import pytest

from dashboard.clusters.drafts.node_changes import NodeChange, change_node
from dashboard.clusters.editor import checking
from dashboard.clusters.editor.checking import check_text
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.contents import contents_of
from dashboard.clusters.revisions.object_keys import Key
from tests.dashboard.clusters.conftest import node, pod, priority_class


def newest(cluster):
    return actions.newest_revision(cluster)


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


def test_text_is_judged_in_the_context_of_its_cluster(cluster):
    objects = contents_of(newest(cluster)).by_key
    text = json.dumps(pod("p", priorityClassName="high"))
    assert check_text(text, objects).findings == []
    assert [f.field for f in check_text(text).findings] == ["spec.priorityClassName"]
    renamed = priority_class("high", 5)
    assert check_text(json.dumps(renamed), objects, Key("PriorityClass", "", "high")).errors == []
    assert "given twice" in check_text(json.dumps(renamed), objects).errors[0].message


@pytest.mark.parametrize("text", ["", "# nothing", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"])
def test_a_text_without_an_object_is_an_error(text):
    assert len(check_text(text).errors) == 1


def test_a_text_of_too_many_values_is_refused_with_the_line(monkeypatch):
    monkeypatch.setattr(checking, "MAX_TEXT_VALUES", 50)
    (error,) = check_text("items:\n" + "- a\n" * 60).errors
    assert (error.line, error.message[:28]) == (49, "more than 50 YAML nodes in o")
