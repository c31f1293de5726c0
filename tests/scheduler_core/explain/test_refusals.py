"""Explanations follow from the two objects; each expectation is worked out by hand."""

from __future__ import annotations

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, Taint, Toleration
from scheduler_core.explain import NodeSituation, explain_refusal, nearest_misses, shortfalls
from scheduler_core.testing.builders import make_node, make_pod


def situation(node: object, cpu: int = 0, memory: int = 0, pods: int = 0) -> NodeSituation:
    return NodeSituation(node, {"cpu": cpu, "memory": memory}, pods)  # type: ignore[arg-type]


def test_a_shortfall_says_how_much_is_missing() -> None:
    (short,) = shortfalls({"cpu": 6000, "memory": 0}, make_node("n", cpu="8"), {"cpu": 2500}, 3)
    assert short.text() == "short of 500m cpu: needs 6, has 5500m free"
    assert not short.is_too_small


def test_a_node_that_is_too_small_says_so() -> None:
    (short,) = shortfalls({"cpu": 6000}, make_node("n", cpu="4"), {}, 0)
    assert short.text() == "too small: needs 6 cpu, has 4 in all"


def test_a_full_node_is_short_of_pods() -> None:
    (short,) = shortfalls({}, make_node("n", pods=2), {}, 2)
    assert (short.resource, short.missing) == ("pods", 1)


def test_shortfalls_come_in_one_order_whatever_the_order_of_requests() -> None:
    names = ["memory", "example.com/b", "cpu", "example.com/a", "ephemeral-storage"]
    expected = ["pods", "cpu", "memory", "ephemeral-storage", "example.com/a", "example.com/b"]
    for requests in (names, names[::-1]):
        found = shortfalls(dict.fromkeys(requests, 1 << 50), make_node("n", pods=0), {}, 0)
        assert [short.resource for short in found] == expected


def test_an_untolerated_taint_is_named() -> None:
    node = make_node("n", taints=[Taint("gpu", "present"), Taint("old", effect="PreferNoSchedule")])
    told = explain_refusal("TaintToleration", make_pod("p"), situation(node))
    assert told.facts == ("no toleration for the taint gpu=present:NoSchedule",)
    tolerant = make_pod("p", tolerations=(Toleration("gpu", "Exists"),))
    assert explain_refusal("TaintToleration", tolerant, situation(node)).facts == ()


def test_a_label_is_missing_or_another() -> None:
    pod = make_pod("p", node_selector={"disk": "ssd"})
    assert explain_refusal("NodeAffinity", pod, situation(make_node("n"))).facts == (
        "needs disk=ssd; the label is missing",
    )
    other = make_node("n", labels={"disk": "hdd"})
    assert explain_refusal("NodeAffinity", pod, situation(other)).facts == ("needs disk=ssd; it is hdd",)


def test_each_term_of_a_required_affinity_is_told() -> None:
    terms = (
        NodeSelectorTerm((Requirement("zone", "In", ("a", "b")), Requirement("gpu", "Exists"))),
        NodeSelectorTerm((Requirement("cores", "Gt", ("8",)),)),
    )
    pod = make_pod("p", affinity=Affinity(node_required=NodeSelector(terms)))
    node = make_node("n", labels={"zone": "c", "cores": "4"})
    assert explain_refusal("NodeAffinity", pod, situation(node)).facts == (
        "needs zone in a, b; it is c and needs the label gpu",
        "needs cores > 8; it is 4",
    )


def test_an_unknown_plugin_explains_nothing() -> None:
    assert explain_refusal("Mine", make_pod("p"), situation(make_node("n"))).facts == ()


def test_the_nearest_miss_lacks_least() -> None:
    pod = make_pod("p", cpu="4")
    fit = ("NodeResourcesFit",)
    near, far = situation(make_node("near", cpu="8"), cpu=4500), situation(make_node("far", cpu="8"), cpu=7000)
    small, tainted = situation(make_node("small", cpu="2")), situation(make_node("tainted"))
    found = nearest_misses(pod, [(far, fit), (small, fit), (tainted, ("TaintToleration", *fit)), (near, fit)], limit=3)
    assert [entry[0].node.name for entry in found] == ["near", "far", "small"]
    assert found[0][2] == 0.125
