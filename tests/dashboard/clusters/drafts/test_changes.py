"""What changed, field by field."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.changes import FieldChange, field_changes
from dashboard.clusters.drafts.changes import chips_of as chips
from dashboard.clusters.revisions.diff import ObjectChange
from dashboard.clusters.revisions.object_keys import Key


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, [("a.b", "1", "2")]),
        ({}, {"spec": {"unschedulable": True}}, [("spec.unschedulable", "", "true")]),
        ({"a": ["x", "y"]}, {"a": ["x"]}, [("a[1]", "y", "")]),
        ({"a": [{"n": 1}]}, {}, [("a[0].n", "1", "")]),
        ({"a": "text"}, {"a": {"b": 1}}, [("a", "text", '{"b":1}')]),
    ],
    ids=["equal", "a number", "a mapping that was not there", "a shorter list", "a list that is gone", "another sort"],
)
def test_fields_that_differ_have_their_path_and_both_values(old, new, changes):
    assert list(field_changes(old, new)) == [FieldChange(*change) for change in changes]


def test_a_long_value_is_cut():
    (change,) = field_changes({"a": "x" * 500}, {"a": ""})
    assert change.before == "x" * 120 + "…"


def test_few_objects_have_a_chip_each_and_many_share_one():
    few = [ObjectChange(Key("Pod", "shop", f"p-{n}"), b"1", None) for n in range(3)]
    many = [ObjectChange(Key("Node", "", f"n-{n}"), None, b"1") for n in range(20)]
    shown = [(chip.mark, chip.count, chip.label) for chip in chips([*many, *few])]
    assert shown == [("+", 20, "Node n-0 … n-19"), *[("\N{MINUS SIGN}", 1, f"Pod p-{n}") for n in range(3)]]
