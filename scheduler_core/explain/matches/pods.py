"""Pods that match a pod's affinity terms and the selectors of other objects, and the nodes that follow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scheduler_core.api.labels import LabelSelector
from scheduler_core.api.objects import ClusterObjects, Node, Pod
from scheduler_core.explain.matches.model import Found, PodTermMatches
from scheduler_core.framework.plugin_helpers.node_selectors import same_pod
from scheduler_core.plugins.inter_pod_affinity.common import Incoming, Term

AFFINITY, ANTI_AFFINITY = "affinity", "anti-affinity"


def selected_pods(selector: LabelSelector | None, namespace: str, pods: Sequence[Pod]) -> Found:
    """The namespace's pods that a selector means, of all in it; None matches nothing, an empty one everything."""
    inside = [pod for pod in pods if pod.namespace == namespace and not pod.is_terminal]
    matching = [pod.key for pod in inside if selector is not None and selector.matches(pod.labels)]
    return Found(tuple(matching), len(inside))


def pod_terms(pod: Pod, objects: ClusterObjects) -> tuple[PodTermMatches, ...]:
    """Required terms of affinity, then of anti-affinity, then preferred ones of both."""
    others = _others(pod, objects)
    terms = _incoming(pod, objects).terms
    out = [_matches(term, AFFINITY, 0, others, objects.nodes) for term in terms.affinity]
    out += [_matches(term, ANTI_AFFINITY, 0, others, objects.nodes) for term in terms.anti_affinity]
    for term in terms.preferred:
        kind = AFFINITY if term.weight > 0 else ANTI_AFFINITY
        out.append(_matches(term, kind, abs(term.weight), others, objects.nodes))
    return tuple(out)


def _matches(term: Term, kind: str, weight: int, pods: Sequence[Pod], nodes: Sequence[Node]) -> PodTermMatches:
    matching = [pod for pod in pods if term.matches(pod.labels, pod.namespace)]
    placed = [pod for pod in matching if pod.node_name]
    held = _domains(placed, term.topology_key, nodes)
    inside = [node.name for node in nodes if node.labels.get(term.topology_key) in held]
    return PodTermMatches(
        kind,
        weight,
        term.topology_key,
        Found(tuple([pod.key for pod in placed]), len(pods)),
        len(matching) - len(placed),
        Found(tuple(inside), len(nodes)),
        sum(term.topology_key not in node.labels for node in nodes),
    )


def _domains(pods: Iterable[Pod], topology_key: str, nodes: Sequence[Node]) -> set[str | None]:
    """The values of the key on the pods' nodes; never None, so that a node without the label is in none of them."""
    used = {pod.node_name for pod in pods}
    return {node.labels[topology_key] for node in nodes if node.name in used and topology_key in node.labels}


def _incoming(pod: Pod, objects: ClusterObjects) -> Incoming:
    return Incoming(pod, {namespace.name: namespace for namespace in objects.namespaces})


def _others(pod: Pod, objects: ClusterObjects) -> list[Pod]:
    return [one for one in objects.pods if not one.is_terminal and not same_pod(one, pod)]
