"""Values inside nested mappings."""

from __future__ import annotations

from dashboard.documents.configurations.table.values import merged, value_at, with_value

GIVEN = {"a": {"b": {"c": 1}}, "d": [1]}


def test_a_value_is_found_by_its_path_and_nothing_elsewhere():
    assert value_at(GIVEN, ["a", "b", "c"]) == 1
    assert value_at(GIVEN, ["a", "x", "c"]) is None
    assert value_at(GIVEN, ["d", "c"]) is None


def test_a_value_is_put_into_a_copy_and_what_it_leaves_empty_goes_with_it():
    assert with_value(GIVEN, ["a", "b", "e"], 2) == {"a": {"b": {"c": 1, "e": 2}}, "d": [1]}
    assert with_value(GIVEN, ["a", "b", "c"], None) == {"d": [1]}
    assert with_value({}, ["x", "y"], 0) == {"x": {"y": 0}}
    assert GIVEN == {"a": {"b": {"c": 1}}, "d": [1]}


def test_merged_mappings_go_deep_and_lists_are_replaced():
    assert merged(GIVEN, {"a": {"b": {"e": 2}}, "d": []}) == {"a": {"b": {"c": 1, "e": 2}}, "d": []}
