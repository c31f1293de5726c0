"""Obstacles and causes in words: what decides is named, and nothing outside of the set is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from scheduler_core.api.objects import Container, ContainerPort, NodeCondition, Pod, Volume
from scheduler_core.api.taints import Toleration
from scheduler_core.explain.diagnosis import words
from scheduler_core.explain.diagnosis.table import BareRefusal
from scheduler_core.explain.diagnosis.words import cause_words, names, obstacle_words, opened_words
from scheduler_core.explain.facts import texts
from scheduler_core.framework.contracts import facts as f
from scheduler_core.framework.contracts.obstacles import KINDS
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import diagnosed, table_of

UNREACHABLE = "node.kubernetes.io/unreachable"


def text_of(code: str, nodes: list, pods: list, **objects: Any) -> str:
    (text,) = [one.text for one in diagnosed(nodes, pods, **objects).obstacles if one.code == code]
    return text


@pytest.mark.parametrize(
    ("listed", "text"), [("ba", "a and b"), ("dcba", "a, b, c and d"), ("edcba", "a, b, c and 2 more")]
)
def test_a_few_names_are_listed_and_of_many_the_first_with_how_many_more(listed: str, text: str) -> None:
    assert names(list(listed)) == text


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        (opened_words(["w2", "w1"], 9), "Nothing else keeps it off w1 and w2."),
        (opened_words([f"n{i}" for i in range(9)], 9), "Nothing else keeps it off any of the 9 nodes."),
        (opened_words([], 9), "No single change opens a node."),
        (
            cause_words(["taint a", "too little cpu"], ["n"], 3),
            "2 at once: taint a; and too little cpu. Nothing else keeps it off n.",
        ),
        (cause_words(["taint a"], ["n"], 3), "Taint a. Nothing else keeps it off n."),
    ],
)
def test_words_of_sets(sentence: str, text: str) -> None:
    """What a set opens is said of its own nodes, and several obstacles at once are counted."""
    assert sentence == text


def tolerating(value: str, effect: str) -> Pod:
    return make_pod("p", tolerations=(Toleration("stage", "Equal", value, effect),))


def holding(name: str, ip: str = "", **fields: Any) -> Pod:
    return make_pod(name, containers=(Container("c", ports=(ContainerPort(80, 8080, ip),)),), **fields)


STAGED = make_node("n", taints=["stage=yes:NoSchedule"])
DEAD = NodeCondition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")
SHARED = (Volume(name="v", source="gcePersistentDisk", attributes={"pdName": "shared"}),)


@pytest.mark.parametrize(
    ("code", "nodes", "pods", "text"),
    [
        ("TAINT_UNTOLERATED", [STAGED], [tolerating("yes", "PreferNoSchedule")],
         "taint stage=yes:NoSchedule, which it does not tolerate: its toleration of stage=yes has effect "
         "PreferNoSchedule, the taint effect NoSchedule"),
        ("TAINT_UNTOLERATED", [STAGED], [tolerating("no", "NoSchedule")],
         "taint stage=yes:NoSchedule, which it does not tolerate: its toleration of stage=no has value no, the "
         "taint value yes"),
        ("TAINT_UNTOLERATED", [STAGED], [make_pod("p")], "taint stage=yes:NoSchedule, which it does not tolerate"),
        ("TAINT_NODE_CONDITION", [make_node("n", taints=[f"{UNREACHABLE}:NoSchedule"], conditions=(DEAD,))],
         [make_pod("p")],
         "node condition (taint node.kubernetes.io/unreachable): n: Ready=Unknown (Kubelet stopped posting node "
         "status.)"),
        ("TAINT_NODE_CONDITION", [make_node("n", taints=[f"{UNREACHABLE}:NoSchedule"])], [make_pod("p")],
         "node condition (taint node.kubernetes.io/unreachable): n"),
        ("CORDONED", [make_node(name, unschedulable=True) for name in "ba"], [make_pod("p")], "cordoned: a and b"),
        ("PORT_TAKEN", [make_node("n")], [holding("x", "10.0.0.1", node_name="n"), holding("p")],
         "host port 8080/TCP is taken: by default/x on n (address 10.0.0.1)"),
        ("PORT_TAKEN", [make_node("n")], [holding("x", node_name="n"), holding("p")],
         "host port 8080/TCP is taken: by default/x on n"),
        ("VOLUME_EXCLUSIVE", [make_node("n")],
         [make_pod("holder", volumes=SHARED, node_name="n"), make_pod("p", volumes=SHARED)],
         "volume v excludes sharing, and default/holder has it"),
    ],
    ids=[
        "another effect", "another value", "no toleration", "a condition before its taint", "a taint alone",
        "cordoned", "a port and its address", "a port", "a disk and its holder",
    ],
)  # fmt: skip
def test_words(code: str, nodes: list, pods: list, text: str) -> None:
    assert text_of(code, nodes, pods) == text


def test_an_obstacle_that_no_row_has_is_said_by_its_kind() -> None:
    with table_of([make_node("a", cpu="1"), make_node("b")], [make_pod("p", cpu="2")]) as table:
        (key,) = table.by_row[0]
        assert obstacle_words(table, key, [1]) == KINDS[key.code].means


def test_reasons_of_a_plugin_without_facts_are_its_own() -> None:
    assert BareRefusal(plugin="Extender http://e", reasons=("busy", "full"), refuses=True).words() == "busy; full"


OF_SCORES = (f.ShareFact, f.DeviationFact, f.PreferenceFact, f.ImageFact, f.SpreadScoreFact, f.AttractionFact,
             f.DeviceGivenFact, f.DeviceRankFact)  # fmt: skip
"""Types of facts that refuse no node, so that no obstacle is made of them."""
FACTS = [one for one in f.Fact.__subclasses__() if one.__module__.startswith(f.__name__)]


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.__name__)
def test_every_type_of_fact_has_words_on_a_node_and_as_an_obstacle(fact: type[f.Fact]) -> None:
    if "words" in vars(fact):
        return
    for module in (texts,) if fact in OF_SCORES else (texts, words):
        assert fact in module._BY_TYPE, (
            f"{fact.__name__} of {file_of(fact.__module__)} has no words: add it to _BY_TYPE of "
            f"{file_of(module.__name__)}, or give it words() of its own"
        )


def file_of(module: str) -> str:
    return Path(sys.modules[module].__file__ or "").relative_to(Path(__file__).parents[4]).as_posix()
