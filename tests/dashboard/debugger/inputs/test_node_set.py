"""Nodes by row and name."""

from __future__ import annotations

from dashboard.debugger.inputs.node_set import NodeRows, NodeSet, node_set


def test_rows_without_a_node_have_no_name_and_ranks_follow_names():
    rows = NodeSet({"b": 0, "a": 3}).rows(5)
    assert rows.names == ["b", "", "", "a", ""]
    assert rows.present.tolist() == [True, False, False, True, False]
    assert (rows.n_present, rows.row_of) == (2, {"b": 0, "a": 3})
    assert rows.rank[3] < rows.rank[0]


def test_a_frame_made_before_a_node_came_does_not_know_it():
    nodes = NodeSet({"a": 0, "late": 1})
    assert nodes.rows(1).names == ["a"]
    assert nodes.rows(2).names == ["a", "late"]


def test_equal_sets_are_one_and_others_are_not():
    one = node_set({"a": 0, "b": 1})
    assert node_set({"b": 1, "a": 0}) is one
    assert node_set({"a": 1, "b": 0}) is not one


def test_no_rows():
    assert NodeRows([]).n_present == 0
