"""A change goes over to another version by field; where both changed a field, it is named and nothing of theirs is lost
elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.manifests.merging import FieldConflict, carried_over

NODE = {"kind": "Node", "metadata": {"name": "n", "labels": {"a": "1"}}, "spec": {"taints": [{"key": "t"}]}}


def with_labels(**labels: str) -> dict[str, Any]:
    return {**NODE, "metadata": {"name": "n", "labels": labels}}


def test_changes_of_different_fields_both_stay():
    merged = carried_over(NODE, with_labels(a="1", mine="x"), {**with_labels(a="2"), "spec": {}})
    assert merged.conflicts == ()
    assert merged.value == {**with_labels(a="2", mine="x"), "spec": {}}


def test_a_field_that_is_taken_away_goes_in_the_other_version_too():
    assert carried_over(NODE, with_labels(), with_labels(a="1", b="2")).value == with_labels(b="2")


def test_a_field_that_both_changed_keeps_mine_and_is_named():
    merged = carried_over(NODE, with_labels(a="mine"), with_labels(a="theirs", b="2"))
    assert merged.value == with_labels(a="mine", b="2")
    assert merged.conflicts == (FieldConflict("metadata.labels.a", "1", "theirs", "mine"),)


def test_a_field_that_one_changed_and_the_other_took_away_is_named():
    assert carried_over(NODE, with_labels(a="2"), with_labels()).conflicts == (
        FieldConflict("metadata.labels.a", "1", None, "2"),
    )


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "value", "paths"),
    [
        ([1, 2], [1, 3], [0, 2], [0, 3], []),
        ([1, 2], [1, 2, 3], [0, 2], [1, 2, 3], [""]),
        ([{"cpu": 1}], [{"cpu": 2}], [{"cpu": 1, "x": 1}], [{"cpu": 2, "x": 1}], []),
        ([{"cpu": 1}], [{"cpu": 2}], [{"cpu": 3}], [{"cpu": 2}], ["[0].cpu"]),
        ({}, {"a": {"b": 1}}, {"a": {"c": 1}}, {"a": {"c": 1, "b": 1}}, []),
        ({"a": 1}, {"a": True}, {"a": 1}, {"a": True}, []),
        ({"a": 1}, {"a": 1}, {"a": 2}, {"a": 2}, []),
        ({"a": 1}, {"a": 3}, {"a": 3}, {"a": 3}, []),
    ],
)
def test_lists_go_place_by_place_where_they_are_of_one_length(base, mine, theirs, value, paths):
    merged = carried_over(base, mine, theirs)
    assert merged.value == value
    assert type(merged.value) is type(value)
    assert [one.path for one in merged.conflicts] == paths
