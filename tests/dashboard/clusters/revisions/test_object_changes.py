"""What changed in objects, field by field."""

from __future__ import annotations

import pytest

from dashboard.clusters.revisions.object_changes import FieldChange, field_changes


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
