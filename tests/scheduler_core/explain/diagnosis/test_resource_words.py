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


def on(node: str, cpu: str = "0", name: str = "x") -> Pod:
    return make_pod(name, cpu=cpu, node_name=node)


def rival(cpu: str) -> Pod:
    return make_pod("rival", cpu=cpu, priority=10, nominated_node_name="n")


def container(name: str, cpu: str, **fields: object) -> Container:
    return Container(name=name, requests=resources({"cpu": cpu}), **fields)  # type: ignore[arg-type]


LOGS = OwnerReference(kind="DaemonSet", name="logs", controller=True)
RESERVED = make_node("n", cpu="3920m")
RESERVED = msgspec.structs.replace(RESERVED, capacity={**RESERVED.allocatable, **resources({"cpu": "4"})})


@pytest.mark.parametrize(
    ("code", "nodes", "pods", "text"),
    [
        ("SHORT_CPU", [make_node("a", cpu="4"), make_node("b", cpu="4")],
         [on("a", "3", "x"), on("b", "2500m", "y"), make_pod("p", cpu="2")],
         "too little cpu: container main asks for 2, and of 2 nodes the best, b, has 1.5 free; most is held by "
         "default/y 2.5"),
        ("SHORT_CPU", [make_node("a", cpu="4")], [on("a", "4"), make_pod("p", cpu="2")],
         "too little cpu: container main asks for 2, and a has none free; most is held by default/x 4"),
        ("SHORT_CPU", [make_node("a", cpu="4"), make_node("small", cpu="1")], [on("a", "4"), make_pod("p", cpu="2")],
         "too little cpu: container main asks for 2, and of 2 nodes the best, small, has 1 free (1 of them is too "
         "small even when empty)"),
        ("HELD_BY_NOMINATED", [make_node("n", cpu="2")], [rival("2"), make_pod("p", cpu="1500m")],
         "promised cpu: it asks for 1.5; n has 2 free, of which 2 are promised to default/rival"),
        ("HELD_BY_NOMINATED", [make_node("n", cpu="3")], [rival("2"), make_pod("p", cpu="1500m")],
         "promised cpu: it asks for 1.5; n has 3 free, of which 2 are promised to default/rival"),
        ("SHORT_CPU", [make_node("n", cpu="4")], [on("n", "3"), rival("3"), make_pod("p", cpu="2")],
         "too little cpu: container main asks for 2, and n has 1 free; 3 are promised to nominated pods; most is "
         "held by default/x 3"),
        ("SHORT_PODS", [make_node("d", pods=1)], [on("d"), make_pod("p", owner_references=(LOGS,))],
         "slots for pods: d takes 1 pod and has 1; as a pod of DaemonSet logs it belongs on this node alone"),
        ("NOT_OFFERED", [make_node("cpu-a"), make_node("gpu-b", extended={"nvidia.com/mig-1g.10gb": "7"})],
         [make_pod("p", extended={GPU: "1"})],
         "resource nvidia.com/gpu: container main asks for 1, and no node offers it; gpu-b offers 7 "
         "nvidia.com/mig-1g.10gb"),
        ("NOT_OFFERED", [make_node("cpu-a"), make_node("gpu", extended={GPU: "1"})],
         [make_pod("x", extended={GPU: "1"}, node_name="gpu"), make_pod("p", extended={GPU: "1"})],
         "resource nvidia.com/gpu: container main asks for 1, and cpu-a does not offer it"),
    ],
    ids=[
        "the best node and who holds most there", "nothing free", "too small even when empty", "all is promised",
        "some is promised", "short without what is promised", "full of pods", "no node offers it",
        "another node offers it",
    ],
)  # fmt: skip
def test_words(code: str, nodes: list[Node], pods: list[Pod], text: str) -> None:
    assert said(shortage_words, code, nodes, pods) == text


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (RESERVED,
         "request of cpu: container main asks for 4, more than any node gives that is otherwise open: n has 3.92 "
         "allocatable of a capacity of 4; 0.08 is reserved for the system"),
        (make_node("n", cpu="3"),
         "request of cpu: container main asks for 4, more than any node gives that is otherwise open: n has 3 "
         "allocatable"),
    ],
    ids=["some is reserved", "none is"],
)  # fmt: skip
def test_words_of_a_node_that_is_too_small(node: Node, text: str) -> None:
    cause = diagnosed([node], [make_pod("p", cpu="4")]).cause
    assert (cause.codes, cause.obstacles[0].text) == (("TOO_LARGE",), text)


# --- devices ---------------------------------------------------------------------------------------------------------
NOT_ALLOCATABLE = make_node("dead")
NOT_ALLOCATABLE = msgspec.structs.replace(NOT_ALLOCATABLE, capacity={**NOT_ALLOCATABLE.capacity, GPU: 8})


@pytest.mark.parametrize(
    ("node", "sentences"),
    [
        (NOT_ALLOCATABLE,
         ["dead has a capacity of 8 and allocatable 0: its device plugin is gone, or its devices are unhealthy"]),
        (make_node("labelled", labels={f"{GPU}.present": "true"}),
         ["labelled is labelled nvidia.com/gpu.present=true, so its device plugin may not run"]),
        (make_node("plain"), []),
    ],
    ids=["a capacity that is not allocatable", "a label of the device", "neither"],
)  # fmt: skip
def test_words_of_offers(node: Node, sentences: list[str]) -> None:
    assert offers_words(GPU, [node]) == sentences


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
        (
            {"containers": (MAIN,), "init_containers": (WARM,)},
            "init container warm asks for 3 (its other containers ask for 1)",
        ),
        ({"containers": (MAIN,), "init_containers": (SIDECAR,)}, "it asks for 3"),
        ({"containers": (container("a", "2"),), "overhead": resources({"cpu": "1"})}, "it asks for 3"),
        (
            {"containers": (container("a", "3", limits=resources({"cpu": "3"})),)},
            "container a asks for 3 (as much as its limit, which is the request where none is written)",
        ),
        ({"containers": (container("a", "3", limits=resources({"cpu": "4"})),)}, "container a asks for 3"),
    ],
    ids=["all", "one", "an init container", "a sidecar too", "its runtime too", "a limit alone", "a limit above"],
)
def test_the_container_that_decides_the_request_is_named(fields: dict[str, Any], who: str) -> None:
    assert asked_by(make_pod("p", **fields), "cpu", "3") == who


def test_every_pod_takes_a_slot() -> None:
    assert asked_by(make_pod("p"), "pods", "1").endswith(" a slot")
