from __future__ import annotations

from scheduler_core.framework.contracts.extending.recorded import (
    NO_NODES,
    address_of_extender,
    is_extender,
    name_of_extender,
    node_names,
)

ROWS = {"a": 0, "b": 9, "c": 3}
BY_ROW = ["a", "", "", "c", "", "", "", "", "", "b"]


def test_nodes_come_back_by_name() -> None:
    assert node_names(["c", "a", "b"], ROWS).sorted_names(BY_ROW) == ["a", "b", "c"]
    assert node_names(["c", "a"], ROWS).row_numbers == [0, 3]


def test_unknown_nodes_and_those_named_again_are_kept_by_name() -> None:
    nodes = node_names(["ghost", "a", "a", "ghost"], ROWS)
    assert nodes.names == ("a", "ghost", "ghost")
    assert nodes.sorted_names(BY_ROW) == ["a", "a", "ghost", "ghost"]


def test_no_nodes() -> None:
    assert node_names([], ROWS) == NO_NODES
    assert NO_NODES.sorted_names(BY_ROW) == []


def test_an_extender_is_told_from_a_plugin_by_its_name() -> None:
    name = name_of_extender("http://a.example")
    assert is_extender(name)
    assert not is_extender("NodeResourcesFit")
    assert address_of_extender(name) == "http://a.example"
