"""The smallest edits of a cluster's plain objects, each of which takes one obstacle away wherever it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm
from scheduler_core.api.taints import Toleration
from scheduler_core.testing.builders import make_taint
from tests.scheduler_core.explain.diagnosis.barriers import CORDON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tests.scheduler_core.explain.diagnosis.draft import MixedCluster

ROOM_FOR_ALL = 10_000
_replace = msgspec.structs.replace


class Edit(NamedTuple):
    """``kind`` is a key of PLUGINS; ``subject`` tells edits of a kind apart: a taint as kubectl writes it, a key of the
    nodeSelector, "2" of a requirement (its place in the one term), a resource, "8080/TCP", a topology key, a claim."""

    kind: str
    subject: str = ""


PLUGINS = {
    "taint": "TaintToleration",
    "cordon": "NodeUnschedulable",
    "selector": "NodeAffinity",
    "label requirement": "NodeAffinity",
    "field requirement": "NodeAffinity",
    "request": "NodeResourcesFit",
    "pods": "NodeResourcesFit",
    "port": "NodePorts",
    "spread": "PodTopologySpread",
    "pod affinity": "InterPodAffinity",
    "own anti-affinity": "InterPodAffinity",
    "anti-affinity of others": "InterPodAffinity",
    "claim": "VolumeBinding",
}
"""The plugin that an edit is for; that of claims stands for all about volumes."""


def edits_of(cluster: MixedCluster) -> tuple[Edit, ...]:
    """All atomic edits that the cluster has something for, in a fixed order."""
    return tuple(dict.fromkeys((*_of_nodes(cluster), *_of_pod(cluster.pod), *_of_others(cluster))))


def _of_nodes(cluster: MixedCluster) -> Iterator[Edit]:
    for node in cluster.nodes:
        for taint in node.taints:
            text = f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}"
            is_tolerated = any(one.tolerates(taint) for one in cluster.pod.tolerations)
            if text != CORDON and taint.effect != "PreferNoSchedule" and not is_tolerated:
                yield Edit("taint", text)
        if node.unschedulable:
            yield Edit("cordon")
        if node.allocatable["pods"] < 100:
            yield Edit("pods")


def _of_pod(pod: k8s.Pod) -> Iterator[Edit]:
    yield from (Edit("selector", key) for key in pod.node_selector)
    yield from (Edit("request", name) for name, amount in pod.containers[0].requests.items() if amount)
    yield from (Edit("port", f"{port.host_port}/TCP") for port in pod.containers[0].ports)
    yield from (Edit("spread", one.topology_key) for one in pod.topology_spread_constraints)
    yield from (Edit("claim", f"{pod.namespace}/{volume.claim_name}") for volume in pod.volumes)
    if pod.affinity is None:
        return
    if pod.affinity.node_required is not None:
        term = pod.affinity.node_required.terms[0]
        yield from (Edit("label requirement", one.key) for one in term.match_expressions)
        yield from (Edit("field requirement", one.key) for one in term.match_fields)
    yield from (Edit("pod affinity", term.topology_key) for term in pod.affinity.pod_required)
    yield from (Edit("own anti-affinity", term.topology_key) for term in pod.affinity.anti_required)


def _of_others(cluster: MixedCluster) -> Iterator[Edit]:
    for pod in cluster.placed:
        for term in pod.affinity.anti_required if pod.affinity is not None else ():
            yield Edit("anti-affinity of others", term.topology_key)


# --- carrying them out -----------------------------------------------------------------------------------------------
def edited(cluster: MixedCluster, edits: Iterable[Edit]) -> MixedCluster:
    """The cluster with all of these edits."""
    for edit in edits:
        if edit.kind in _OF_CLUSTER:
            cluster = _OF_CLUSTER[edit.kind](cluster, edit.subject)
        else:
            cluster = _replace(cluster, pod=_OF_POD[edit.kind](cluster.pod, edit.subject))
    return cluster


def is_of_pod(edit: Edit) -> bool:
    """Whether the edit changes nothing but the pod that waits."""
    return edit.kind in _OF_POD


def _tolerating(pod: k8s.Pod, text: str) -> k8s.Pod:
    taint = make_taint(text)
    toleration = Toleration(taint.key, "Equal", taint.value, taint.effect)
    return _replace(pod, tolerations=(*pod.tolerations, toleration))


def _without_key(pod: k8s.Pod, key: str) -> k8s.Pod:
    return _replace(pod, node_selector={name: value for name, value in pod.node_selector.items() if name != key})


def _without_requirement(pod: k8s.Pod, key: str, field: str) -> k8s.Pod:
    assert pod.affinity is not None
    assert pod.affinity.node_required is not None
    term = pod.affinity.node_required.terms[0]
    left = tuple(one for one in getattr(term, field) if one.key != key)
    term = _replace(term, **{field: left})
    is_empty = not term.match_expressions and not term.match_fields  # such a term matches no node
    required = None if is_empty else NodeSelector((NodeSelectorTerm(term.match_expressions, term.match_fields),))
    return _replace(pod, affinity=_replace(pod.affinity, node_required=required))


def _without_request(pod: k8s.Pod, name: str) -> k8s.Pod:
    return asking_for(pod, name, 0)


def asking_for(pod: k8s.Pod, name: str, amount: int) -> k8s.Pod:
    """The pod with this request in its first container, which alone asks for anything."""
    main, *others = pod.containers
    return _replace(pod, containers=(_replace(main, requests={**main.requests, name: amount}), *others))


def _without_port(pod: k8s.Pod, text: str) -> k8s.Pod:
    main, *others = pod.containers
    ports = tuple(port for port in main.ports if f"{port.host_port}/TCP" != text)
    return _replace(pod, containers=(_replace(main, ports=ports), *others))


def _without_spread(pod: k8s.Pod, key: str) -> k8s.Pod:
    left = tuple(one for one in pod.topology_spread_constraints if one.topology_key != key)
    return _replace(pod, topology_spread_constraints=left)


def _without_term(pod: k8s.Pod, key: str, field: str) -> k8s.Pod:
    assert pod.affinity is not None
    left = tuple(term for term in getattr(pod.affinity, field) if term.topology_key != key)
    return _replace(pod, affinity=_replace(pod.affinity, **{field: left}))


def _without_claim(pod: k8s.Pod, claim: str) -> k8s.Pod:
    return _replace(pod, volumes=tuple(one for one in pod.volumes if f"{pod.namespace}/{one.claim_name}" != claim))


def _with_room_for_pods(cluster: MixedCluster, subject: str) -> MixedCluster:
    nodes = [_replace(node, allocatable={**node.allocatable, "pods": ROOM_FOR_ALL}) for node in cluster.nodes]
    return _replace(cluster, nodes=tuple(nodes))


def _without_terms_of_others(cluster: MixedCluster, key: str) -> MixedCluster:
    placed = [pod if pod.affinity is None else _without_term(pod, key, "anti_required") for pod in cluster.placed]
    return _replace(cluster, placed=tuple(placed))


_OF_POD: dict[str, Callable[[k8s.Pod, str], k8s.Pod]] = {
    "taint": _tolerating,
    "cordon": lambda pod, _: _tolerating(pod, CORDON),
    "selector": _without_key,
    "label requirement": lambda pod, key: _without_requirement(pod, key, "match_expressions"),
    "field requirement": lambda pod, key: _without_requirement(pod, key, "match_fields"),
    "request": _without_request,
    "port": _without_port,
    "spread": _without_spread,
    "pod affinity": lambda pod, key: _without_term(pod, key, "pod_required"),
    "own anti-affinity": lambda pod, key: _without_term(pod, key, "anti_required"),
    "claim": _without_claim,
}
_OF_CLUSTER: dict[str, Callable[[MixedCluster, str], MixedCluster]] = {
    "pods": _with_room_for_pods,
    "anti-affinity of others": _without_terms_of_others,
}
