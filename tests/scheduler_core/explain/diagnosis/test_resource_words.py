"""Shortages in words: the value that decides is named, with the node on which it is."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from scheduler_core.api.objects import Container, Node, OwnerReference, Pod
from scheduler_core.explain.diagnosis.resource_words import asked_by, offers_words, other_offers, shortage_words
from scheduler_core.testing.builders import make_node, make_pod, resources
from tests.scheduler_core.explain.diagnosis.diagnosed import diagnosed, said

GPU = "nvidia.com/gpu"


def container(name: str, cpu: str, **fields: object) -> Container:
    return Container(name=name, requests=resources({"cpu": cpu}), **fields)  # type: ignore[arg-type]


def test_the_best_node_is_named_with_what_is_free_there_and_who_holds_most() -> None:
    nodes = [make_node("a", cpu="4"), make_node("b", cpu="4")]
    placed = [make_pod("x", cpu="3", node_name="a"), make_pod("y", cpu="2500m", node_name="b")]
    text = said(shortage_words, "SHORT_CPU", nodes, [*placed, make_pod("p", cpu="2")])
    assert "of 2 nodes the best, b, has 1.5 free" in text
    assert "default/y 2.5" in text
    assert "default/x" not in text, "it is on another node"


def test_nothing_free_is_said_as_none_and_not_as_a_negative_amount() -> None:
    text = said(shortage_words, "SHORT_CPU", [make_node("a", cpu="4")],
                [make_pod("x", cpu="4", node_name="a"), make_pod("p", cpu="2")])  # fmt: skip
    assert "a has none free" in text


def test_nodes_that_are_too_small_even_when_empty_are_counted() -> None:
    nodes = [make_node("a", cpu="4"), make_node("small", cpu="1")]
    text = said(shortage_words, "SHORT_CPU", nodes, [make_pod("x", cpu="4", node_name="a"), make_pod("p", cpu="2")])
    assert "1 of them is too small even when empty" in text


@pytest.mark.parametrize("node_cpu", ["2", "3"])
def test_one_free_where_three_are_promised_is_both_said(node_cpu: str) -> None:
    rival = make_pod("rival", cpu="2", priority=10, nominated_node_name="n")
    pods = [rival, make_pod("p", cpu="1500m")]
    text = said(shortage_words, "HELD_BY_NOMINATED", [make_node("n", cpu=node_cpu)], pods)
    assert f"n has {node_cpu} free, of which 2 are promised to default/rival" in text


def test_what_is_promised_is_said_too_where_the_node_is_short_without_it() -> None:
    rival = make_pod("rival", cpu="3", priority=10, nominated_node_name="n")
    pods = [make_pod("x", cpu="3", node_name="n"), rival, make_pod("p", cpu="2")]
    text = said(shortage_words, "SHORT_CPU", [make_node("n", cpu="4")], pods)
    assert "n has 1 free; 3 are promised to nominated pods" in text


def with_capacity(name: str, cpu: str, capacity: str, **fields: object) -> Node:
    node = make_node(name, cpu=cpu, **fields)  # type: ignore[arg-type]
    return msgspec.structs.replace(node, capacity={**node.allocatable, **resources({"cpu": capacity})})


def test_capacity_stands_beside_allocatable_where_some_is_reserved() -> None:
    text = said_of_too_large([with_capacity("n", "3920m", "4")], make_pod("p", cpu="4"))
    assert "n has 3.92 allocatable of a capacity of 4; 0.08 is reserved for the system" in text
    assert "reserved" not in said_of_too_large([make_node("n", cpu="3")], make_pod("p", cpu="4"))


def said_of_too_large(nodes: list[Node], pod: Pod) -> str:
    cause = diagnosed(nodes, [pod]).cause
    assert cause.codes == ("TOO_LARGE",)
    return cause.obstacles[0].text


def test_a_full_node_says_how_many_pods_it_takes_and_a_daemonset_s_pod_that_it_belongs_there() -> None:
    nodes = [make_node("d", pods=1)]
    owner = OwnerReference(kind="DaemonSet", name="logs", controller=True)
    text = said(
        shortage_words, "SHORT_PODS", nodes, [make_pod("x", node_name="d"), make_pod("p", owner_references=(owner,))]
    )
    assert "d takes 1 pods and has 1" in text
    assert "DaemonSet logs" in text


# --- devices ---------------------------------------------------------------------------------------------------------
def test_a_resource_that_no_node_offers_names_what_is_offered_instead() -> None:
    nodes = [make_node("cpu-a"), make_node("gpu-b", extended={"nvidia.com/mig-1g.10gb": "7"})]
    text = said(shortage_words, "NOT_OFFERED", nodes, [make_pod("p", extended={GPU: "1"})])
    assert "no node offers it" in text
    assert "gpu-b offers 7 nvidia.com/mig-1g.10gb" in text


def test_a_resource_that_another_node_offers_is_only_not_offered_here() -> None:
    nodes = [make_node("cpu-a"), make_node("gpu", extended={GPU: "1"})]
    placed = make_pod("x", extended={GPU: "1"}, node_name="gpu")
    text = said(shortage_words, "NOT_OFFERED", nodes, [placed, make_pod("p", extended={GPU: "1"})])
    assert "cpu-a does not offer it" in text


def test_a_capacity_that_is_not_allocatable_and_a_label_of_the_device_are_told() -> None:
    dead = make_node("dead")
    dead = msgspec.structs.replace(dead, capacity={**dead.capacity, GPU: 8})
    labelled = make_node("labelled", labels={f"{GPU}.present": "true"})
    first, second = offers_words(GPU, [dead, labelled])
    assert "dead has a capacity of 8 and allocatable 0" in first
    assert f"labelled is labelled {GPU}.present=true" in second
    assert offers_words(GPU, [make_node("plain")]) == []


def test_other_resources_of_the_vendor_are_parts_of_its_devices() -> None:
    node = make_node("n", extended={"nvidia.com/mig-1g.10gb": "7", "amd.com/gpu": "1", "nvidia.com/none": "0"})
    assert other_offers(GPU, node) == [("nvidia.com/mig-1g.10gb", 7)]
    assert other_offers("cpu", node) == []


# --- who asks --------------------------------------------------------------------------------------------------------
MAIN, BIG = container("a", "1"), container("a", "3")
SIDECAR, WARM = container("s", "2", restart_policy="Always"), container("warm", "3")


@pytest.mark.parametrize(
    ("fields", "who"),
    [
        ({"containers": (MAIN, container("b", "2"))}, "it asks for 3"),
        ({"containers": (BIG, Container(name="b"))}, "container a asks for 3"),
        ({"containers": (MAIN,), "init_containers": (WARM,)}, "init container warm asks for 3 (its other"),
        ({"containers": (MAIN,), "init_containers": (SIDECAR,)}, "it asks for 3"),
        ({"containers": (container("a", "2"),), "overhead": resources({"cpu": "1"})}, "it asks for 3"),
        (
            {"containers": (container("a", "3", limits=resources({"cpu": "3"})),)},
            "container a asks for 3 (as much as its limit, which is the request where none is written)",
        ),
    ],
    ids=["all", "one", "an init container", "a sidecar too", "its runtime too", "a limit alone"],
)
def test_the_container_that_decides_the_request_is_named(fields: dict[str, Any], who: str) -> None:
    assert asked_by(make_pod("p", **fields), "cpu", "3").startswith(who)


def test_a_limit_above_the_request_is_not_spoken_of() -> None:
    pod = make_pod("p", containers=(container("a", "2", limits=resources({"cpu": "3"})),))
    assert "limit" not in asked_by(pod, "cpu", "2")


def test_a_pod_takes_a_slot() -> None:
    assert asked_by(make_pod("p"), "pods", "1") == "it takes a slot"
