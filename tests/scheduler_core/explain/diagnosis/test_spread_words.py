"""Topology spread and pod affinity in words: the domain that decides is named."""

from __future__ import annotations

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import Affinity, Node, Pod, PodAffinityTerm, TopologySpreadConstraint
from scheduler_core.explain.diagnosis.spread_words import pod_term_words, spread_words
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import HOSTNAME, ZONE, said

WEB = LabelSelector((Requirement("app", "In", ("web",)),))
OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"


def web(name: str, node: str = "", **fields: object) -> Pod:
    return make_pod(name, labels={"app": "web"}, node_name=node, **fields)


def spread(key: str = ZONE, **fields: object) -> Pod:
    constraint = TopologySpreadConstraint(topology_key=key, label_selector=WEB, **fields)  # type: ignore[arg-type]
    return web("p", topology_spread_constraints=(constraint,))


def in_zones(*zones: str, **fields: object) -> list[Node]:
    return [make_node(f"{zone}{i}", labels={ZONE: zone}, **fields) for i, zone in enumerate(zones)]


# --- spread ----------------------------------------------------------------------------------------------------------
def test_the_domain_with_the_fewest_pods_and_the_skew_that_would_result_are_named() -> None:
    nodes = [*in_zones("a"), make_node("b", labels={ZONE: "b"}, unschedulable=True)]
    text = said(spread_words, "SPREAD_SKEW", nodes, [web("x", "a0"), web("y", "a0"), spread()])
    assert "(maxSkew 1)" in text
    assert "it would be 3 ahead of b with 0 pods" in text


def test_an_empty_domain_that_a_taint_keeps_the_pod_off_says_why_it_counts() -> None:
    nodes = [
        *in_zones("a"),
        make_node("ctl", labels={ZONE: "c"}, taints=["node-role.kubernetes.io/control-plane:NoSchedule"]),
    ]
    text = said(spread_words, "SPREAD_SKEW", nodes, [web("x", "a0"), spread()])
    assert (
        "ahead of c with 0 pods, which counts though its taint node-role.kubernetes.io/control-plane:NoSchedule" in text
    )
    assert "nodeTaintsPolicy: Ignore" in text


def test_of_several_nodes_the_skew_is_a_range() -> None:
    nodes = [*in_zones("a", "b"), make_node("c", labels={ZONE: "c"}, unschedulable=True)]
    placed = [web("x", "a0"), web("y", "a0"), web("z", "b1")]
    assert "it would be 2 to 3 ahead" in said(spread_words, "SPREAD_SKEW", nodes, [*placed, spread()])


def test_fewer_domains_than_are_asked_for_are_counted() -> None:
    nodes = in_zones("a", "b")
    placed = [web("x", "a0"), web("y", "b1")]
    text = said(spread_words, "SPREAD_MIN_DOMAINS", nodes, [*placed, spread(min_domains=3)])
    assert "minDomains asks for 3 domains and there are 2" in text


def test_a_key_that_no_node_has_names_what_became_of_it() -> None:
    text = said(spread_words, "SPREAD_KEY_MISSING", in_zones("a", "b"), [spread(OLD_ZONE)])
    assert f"no node has the label {OLD_ZONE}; 2 nodes have {ZONE}" in text
    some = [*in_zones("a"), make_node("bare")]
    assert "1 node lacks the label" in said(spread_words, "SPREAD_KEY_MISSING", some, [spread()])


# --- pod affinity ----------------------------------------------------------------------------------------------------
def test_where_no_pod_is_that_the_affinity_asks_for_its_domains_are_named() -> None:
    pod = make_pod("p", affinity=Affinity(pod_required=(PodAffinityTerm(ZONE, WEB),)))
    text = said(pod_term_words, "AFFINITY_NO_POD", in_zones("a", "b"), [pod])
    assert "app" in text
    assert text.endswith(f"no such pod is in {ZONE} a or b")


def test_a_missing_topology_key_of_the_affinity_names_what_became_of_it() -> None:
    pod = make_pod("p", affinity=Affinity(pod_required=(PodAffinityTerm(OLD_ZONE, WEB),)))
    text = said(pod_term_words, "AFFINITY_KEY_MISSING", in_zones("a"), [pod])
    assert f"1 node has {ZONE}" in text


def test_the_pods_that_it_stays_away_from_are_named_with_the_nodes_on_which_they_are() -> None:
    pod = make_pod("p", affinity=Affinity(anti_required=(PodAffinityTerm(ZONE, WEB),)))
    nodes = [*in_zones("a", "a")]
    text = said(pod_term_words, "ANTI_AFFINITY_OWN", nodes, [web("far", "a1"), pod])
    assert "default/far on a1" in text, "not the node that it would open"


def test_whose_anti_affinity_keeps_it_away_is_named() -> None:
    apart = Affinity(anti_required=(PodAffinityTerm(HOSTNAME, WEB),))
    nodes = [make_node("n")]
    text = said(
        pod_term_words, "ANTI_AFFINITY_OF_OTHERS", nodes, [make_pod("x", affinity=apart, node_name="n"), web("p")]
    )
    assert f"anti-affinity by {HOSTNAME} of default/x on n" in text
