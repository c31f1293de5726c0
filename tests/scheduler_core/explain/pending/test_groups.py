"""Nodes in groups by what they lack."""

from __future__ import annotations

from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.pending.pending_pods import why_pending_of


def test_groups_say_the_label_that_their_nodes_share_and_are_not_split_by_hidden_verdicts() -> None:
    t4 = [make_node(f"t{i}", cpu="4", labels={"model": "T4"}) for i in range(3)]
    g2 = [make_node(f"g{i}", cpu="4", labels={"model": "G2"}) for i in range(2)]
    other = [make_node("o", cpu="4"), make_node("c", cpu="4", labels={"model": "G3"}, unschedulable=True)]
    placed = [make_pod(f"p{i}", cpu="4", node_name=f"t{i}") for i in range(3)]
    placed.append(make_pod("pg", cpu="4", node_name="g0"))
    pod = make_pod("train", cpu="1", node_selector={"model": "T4"})
    answer = why_pending_of([*t4, *g2, *other], [*placed, pod], "train")
    by_plugin = {group.plugin: group for group in answer.groups}
    room, selector, cordoned = (by_plugin[p] for p in ("NodeResourcesFit", "NodeAffinity", "NodeUnschedulable"))
    assert (room.count, room.title, room.detail) == (3, "No cpu left", "0 free, short of 1")
    assert (selector.count, selector.detail, selector.shared) == (3, "needs model=T4", "g0, g1, o")
    assert (selector.hidden, selector.only) == ((("NodeResourcesFit", 1),), 2)
    assert cordoned.hidden == (("NodeAffinity", 1),)
    assert answer.because.plugin == "NodeResourcesFit", "of the nodes that the selector allows, room refused most"
    assert answer.because.title == "cpu is short on 3 nodes that it selects; NodeUnschedulable refuses 1 more"


def test_nodes_that_are_too_small_even_when_empty_are_a_group_of_their_own() -> None:
    nodes = [make_node("small", cpu="1"), make_node("full", cpu="4")]
    answer = why_pending_of(nodes, [make_pod("p", cpu="4", node_name="full"), make_pod("big", cpu="3")], "big")
    assert [(group.nodes, group.unresolvable) for group in answer.groups] == [(("full",), False), (("small",), True)]
    assert (answer.groups[1].title, answer.groups[1].detail) == ("Too small: cpu", "1 in all, asks 3")
    alone = why_pending_of([make_node("small", cpu="1")], [make_pod("big", cpu="3")], "big")
    assert alone.because.next_step == "Ask for less cpu, or add a larger node: even empty, none is large enough"
