"""Obstacles and causes in words: what decides is named, and nothing outside of the set is."""

from __future__ import annotations

from typing import Any

from scheduler_core.api.objects import Container, ContainerPort, NodeCondition, Pod, Toleration, Volume
from scheduler_core.explain.diagnosis.table import BareRefusal
from scheduler_core.explain.diagnosis.words import cause_words, names, obstacle_words, opened_words
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import diagnosed, table_of

UNREACHABLE = "node.kubernetes.io/unreachable"


def text_of(code: str, nodes: list, pods: list, **objects: Any) -> str:
    (text,) = [one.text for one in diagnosed(nodes, pods, **objects).obstacles if one.code == code]
    return text


def test_a_few_names_are_listed_and_of_many_the_first_with_how_many_more() -> None:
    assert names(["b", "a"]) == "a and b"
    assert names(["d", "c", "b", "a"]) == "a, b, c and d"
    assert names(["e", "d", "c", "b", "a"]) == "a, b, c and 2 more"


def test_what_a_set_opens_is_said_of_its_own_nodes() -> None:
    assert opened_words(["w2", "w1"], 9) == "Nothing else keeps it off w1 and w2."
    assert opened_words([f"n{i}" for i in range(9)], 9) == "Nothing else keeps it off any of the 9 nodes."
    assert opened_words([], 9) == "No single change opens a node."


def test_several_obstacles_at_once_are_counted() -> None:
    text = cause_words(["taint a", "too little cpu"], ["n"], 3)
    assert text == "2 at once: taint a; and too little cpu. Nothing else keeps it off n."
    assert cause_words(["taint a"], ["n"], 3).startswith("Taint a. ")


def test_a_toleration_that_is_nearly_right_is_told_with_what_differs() -> None:
    node = make_node("n", taints=["stage=yes:NoSchedule"])
    by_effect = make_pod("p", tolerations=(Toleration("stage", "Equal", "yes", "PreferNoSchedule"),))
    text = text_of("TAINT_UNTOLERATED", [node], [by_effect])
    assert "its toleration of stage=yes has effect PreferNoSchedule, the taint effect NoSchedule" in text
    by_value = make_pod("p", tolerations=(Toleration("stage", "Equal", "no", "NoSchedule"),))
    assert "has value no, the taint value yes" in text_of("TAINT_UNTOLERATED", [node], [by_value])
    assert "its toleration" not in text_of("TAINT_UNTOLERATED", [node], [make_pod("p")])


def test_a_condition_is_said_in_the_node_s_own_words_before_its_taint() -> None:
    dead = NodeCondition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")
    node = make_node("n", taints=[f"{UNREACHABLE}:NoSchedule"], conditions=(dead,))
    text = text_of("TAINT_NODE_CONDITION", [node], [make_pod("p")])
    assert "n: Ready=Unknown (Kubelet stopped posting node status.)" in text
    bare = make_node("n", taints=[f"{UNREACHABLE}:NoSchedule"])
    assert text_of("TAINT_NODE_CONDITION", [bare], [make_pod("p")]).endswith(": n")


def test_cordoned_nodes_are_named() -> None:
    nodes = [make_node(name, unschedulable=True) for name in ("b", "a")]
    assert text_of("CORDONED", nodes, [make_pod("p")]) == "cordoned: a and b"


def test_the_holder_of_a_port_is_named_with_its_node_and_address() -> None:
    def holding(name: str, ip: str = "", **fields: Any) -> Pod:
        ports = (ContainerPort(80, 8080, ip),)
        return make_pod(name, containers=(Container("c", ports=ports),), **fields)

    text = text_of("PORT_TAKEN", [make_node("n")], [holding("x", "10.0.0.1", node_name="n"), holding("p")])
    assert "host port 8080/TCP is taken: by default/x on n (address 10.0.0.1)" in text
    assert "address" not in text_of("PORT_TAKEN", [make_node("n")], [holding("x", node_name="n"), holding("p")])


def test_a_disk_that_excludes_sharing_names_its_holder() -> None:
    volume = Volume(name="v", source="gcePersistentDisk", attributes={"pdName": "shared"})
    on = make_pod("holder", volumes=(volume,), node_name="n")
    text = text_of("VOLUME_EXCLUSIVE", [make_node("n")], [on, make_pod("p", volumes=(volume,))])
    assert "default/holder has it" in text


def test_an_obstacle_that_no_row_has_is_said_by_its_kind() -> None:
    with table_of([make_node("a", cpu="1"), make_node("b")], [make_pod("p", cpu="2")]) as table:
        (key,) = table.by_row[0]
        assert obstacle_words(table, key, [1]) == "too little cpu is free"


def test_reasons_of_a_plugin_without_facts_are_its_own() -> None:
    assert BareRefusal(plugin="Extender http://e", reasons=("busy", "full"), refuses=True).words() == "busy; full"
