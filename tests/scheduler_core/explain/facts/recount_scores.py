"""The inputs of scores counted anew from the objects alone: no plugin, no column and no view is asked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from scheduler_core.api import objects as k8s
from scheduler_core.api.labels import LabelSelector
from tests.scheduler_core.explain.facts.recount import domain_pods, means, met, selected, takes_part

if TYPE_CHECKING:
    from tests.scheduler_core.explain.facts.generated_runs import Cluster

DEFAULTS = {"cpu": 100, "memory": 200 << 20}
"""What counts for a container that names no request, in scores by free resources."""


def share(pod: k8s.Pod, node: k8s.Node, cluster: Cluster, resource: str, *, defaults: bool) -> int:
    """What would be requested of the resource with the pod; nominated pods do not count in scores."""
    everyone = (*cluster.pods[node.name], pod)
    default = DEFAULTS.get(resource, 0) if defaults else 0
    return sum(container.requests.get(resource, default) for one in everyone for container in one.containers)


def preferences(pod: k8s.Pod, node: k8s.Node) -> list[tuple[int, bool]]:
    """(weight, met) of each preferred node affinity term."""
    matches = []
    for one in pod.affinity.node_preferred if pod.affinity else ():
        on_labels = [met(r, node.labels.get(r.key)) for r in one.preference.match_expressions]
        on_name = [met(r, node.name) for r in one.preference.match_fields]
        matches.append((one.weight, all((*on_labels, *on_name))))
    return matches


def images(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> list[tuple[str, bool, int]]:
    """(image, on the node, on how many nodes) of each container."""
    container_images = []
    for container in pod.containers:
        name = container.image if ":" in container.image else f"{container.image}:latest"
        holders = [one.name for one in cluster.nodes.values() for image in one.images if name in image.names]
        container_images.append((name, node.name in holders, len(holders)))
    return container_images


def attraction(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> int:
    """The sum of the weights of preferred terms, the pod's and placed pods', that match; theirs required count 1."""
    placed = cluster._replace(nominated={})
    own, total = pod.affinity or k8s.Affinity(), 0
    for sign, terms in ((1, own.pod_preferred), (-1, own.anti_preferred)):
        for one in terms:
            others = domain_pods(node, one.term.topology_key, placed)
            total += sign * one.weight * sum(means(pod, one.term, other) for other in others)
    for key in ("kubernetes.io/hostname", "topology.kubernetes.io/zone"):
        for other in domain_pods(node, key, placed):
            theirs = other.affinity or k8s.Affinity()
            weighted = [(w.weight, w.term) for w in theirs.pod_preferred]
            weighted += [(-w.weight, w.term) for w in theirs.anti_preferred]
            weighted += [(1, term) for term in theirs.pod_required]
            total += sum(w for w, term in weighted if term.topology_key == key and means(other, term, pod))
    return total


def soft_spread(
    pod: k8s.Pod, node: k8s.Node, cluster: Cluster, scored: list[k8s.Node]
) -> tuple[list[tuple[str, str | None, int, float, float]], int]:
    """([(key, the node's domain, pods that count there, weight, term)], the raw score: -1 where the node is left out).

    The pod's soft constraints, or the system's where it has none at all: by host with a skew of 3, by zone with 5.
    """
    own = [one for one in pod.topology_spread_constraints if one.when_unsatisfiable == "ScheduleAnyway"]
    constraints = own if pod.topology_spread_constraints else _system_constraints(pod, cluster)
    keys = {one.topology_key for one in constraints} if pod.topology_spread_constraints else set()
    eligible, soft_counts = [one for one in scored if keys <= one.labels.keys()], []
    for one in constraints:
        domain, by_host = node.labels.get(one.topology_key), one.topology_key == "kubernetes.io/hostname"
        # without constraints of its own nodes that lack the label count as one domain more
        size = len(eligible) if by_host else len({n.labels.get(one.topology_key, "") for n in eligible})
        if by_host:
            here = _matching(pod, one, cluster.pods[node.name]) if domain is not None else 0
        else:
            there = [n for n in cluster.nodes.values() if n.labels.get(one.topology_key) == domain]
            taking = [n for n in there if keys <= n.labels.keys() and takes_part(pod, n, one)]
            here = sum(_matching(pod, one, cluster.pods[n.name]) for n in taking) if domain is not None else 0
        weight = math.log(size + 2)
        term = here * weight + (one.max_skew - 1) if domain is not None else 0.0
        soft_counts.append((one.topology_key, domain, here, weight, term))
    if not keys <= node.labels.keys():
        return soft_counts, -1
    return soft_counts, math.floor(sum(term for *_, term in soft_counts) + 0.5)


def _matching(pod: k8s.Pod, one: k8s.TopologySpreadConstraint, pods: list[k8s.Pod]) -> int:
    counted = [p for p in pods if p.deletion_timestamp is None and p.namespace == pod.namespace]
    return sum(selected(one.label_selector, p.labels) for p in counted)


def _system_constraints(pod: k8s.Pod, cluster: Cluster) -> list[k8s.TopologySpreadConstraint]:
    """What counts for a pod of a Service that names no constraint."""
    services = [
        one
        for one in cluster.inputs.objects.workload_selectors
        if one.namespace == pod.namespace and one.selector is not None and selected(one.selector, pod.labels)
    ]
    if not services:
        return []
    selector = LabelSelector(tuple(r for one in services if one.selector for r in one.selector.requirements))
    return [
        k8s.TopologySpreadConstraint(
            topology_key=key, max_skew=skew, when_unsatisfiable="ScheduleAnyway", label_selector=selector
        )
        for key, skew in (("kubernetes.io/hostname", 3), ("topology.kubernetes.io/zone", 5))
    ]


MEBIBYTE, LEAST_BYTES, MOST_BYTES = 1 << 20, 23 << 20, 1000 << 20


def image_bytes(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> tuple[list[int], int]:
    """(the bytes that count of each image, the raw score: their sum between 23 MiB and 1,000 MiB a container)."""
    sizes = {name: image.size_bytes for n in cluster.nodes.values() for image in n.images for name in image.names}
    several = images(pod, node, cluster)
    counted = [int(sizes[name] * (holders / len(cluster.nodes))) if here else 0 for name, here, holders in several]
    most = MOST_BYTES * len(several)
    within = min(max(sum(counted), LEAST_BYTES), most)
    return counted, 100 * (within - LEAST_BYTES) // (most - LEAST_BYTES)
