"""Explanations follow from the two objects; each expectation is worked out by hand."""

from __future__ import annotations

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity
from scheduler_core.api.taints import Taint, Toleration
from scheduler_core.explain import NodeSituation, explain_refusal
from scheduler_core.testing.builders import make_node, make_pod


def situation(node: object, cpu: int = 0, memory: int = 0, pods: int = 0) -> NodeSituation:
    return NodeSituation(node, {"cpu": cpu, "memory": memory}, pods)  # type: ignore[arg-type]


def test_an_untolerated_taint_is_named() -> None:
    node = make_node("n", taints=[Taint("gpu", "present"), Taint("old", effect="PreferNoSchedule")])
    explanation = explain_refusal("TaintToleration", make_pod("p"), situation(node))
    assert [text.split()[-1] for text in explanation] == ["gpu=present:NoSchedule"]
    tolerant = make_pod("p", tolerations=(Toleration("gpu", "Exists"),))
    assert explain_refusal("TaintToleration", tolerant, situation(node)) == ()


def test_a_label_is_missing_or_another() -> None:
    pod = make_pod("p", node_selector={"disk": "ssd"})
    (missing,) = explain_refusal("NodeAffinity", pod, situation(make_node("n")))
    (another,) = explain_refusal("NodeAffinity", pod, situation(make_node("n", labels={"disk": "hdd"})))
    assert "disk=ssd" in missing
    assert "disk=ssd" in another
    assert ("hdd" in missing, "hdd" in another) == (False, True)


def test_each_term_of_a_required_affinity_is_told() -> None:
    terms = (
        NodeSelectorTerm((Requirement("zone", "In", ("a", "b")), Requirement("gpu", "Exists"))),
        NodeSelectorTerm((Requirement("cores", "Gt", ("8",)),)),
    )
    pod = make_pod("p", affinity=Affinity(node_required=NodeSelector(terms)))
    node = make_node("n", labels={"zone": "c", "cores": "4"})
    (explanation,) = explain_refusal("NodeAffinity", pod, situation(node))
    first, second = explanation.split("; or ")
    assert all(part in first for part in ("zone in a, b", "is c", "label gpu"))
    assert all(part in second for part in ("cores > 8", "is 4"))


def test_an_unknown_plugin_explains_nothing() -> None:
    assert explain_refusal("Mine", make_pod("p"), situation(make_node("n"))) == ()


def test_a_refusal_by_the_configuration_is_not_the_pod_s() -> None:
    assert explain_refusal("NodeAffinity", make_pod("p"), situation(make_node("n"))) == ()


def test_a_cordoned_node_and_another_named_node_are_told_by_their_plugins() -> None:
    cordoned = situation(make_node("n", unschedulable=True))
    explanation = explain_refusal("NodeUnschedulable", make_pod("p"), cordoned)
    assert len(explanation) == 1
    assert explanation[0].endswith("cordoned")
    named = explain_refusal("NodeName", make_pod("p", node_name="m"), situation(make_node("n")))
    assert [text[-3:] for text in named] == [": m"]
