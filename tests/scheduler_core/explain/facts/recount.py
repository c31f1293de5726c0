"""The facts of filters counted anew from the objects alone: no plugin, no column and no view is asked."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from scheduler_core.api import objects as k8s
from scheduler_core.api.labels import LabelSelector
from tests.scheduler_core.explain.facts.generated_runs import Cluster

SHARED_ADDRESS = "0.0.0.0"


def requests_of(pod: k8s.Pod) -> dict[str, int]:
    """What the pod requests; generated pods have plain containers only."""
    total: dict[str, int] = {}
    for container in pod.containers:
        for name, amount in container.requests.items():
            total[name] = total.get(name, 0) + amount
    return total


def resources(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> dict[str, Any]:
    """{resource: (asked, allocatable, requested, promised, {holder: amount}, refuses)} with nominated pods counted."""
    there, coming = cluster.pods[node.name], cluster.nominated.get(node.name, [])
    asked = {"pods": 1, **{name: amount for name, amount in requests_of(pod).items() if amount}}
    found = {}
    for name, amount in asked.items():
        holders = {one.key: 1 if name == "pods" else requests_of(one).get(name, 0) for one in (*there, *coming)}
        promised = sum(holders[one.key] for one in coming)
        whole, used = node.allocatable.get(name, 0), sum(holders.values())
        found[name] = (amount, whole, used, promised, {k: v for k, v in holders.items() if v}, amount > whole - used)
    return found


def untolerated(pod: k8s.Pod, node: k8s.Node, effects: Iterable[str]) -> list[tuple[str, str, str]]:
    """Taints with these effects that no toleration covers."""
    found = []
    for taint in node.taints:
        covered = any(
            one.effect in ("", taint.effect)
            and one.key in ("", taint.key)
            and (one.operator == "Exists" or one.value == taint.value)
            for one in pod.tolerations
        )
        if taint.effect in effects and not covered:
            found.append((taint.key, taint.value, taint.effect))
    return found


def labels(pod: k8s.Pod, node: k8s.Node) -> list[tuple[str, str, str, tuple[str, ...], str | None, bool, int]]:
    """(source, key, operator, values, the node's value, met, term) of nodeSelector and required node affinity."""
    found: list[Any] = [
        ("nodeSelector", key, "In", (value,), node.labels.get(key), node.labels.get(key) == value, 0)
        for key, value in pod.node_selector.items()
    ]
    required = pod.affinity.node_required if pod.affinity else None
    for i, term in enumerate(required.terms if required else ()):
        for one in term.match_expressions:
            value = node.labels.get(one.key)
            found.append(("required node affinity", one.key, one.operator, one.values, value, _met(one, value), i))
        for one in term.match_fields:
            met = _met(one, node.name)
            found.append(("required node affinity", one.key, one.operator, one.values, node.name, met, i))
    return found


def _met(requirement: Any, value: str | None) -> bool:
    if requirement.operator == "In":
        return value in requirement.values
    if requirement.operator == "NotIn":
        return value not in requirement.values
    if value is None:
        return False
    bound = int(requirement.values[0])
    return int(value) > bound if requirement.operator == "Gt" else int(value) < bound


def ports(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> dict[tuple[int, str], set[str]]:
    """{(port, address): the pods on the node that hold it}, nominated ones too."""
    found: dict[tuple[int, str], set[str]] = {}
    for port, address in _ports(pod):
        holders = found[port, address] = set()
        for other in (*cluster.pods[node.name], *cluster.nominated.get(node.name, [])):
            for held, at in _ports(other):
                if held == port and (at == address or SHARED_ADDRESS in (at, address)):
                    holders.add(other.key)
    return found


def _ports(pod: k8s.Pod) -> list[tuple[int, str]]:
    return [(p.host_port, p.host_ip or SHARED_ADDRESS) for c in pod.containers for p in c.ports if p.host_port]


def spread(
    pod: k8s.Pod, node: k8s.Node, cluster: Cluster
) -> list[tuple[str, str | None, int, int, dict[str, int], bool]]:
    """(key, domain, pods there, the least, {domain: pods}, refuses) of each hard constraint, nominated pods counted."""
    constraints = [c for c in pod.topology_spread_constraints if c.when_unsatisfiable == "DoNotSchedule"]
    keys = {c.topology_key for c in constraints}
    found = []
    for one in constraints:
        counts: dict[str, int] = {}
        for other in cluster.nodes.values():
            if keys <= other.labels.keys() and _takes_part(pod, other, one):
                value = other.labels[one.topology_key]
                counts[value] = counts.get(value, 0) + _spread_pods(pod, other, one, cluster, node)
        least = min(counts.values(), default=0) if len(counts) >= (one.min_domains or 1) else 0
        domain = node.labels.get(one.topology_key)
        here, adds = counts.get(domain or "", 0), int(_selected(one.label_selector, pod.labels))
        refuses = domain is None or here + adds - least > one.max_skew
        found.append((one.topology_key, domain, here, least, counts, refuses))
    return found


def _takes_part(pod: k8s.Pod, node: k8s.Node, one: k8s.TopologySpreadConstraint) -> bool:
    if one.node_affinity_policy == "Honor" and not _allowed(pod, node):
        return False
    return one.node_taints_policy != "Honor" or not untolerated(pod, node, ("NoSchedule", "NoExecute"))


def _allowed(pod: k8s.Pod, node: k8s.Node) -> bool:
    told = labels(pod, node)
    unmet = {(source, term) for source, *_, met, term in told if not met}
    terms = {(source, term) for source, *_, term in told if source != "nodeSelector"}
    return ("nodeSelector", 0) not in unmet and not (terms and terms <= unmet)


def _spread_pods(
    pod: k8s.Pod, node: k8s.Node, one: k8s.TopologySpreadConstraint, cluster: Cluster, asked: k8s.Node
) -> int:
    """Pods there that count; nominated ones on the node that is asked about only, and even if they terminate."""
    selector = one.label_selector
    placed = [p for p in cluster.pods[node.name] if p.deletion_timestamp is None]
    coming = cluster.nominated.get(node.name, []) if node.name == asked.name else []
    return sum(p.namespace == pod.namespace and _selected(selector, p.labels) for p in (*placed, *coming))


def _selected(selector: Any, of: Any) -> bool:
    return all(_holds(one, of.get(one.key)) for one in selector.requirements)


def _holds(one: Any, value: str | None) -> bool:
    return (value in one.values) == (one.operator == "In")


def pod_terms(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> list[tuple[str, str, str | None, list[str]]]:
    """(kind, key, domain, pods in the domain) of the pod's required terms, and of placed pods' terms that mean it."""
    affinity = pod.affinity or k8s.Affinity()
    found = []
    for term in affinity.pod_required:
        pods = [
            p.key
            for p in _domain_pods(node, term.topology_key, cluster)
            if all(_means(pod, one, p) for one in affinity.pod_required)
        ]
        found.append(("affinity", term.topology_key, node.labels.get(term.topology_key), sorted(pods)))
    for term in affinity.anti_required:
        pods = [p.key for p in _domain_pods(node, term.topology_key, cluster) if _means(pod, term, p)]
        found.append(("anti-affinity", term.topology_key, node.labels.get(term.topology_key), sorted(pods)))
    opposing: dict[str, list[str]] = {}
    for key in ("kubernetes.io/hostname", "topology.kubernetes.io/zone"):
        for other in _domain_pods(node, key, cluster):
            theirs = other.affinity.anti_required if other.affinity else ()
            if any(term.topology_key == key and _means(other, term, pod) for term in theirs):
                opposing.setdefault(key, []).append(other.key)
    for key, keys in opposing.items():
        found.append(("anti-affinity of placed pods", key, node.labels.get(key), sorted(keys)))
    return found


def _domain_pods(node: k8s.Node, key: str, cluster: Cluster) -> list[k8s.Pod]:
    domain = node.labels.get(key)
    if domain is None:
        return []
    names = [one.name for one in cluster.nodes.values() if one.labels.get(key) == domain]
    return [*(p for name in names for p in cluster.pods[name]), *cluster.nominated.get(node.name, [])]


def _means(owner: k8s.Pod, term: k8s.PodAffinityTerm, other: k8s.Pod) -> bool:
    """Whether a term of ``owner`` selects the other pod; generated terms have no namespace selectors."""
    namespaces = term.namespaces or (owner.namespace,)
    return other.namespace in namespaces and _selected(term.label_selector, other.labels)


def volume_zones(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> list[tuple[str, str, str, str | None, bool]]:
    """(claim, volume, key, the node's value, refuses) of the zones of bound volumes."""
    objects = cluster.inputs.objects
    claims = {claim.key: claim for claim in objects.persistent_volume_claims}
    volumes = {volume.name: volume for volume in objects.persistent_volumes}
    zone, found = "topology.kubernetes.io/zone", []
    for volume in pod.volumes:
        claim = claims.get(f"{pod.namespace}/{volume.claim_name}")
        if volume.claim_name and claim is not None and claim.volume_name:
            disk, own = volumes[claim.volume_name], node.labels.get(zone)
            found.append((claim.key, disk.name, zone, own, own is not None and own != disk.labels[zone]))
    return found


def volumes_attached(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> tuple[int, int, int | None]:
    """(attached, more with the pod, limit) of the one CSI driver of generated clusters."""
    claims = {claim.key: claim for claim in cluster.inputs.objects.persistent_volume_claims}
    limits = [d.count for n in cluster.inputs.objects.csi_nodes if n.name == node.name for d in n.drivers]

    def disks(one: k8s.Pod) -> set[str]:
        keys = [f"{one.namespace}/{v.claim_name}" for v in one.volumes if v.claim_name]
        return {claims[key].volume_name or key for key in keys if key in claims}

    there = set().union(*(disks(p) for p in (*cluster.pods[node.name], *cluster.nominated.get(node.name, []))), set())
    return len(there), len(disks(pod) - there), limits[0] if limits else None


def claims(pod: k8s.Pod, node: k8s.Node, cluster: Cluster, making: dict[str, str]) -> list[tuple[str, str, bool, bool]]:
    """(claim, its volume, whether one would be made, refuses) of each claim; ``making``: the node for which a volume of
    a claim is being made already, as an earlier pod of the run took it."""
    objects = cluster.inputs.objects
    known = {claim.key: claim for claim in objects.persistent_volume_claims}
    volumes, found = {volume.name: volume for volume in objects.persistent_volumes}, []
    for volume in pod.volumes:
        claim = known.get(f"{pod.namespace}/{volume.claim_name}")
        if not volume.claim_name or claim is None:
            continue
        if claim.volume_name:
            zone = volumes[claim.volume_name].labels["topology.kubernetes.io/zone"]
            away = node.labels.get("topology.kubernetes.io/zone") != zone
            found.append((claim.key, claim.volume_name, False, away))
        else:
            elsewhere = making.get(claim.key, node.name) != node.name
            found.append((claim.key, "", not elsewhere, elsewhere))
    return found


def disks(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> dict[str, set[str]]:
    """{volume: pods on the node that have its disk in a way that excludes sharing}, nominated ones too."""
    found: dict[str, set[str]] = {}
    for mine in pod.volumes:
        if mine.source == "gcePersistentDisk":
            found[mine.name] = {
                other.key
                for other in (*cluster.pods[node.name], *cluster.nominated.get(node.name, []))
                for theirs in other.volumes
                if theirs.attributes.get("pdName") == mine.attributes["pdName"]
                and not mine.attributes["readOnly"] == theirs.attributes["readOnly"] == "true"
            }
    return found


def once_pod(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> dict[str, set[str]]:
    """{claim for one pod at a time: the pods anywhere that use it, and those nominated to the node}."""
    modes = {claim.key: claim.access_modes for claim in cluster.inputs.objects.persistent_volume_claims}
    everyone = [p for several in cluster.pods.values() for p in several] + cluster.nominated.get(node.name, [])
    found: dict[str, set[str]] = {}
    for volume in pod.volumes:
        key = f"{pod.namespace}/{volume.claim_name}"
        if "ReadWriteOncePod" in modes.get(key, ()):
            users = {p.key for p in everyone for v in p.volumes if f"{p.namespace}/{v.claim_name}" == key}
            found[key] = users
    return found


# --- scores --------------------------------------------------------------------------------------------------------
DEFAULTS = {"cpu": 100, "memory": 200 << 20}
"""What counts for a container that names no request, in scores by free resources."""


def share(pod: k8s.Pod, node: k8s.Node, cluster: Cluster, resource: str, *, defaults: bool) -> int:
    """What would be requested of the resource with the pod; nominated pods do not count in scores."""
    everyone = (*cluster.pods[node.name], pod)
    default = DEFAULTS.get(resource, 0) if defaults else 0
    return sum(container.requests.get(resource, default) for one in everyone for container in one.containers)


def preferences(pod: k8s.Pod, node: k8s.Node) -> list[tuple[int, bool]]:
    """(weight, met) of each preferred node affinity term."""
    found = []
    for one in pod.affinity.node_preferred if pod.affinity else ():
        on_labels = [_met(r, node.labels.get(r.key)) for r in one.preference.match_expressions]
        on_name = [_met(r, node.name) for r in one.preference.match_fields]
        found.append((one.weight, all((*on_labels, *on_name))))
    return found


def images(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> list[tuple[str, bool, int]]:
    """(image, on the node, on how many nodes) of each container."""
    found = []
    for container in pod.containers:
        name = container.image if ":" in container.image else f"{container.image}:latest"
        holders = [one.name for one in cluster.nodes.values() for image in one.images if name in image.names]
        found.append((name, node.name in holders, len(holders)))
    return found


def attraction(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> int:
    """The sum of the weights of preferred terms, the pod's and placed pods', that match; theirs required count 1."""
    placed = cluster._replace(nominated={})
    own, total = pod.affinity or k8s.Affinity(), 0
    for sign, terms in ((1, own.pod_preferred), (-1, own.anti_preferred)):
        for one in terms:
            others = _domain_pods(node, one.term.topology_key, placed)
            total += sign * one.weight * sum(_means(pod, one.term, other) for other in others)
    for key in ("kubernetes.io/hostname", "topology.kubernetes.io/zone"):
        for other in _domain_pods(node, key, placed):
            theirs = other.affinity or k8s.Affinity()
            weighted = [(w.weight, w.term) for w in theirs.pod_preferred]
            weighted += [(-w.weight, w.term) for w in theirs.anti_preferred]
            weighted += [(1, term) for term in theirs.pod_required]
            total += sum(w for w, term in weighted if term.topology_key == key and _means(other, term, pod))
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
    kept, found = [one for one in scored if keys <= one.labels.keys()], []
    for one in constraints:
        domain, by_host = node.labels.get(one.topology_key), one.topology_key == "kubernetes.io/hostname"
        # without constraints of its own nodes that lack the label count as one domain more
        size = len(kept) if by_host else len({n.labels.get(one.topology_key, "") for n in kept})
        if by_host:
            here = _matching(pod, one, cluster.pods[node.name]) if domain is not None else 0
        else:
            there = [n for n in cluster.nodes.values() if n.labels.get(one.topology_key) == domain]
            taking = [n for n in there if keys <= n.labels.keys() and _takes_part(pod, n, one)]
            here = sum(_matching(pod, one, cluster.pods[n.name]) for n in taking) if domain is not None else 0
        weight = math.log(size + 2)
        term = here * weight + (one.max_skew - 1) if domain is not None else 0.0
        found.append((one.topology_key, domain, here, weight, term))
    if not keys <= node.labels.keys():
        return found, -1
    return found, math.floor(sum(term for *_, term in found) + 0.5)


def _matching(pod: k8s.Pod, one: k8s.TopologySpreadConstraint, pods: list[k8s.Pod]) -> int:
    counted = [p for p in pods if p.deletion_timestamp is None and p.namespace == pod.namespace]
    return sum(_selected(one.label_selector, p.labels) for p in counted)


def _system_constraints(pod: k8s.Pod, cluster: Cluster) -> list[k8s.TopologySpreadConstraint]:
    """What counts for a pod of a Service that names no constraint."""
    services = [
        one
        for one in cluster.inputs.objects.workload_selectors
        if one.namespace == pod.namespace and one.selector is not None and _selected(one.selector, pod.labels)
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
