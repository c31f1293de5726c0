"""Labels that are asked for, in words: what nodes have instead, and what is nearly so."""

from __future__ import annotations

import pytest

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, OwnerReference, Pod
from scheduler_core.explain.diagnosis.selection_words import label_words, requirement_words, terms_words
from scheduler_core.framework.contracts.facts import LabelFact
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import said

OLD_ZONE, ZONE = "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"


def affine(*requirements: Requirement, **fields: object) -> Pod:
    term = NodeSelectorTerm(requirements)
    return make_pod("p", affinity=Affinity(node_required=NodeSelector((term,))), **fields)


def texts(pod: Pod, *labels: dict[str, str], code: str = "SELECTOR_NO_MATCH") -> str:
    nodes = [make_node(f"n{i}", labels=one) for i, one in enumerate(labels)]
    return said(label_words, code, nodes, [pod])


def test_what_the_nodes_have_instead_is_counted_and_who_lacks_the_label() -> None:
    text = texts(make_pod("p", node_selector={"tier": "gold"}), {"tier": "silver"}, {"tier": "bronze"}, {})
    assert text == "node selector tier=gold: no node has it; 2 nodes have bronze or silver and 1 node lacks the label"


def test_a_value_that_other_nodes_have_is_not_said_to_be_nowhere() -> None:
    pod = make_pod("p", cpu="2", node_selector={"tier": "gold"})
    nodes = [make_node("full", cpu="1", labels={"tier": "gold"}), make_node("n", labels={"tier": "iron"})]
    text = said(label_words, "SELECTOR_NO_MATCH", nodes, [pod])
    assert "no node has it" not in text
    assert "1 node has iron" in text


def test_a_value_that_is_nearly_right_is_named_with_how_many_have_it() -> None:
    text = texts(make_pod("p", node_selector={"pool": "junipr"}), *[{"pool": "juniper"}] * 8, {"pool": "amber"})
    assert "8 nodes have pool=juniper" in text


@pytest.mark.parametrize(
    ("labels", "named"),
    [({ZONE: "a"}, f"2 nodes have {ZONE}=a"), ({ZONE: "b"}, f"2 nodes have the label {ZONE}"), ({}, "")],
    ids=["renamed, with the value", "renamed, with another value", "nothing like it"],
)
def test_a_key_that_no_node_has_names_the_one_that_is_meant(labels: dict[str, str], named: str) -> None:
    text = texts(make_pod("p", node_selector={OLD_ZONE: "a"}), labels, labels)
    assert f"no node has the label {OLD_ZONE}" in text
    assert text.endswith(named)


def test_a_daemonset_s_pod_is_for_the_node_that_its_controller_wrote() -> None:
    owner = OwnerReference(kind="DaemonSet", name="logs", controller=True)
    term = NodeSelectorTerm((), (Requirement("metadata.name", "In", ("d1",)),))
    pod = make_pod("p", owner_references=(owner,), affinity=Affinity(node_required=NodeSelector((term,))))
    text = said(label_words, "AFFINITY_NO_MATCH", [make_node("n")], [pod])
    assert text == "node affinity: it is for d1 alone, as DaemonSet logs wrote it"


def test_of_several_terms_what_is_unmet_in_each_is_said() -> None:
    terms = tuple(NodeSelectorTerm((Requirement("zone", "In", (zone,)),)) for zone in "ab")
    pod = make_pod("p", affinity=Affinity(node_required=NodeSelector(terms)))
    text = said(terms_words, "AFFINITY_NO_MATCH", [make_node("n", labels={"zone": "c"})], [pod])
    assert "none of its 2 terms matches" in text
    assert "zone=a and zone=b" in text


@pytest.mark.parametrize(
    ("operator", "values", "text"),
    [
        ("In", ("gold",), "tier=gold"),
        ("In", ("gold", "iron"), "tier in (gold, iron)"),
        ("NotIn", ("gold",), "tier not in (gold)"),
        ("Gt", ("5",), "tier > (5)"),
        ("Exists", (), "tier (any value)"),
        ("DoesNotExist", (), "!tier"),
    ],
)
def test_requirements_in_words(operator: str, values: tuple[str, ...], text: str) -> None:
    fact = LabelFact(key="tier", operator=operator, values=values, source="nodeSelector", met=False)
    assert requirement_words(fact) == text


def test_what_the_pod_may_not_have_is_told_too() -> None:
    text = texts(affine(Requirement("old", "DoesNotExist")), {"old": "yes"}, code="AFFINITY_NO_MATCH")
    assert text.startswith("node affinity !old: ")
    assert "no node has the label" not in text
