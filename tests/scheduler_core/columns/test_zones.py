"""The order of nodes: zones take turns, in the order in which they and their nodes came."""

from __future__ import annotations

from scheduler_core.columns.zones import BETA_ZONE, REGION, ZONE, ZoneOrder, zone_key
from scheduler_core.testing.builders import make_node


def in_zone(name, zone):
    return make_node(name, labels={ZONE: zone})


def order_of(**zone_by_name):
    order = ZoneOrder()
    for name, zone in zone_by_name.items():
        order.add(in_zone(name, zone))
    return order


def test_the_deprecated_label_wins():
    node = make_node("n", labels={ZONE: "new", BETA_ZONE: "old", REGION: "r"})
    assert zone_key(node) == ("r", "old")
    assert zone_key(make_node("bare")) == ("", "")


def test_zones_take_turns_and_an_exhausted_one_is_passed_over():
    assert order_of(a1="a", a2="a", a3="a", b1="b", c1="c", c2="c").names() == ["a1", "b1", "c1", "a2", "c2", "a3"]


def test_an_empty_zone_loses_its_turn_to_those_that_came_after_it():
    order = order_of(a1="a", b1="b")
    order.remove(in_zone("a1", "a"))
    order.add(in_zone("a2", "a"))
    assert order.names() == ["b1", "a2"]


def test_a_node_moves_only_when_its_zone_changes():
    order = order_of(a1="a", a2="a", b1="b")
    order.update(in_zone("a1", "a"), make_node("a1", labels={ZONE: "a", "more": "1"}))
    assert order.names() == ["a1", "b1", "a2"]
    order.update(in_zone("a1", "a"), in_zone("a1", "b"))
    assert order.names() == ["a2", "b1", "a1"]


def test_rows_follow_each_change_and_a_restored_order_is_the_same():
    order = order_of(a1="a", b1="b")
    row_of = {"a1": 4, "b1": 2, "b2": 9}
    assert order.rows(row_of).tolist() == [4, 2]
    order.add(in_zone("b2", "b"))
    assert order.rows(row_of).tolist() == [4, 2, 9]
    other = ZoneOrder()
    other.restore(order.order_of_arrival())
    order.remove(in_zone("b2", "b"))
    assert (other.names(), order.names()) == (["a1", "b1", "b2"], ["a1", "b1"])
