"""Labels that are asked for, in words: what nodes have instead, and what is nearly so."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.api.labels import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import (
    Affinity,
    CSIDriverOnNode,
    CSINode,
    Node,
    OwnerReference,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodAffinityTerm,
    StorageClass,
    TopologySpreadConstraint,
    Volume,
)
from scheduler_core.explain.diagnosis.plugin_words import (
    claim_words,
    in_use_words,
    label_words,
    limit_words,
    pod_term_words,
    requirement_words,
    spread_words,
    terms_words,
    zone_words,
)
from scheduler_core.framework.contracts.facts import LabelFact
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import HOSTNAME, ZONE, said

OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"


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
def test_words_of_selections(code: str, pod: Pod, labels: list[dict[str, str]], text: str) -> None:
    nodes = [make_node(f"n{i}", labels=one) for i, one in enumerate(labels)]
    assert said(label_words, code, nodes, [pod]) == text


TWO_TERMS = affine(*(NodeSelectorTerm((Requirement("zone", "In", (zone,)),)) for zone in "ab"))
ON_A_FULL_NODE = [make_node("full", cpu="1", labels={"tier": "gold"}), make_node("n", labels={"tier": "iron"})]


@pytest.mark.parametrize(
    ("say", "code", "nodes", "pod", "sentence"),
    [
        (label_words, "SELECTOR_NO_MATCH", ON_A_FULL_NODE, make_pod("p", cpu="2", node_selector={"tier": "gold"}),
         "node selector tier=gold: 1 node has iron"),
        (terms_words, "AFFINITY_NO_MATCH", [make_node("n", labels={"zone": "c"})], TWO_TERMS,
         "node affinity: none of its 2 terms matches; unmet are zone=a and zone=b"),
    ],
    ids=["a value that other nodes have is not said to be nowhere", "of several terms what is unmet in each"],
)  # fmt: skip
def test_words_of_values_and_terms(say: Any, code: str, nodes: list[Node], pod: Pod, sentence: str) -> None:
    assert said(say, code, nodes, [pod]) == sentence


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
def test_words_of_spread(code: str, nodes: list[Node], pods: list[Pod], text: str) -> None:
    say: Any = spread_words if code.startswith("SPREAD") else pod_term_words
    assert said(say, code, nodes, pods) == text


DRIVER = "csi.example.com"
BOUND = {"pv.kubernetes.io/bind-completed": "yes"}


def using(*claims: str, name: str = "p", **fields: Any) -> Pod:
    volumes = tuple(Volume(name=f"v{i}", claim_name=one) for i, one in enumerate(claims))
    return make_pod(name, volumes=volumes, **fields)


def claim(name: str = "data", volume: str = "", **fields: Any) -> PersistentVolumeClaim:
    fields.setdefault("access_modes", ("ReadWriteOnce",))
    return PersistentVolumeClaim(name=name, volume_name=volume, annotations=BOUND if volume else {}, **fields)


def disk(key: str, value: str, name: str = "pv-data", **fields: Any) -> PersistentVolume:
    there = NodeSelector((NodeSelectorTerm((Requirement(key, "In", (value,)),)),))
    return PersistentVolume(name=name, node_affinity=there if key else None, phase="Bound", **fields)


def bound_to(volume: PersistentVolume, **fields: Any) -> dict[str, Any]:
    return {"persistent_volume_claims": [claim(volume=volume.name, **fields)], "persistent_volumes": [volume]}


def attached(name: str) -> PersistentVolume:
    return PersistentVolume(name=name, source="csi", phase="Bound", attributes={"driver": DRIVER, "volumeHandle": name})


FAST = StorageClass(name="fast", provisioner=DRIVER, volume_binding_mode="Immediate")
WAITING = {"persistent_volume_claims": [claim(storage_class_name="fast")]}
ATTACHED = {
    "persistent_volume_claims": [claim(volume="v0"), claim("theirs", "v1")],
    "persistent_volumes": [attached("v0"), attached("v1")],
    "csi_nodes": [CSINode(name="n", drivers=(CSIDriverOnNode(DRIVER, "n", (), 1),))],
}
NODE, NODE_IN_B = make_node("n"), make_node("b1", labels={ZONE: "b"})


@pytest.mark.parametrize(
    ("say", "code", "nodes", "objects", "text"),
    [
        (claim_words, "VOLUME_TOPOLOGY", [NODE_IN_B, make_node("c1", labels={ZONE: "c"})], bound_to(disk(ZONE, "a")),
         "claim default/data: its volume pv-data is in topology.kubernetes.io/zone=a, the nodes are in b or c"),
        (claim_words, "VOLUME_NODE_GONE", [NODE], bound_to(disk(HOSTNAME, "old-1")),
         "claim default/data: its volume pv-data is on node old-1, which is not in the cluster any more"),
        (claim_words, "CLAIM_MISSING", [NODE], {}, "claim default/data: it does not exist"),
        (claim_words, "VOLUME_MISSING", [NODE], {"persistent_volume_claims": [claim(volume="pv-gone")]},
         "claim default/data: its volume pv-gone does not exist"),
        (claim_words, "CLAIM_UNBOUND_IMMEDIATE", [NODE], {**WAITING, "storage_classes": [FAST]},
         "claim default/data: it is bound at once, not with its pod, and is not bound (storage class fast of "
         "csi.example.com)"),
        (claim_words, "CLAIM_UNBOUND_IMMEDIATE", [NODE], WAITING,
         "claim default/data: it is bound at once, not with its pod, and is not bound (storage class fast does not "
         "exist)"),
        (zone_words, "VOLUME_TOPOLOGY", [NODE_IN_B], bound_to(disk("", "", labels={ZONE: "a"})),
         "claim default/data: its volume pv-data is in topology.kubernetes.io/zone=a, the node is in b"),
        (in_use_words, "VOLUME_EXCLUSIVE", [NODE], bound_to(disk("", ""), access_modes=("ReadWriteOncePod",)),
         "claim default/data: its access mode is ReadWriteOncePod, and default/holder uses it"),
        (limit_words, "VOLUME_LIMIT", [NODE],
         ATTACHED,
         "volumes of csi.example.com: n attaches 1 and has 1; it needs 1 more"),
    ],
    ids=[
        "in another zone", "on a node that is gone", "no claim", "no volume", "a class that binds at once", "no class",
        "labelled with another zone", "somebody has it for himself", "no more volumes on the node",
    ],
)  # fmt: skip
def test_words_of_volumes(say: Any, code: str, nodes: list[Node], objects: dict[str, Any], text: str) -> None:
    holds = {"VOLUME_EXCLUSIVE": "data", "VOLUME_LIMIT": "theirs"}.get(code)
    holders = [using(holds, name="holder", node_name="n")] if holds else []
    assert said(say, code, nodes, [*holders, using("data")], **objects) == text
