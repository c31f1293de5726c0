"""What a draft changes, in chips."""

from __future__ import annotations

from dashboard.clusters.drafts.changes import change_chips as chips
from dashboard.clusters.revisions.diff import ObjectChange
from dashboard.clusters.revisions.object_keys import Key


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
