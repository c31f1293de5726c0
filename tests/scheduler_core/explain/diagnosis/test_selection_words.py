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


def affine(*terms: NodeSelectorTerm, **fields: object) -> Pod:
    return make_pod("p", affinity=Affinity(node_required=NodeSelector(terms)), **fields)


def selecting(key: str, value: str) -> Pod:
    return make_pod("p", node_selector={key: value})


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


LOGS = OwnerReference(kind="DaemonSet", name="logs", controller=True)
OF_ITS_NODE = NodeSelectorTerm((), (Requirement("metadata.name", "In", ("d1",)),))
NOT_OLD = NodeSelectorTerm((Requirement("old", "DoesNotExist"),))


@pytest.mark.parametrize(
    ("code", "pod", "labels", "text"),
    [
        ("SELECTOR_NO_MATCH", selecting("tier", "gold"), [{"tier": "silver"}, {"tier": "bronze"}, {}],
         "node selector tier=gold: no node has it; 2 nodes have bronze or silver and 1 node lacks the label"),
        ("SELECTOR_NO_MATCH", selecting("pool", "junipr"), [{"pool": "juniper"}] * 8 + [{"pool": "amber"}],
         "node selector pool=junipr: no node has it; 8 nodes have pool=juniper"),
        ("SELECTOR_NO_MATCH", selecting(OLD_ZONE, "a"), [{ZONE: "a"}] * 2,
         "node selector failure-domain.beta.kubernetes.io/zone=a: no node has the label "
         "failure-domain.beta.kubernetes.io/zone; 2 nodes have topology.kubernetes.io/zone=a"),
        ("SELECTOR_NO_MATCH", selecting(OLD_ZONE, "a"), [{ZONE: "b"}] * 2,
         "node selector failure-domain.beta.kubernetes.io/zone=a: no node has the label "
         "failure-domain.beta.kubernetes.io/zone; 2 nodes have the label topology.kubernetes.io/zone"),
        ("SELECTOR_NO_MATCH", selecting(OLD_ZONE, "a"), [{}] * 2,
         "node selector failure-domain.beta.kubernetes.io/zone=a: no node has the label "
         "failure-domain.beta.kubernetes.io/zone"),
        ("AFFINITY_NO_MATCH", affine(OF_ITS_NODE, owner_references=(LOGS,)), [{}],
         "node affinity: it is for d1 alone, as DaemonSet logs wrote it"),
        ("AFFINITY_NO_MATCH", affine(NOT_OLD), [{"old": "yes"}], "node affinity !old: 1 node has yes"),
    ],
    ids=[
        "what nodes have instead", "nearly right", "renamed, with the value", "renamed, with another value",
        "nothing like it", "the node that a controller wrote", "what it may not have",
    ],
)  # fmt: skip
def test_words(code: str, pod: Pod, labels: list[dict[str, str]], text: str) -> None:
    nodes = [make_node(f"n{i}", labels=one) for i, one in enumerate(labels)]
    assert said(label_words, code, nodes, [pod]) == text


def test_a_value_that_other_nodes_have_is_not_said_to_be_nowhere() -> None:
    pod = make_pod("p", cpu="2", node_selector={"tier": "gold"})
    nodes = [make_node("full", cpu="1", labels={"tier": "gold"}), make_node("n", labels={"tier": "iron"})]
    assert said(label_words, "SELECTOR_NO_MATCH", nodes, [pod]) == "node selector tier=gold: 1 node has iron"


def test_of_several_terms_what_is_unmet_in_each_is_said() -> None:
    pod = affine(*(NodeSelectorTerm((Requirement("zone", "In", (zone,)),)) for zone in "ab"))
    text = said(terms_words, "AFFINITY_NO_MATCH", [make_node("n", labels={"zone": "c"})], [pod])
    assert text == "node affinity: none of its 2 terms matches; unmet are zone=a and zone=b"
