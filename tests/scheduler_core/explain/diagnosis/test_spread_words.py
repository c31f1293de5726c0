"""Topology spread and pod affinity in words: the domain that decides is named."""

from __future__ import annotations

from typing import Any

import pytest

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


def near(kind: str, key: str, name: str = "p", node: str = "", **fields: object) -> Pod:
    affinity = Affinity(**{kind: (PodAffinityTerm(key, WEB),)})  # type: ignore[arg-type]
    return make_pod(name, affinity=affinity, node_name=node, **fields)


CONTROL_PLANE = make_node("ctl", labels={ZONE: "c"}, taints=["node-role.kubernetes.io/control-plane:NoSchedule"])
CORDONED = make_node("c", labels={ZONE: "c"}, unschedulable=True)


@pytest.mark.parametrize(
    ("code", "nodes", "pods", "text"),
    [
        ("SPREAD_SKEW", [*in_zones("a"), CORDONED], [web("x", "a0"), web("y", "a0"), spread()],
         "topology spread over topology.kubernetes.io/zone (maxSkew 1): it would be 3 ahead of c with 0 pods, which "
         "counts though its taint spec.unschedulable keeps the pod off (nodeTaintsPolicy: Ignore)"),
        ("SPREAD_SKEW", [*in_zones("a"), CONTROL_PLANE], [web("x", "a0"), spread()],
         "topology spread over topology.kubernetes.io/zone (maxSkew 1): it would be 2 ahead of c with 0 pods, which "
         "counts though its taint node-role.kubernetes.io/control-plane:NoSchedule keeps the pod off "
         "(nodeTaintsPolicy: Ignore)"),
        ("SPREAD_SKEW", [*in_zones("a", "b"), CORDONED], [web("x", "a0"), web("y", "a0"), web("z", "b1"), spread()],
         "topology spread over topology.kubernetes.io/zone (maxSkew 1): it would be 2 to 3 ahead of c with 0 pods, "
         "which counts though its taint spec.unschedulable keeps the pod off (nodeTaintsPolicy: Ignore)"),
        ("SPREAD_MIN_DOMAINS", in_zones("a", "b"), [web("x", "a0"), web("y", "b1"), spread(min_domains=3)],
         "topology spread over topology.kubernetes.io/zone: minDomains asks for 3 domains and there are 2, so that "
         "the fewest pods count as 0"),
        ("SPREAD_KEY_MISSING", in_zones("a", "b"), [spread(OLD_ZONE)],
         "topology spread over failure-domain.beta.kubernetes.io/zone: no node has the label "
         "failure-domain.beta.kubernetes.io/zone; 2 nodes have topology.kubernetes.io/zone"),
        ("SPREAD_KEY_MISSING", [*in_zones("a"), make_node("bare")], [spread()],
         "topology spread over topology.kubernetes.io/zone: 1 node lacks the label"),
        ("AFFINITY_NO_POD", in_zones("a", "b"), [near("pod_required", ZONE)],
         "pod affinity to app=web: no such pod is in topology.kubernetes.io/zone a or b"),
        ("AFFINITY_KEY_MISSING", in_zones("a"), [near("pod_required", OLD_ZONE)],
         "pod affinity by failure-domain.beta.kubernetes.io/zone: no node has the label "
         "failure-domain.beta.kubernetes.io/zone; 1 node has topology.kubernetes.io/zone"),
        ("ANTI_AFFINITY_OWN", in_zones("a", "a"), [web("far", "a1"), near("anti_required", ZONE)],
         "its anti-affinity to app=web by topology.kubernetes.io/zone: default/far on a1"),
        ("ANTI_AFFINITY_OF_OTHERS", [make_node("n")], [near("anti_required", HOSTNAME, "x", "n"), web("p")],
         "anti-affinity by kubernetes.io/hostname of default/x on n, which keeps pods like it away"),
    ],
    ids=[
        "the domain with the fewest pods", "an empty domain behind a taint", "a range of skews", "too few domains",
        "a renamed key", "a node without the key", "no pod of the affinity", "a renamed key of the affinity",
        "the pods that it avoids", "the pods that avoid it",
    ],
)  # fmt: skip
def test_words(code: str, nodes: list[Node], pods: list[Pod], text: str) -> None:
    say: Any = spread_words if code.startswith("SPREAD") else pod_term_words
    assert said(say, code, nodes, pods) == text
