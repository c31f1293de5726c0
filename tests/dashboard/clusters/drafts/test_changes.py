"""What a draft changes, in chips."""

from __future__ import annotations

from types import SimpleNamespace

from dashboard.clusters.drafts.changes import change_chips as chips
from dashboard.clusters.drafts.changes import moved_pods
from dashboard.clusters.revisions.diff import ObjectChange
from dashboard.clusters.revisions.object_keys import Key
from scheduler_core.api.objects import OwnerReference
from scheduler_core.testing.builders import make_pod


def test_few_objects_have_a_chip_each_and_many_share_one():
    few = [ObjectChange(Key("Pod", "shop", f"p-{n}"), b"1", None) for n in range(3)]
    many = [ObjectChange(Key("Node", "", f"n-{n}"), None, b"1") for n in range(20)]
    shown = [(chip.mark, chip.count, chip.label) for chip in chips([*many, *few])]
    assert shown == [("+", 20, "Node n-0 … 19"), *[("\N{MINUS SIGN}", 1, f"Pod p-{n}") for n in range(3)]]


def test_a_range_of_names_says_once_what_both_begin_with():
    def label(*names):
        return chips([ObjectChange(Key("Node", "", name), b"1", b"2") for name in names])[0].label

    assert label("node-a-00", "b", "c", "node-c-07") == "Node node-a-00 … c-07"
    assert label("web-00", "b", "c", "batch-3") == "Node web-00 … batch-3"


def test_pods_that_moved_are_named_with_their_nodes():
    keys = [Key("Pod", "shop", name) for name in ("made", "new", "off")]
    changes = [ObjectChange(key, None, b"1") for key in keys]
    shown = chips(changes, {keys[0]: "n-1", keys[2]: ""})
    assert [(chip.what, chip.label) for chip in shown] == [
        ("added", "Pod new"),
        ("bound", "Pod made to n-1"),
        ("bound", "Pod off to pending"),
    ]
    many = [ObjectChange(Key("Pod", "shop", f"p-{n}"), b"1", b"2") for n in range(5)]
    (one,) = chips(many, {change.key: "n-1" for change in many})
    assert (one.count, one.what, one.query) == (5, "bound", {"kind": "Pod"})


def test_a_pod_of_a_workload_moved_though_it_is_a_new_object():
    owner = OwnerReference(kind="ReplicaSet", name="web", controller=True)
    old = {"stays": make_pod("stays", node_name="n-1"), "leaves": make_pod("leaves", node_name="n-1")}
    new = {
        "stays": make_pod("stays", node_name="n-1"),
        "leaves": make_pod("leaves"),
        "made": make_pod("made", node_name="n-2", owner_references=(owner,)),
        "own": make_pod("own", node_name="n-2"),
    }
    before, after = (SimpleNamespace(pods={("default", name): pod for name, pod in one.items()}) for one in (old, new))
    changes = [ObjectChange(Key("Pod", "default", name), None, b"1") for name in (*new, "gone")]
    assert {key.name: node for key, node in moved_pods(changes, before, after).items()} == {"leaves": "", "made": "n-2"}
