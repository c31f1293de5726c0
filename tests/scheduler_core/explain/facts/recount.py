"""The facts of filters counted anew from the objects alone: no plugin, no column and no view is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scheduler_core.api import objects as k8s

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    amounts = {}
    for name, amount in asked.items():
        holders = {one.key: 1 if name == "pods" else requests_of(one).get(name, 0) for one in (*there, *coming)}
        promised = sum(holders[one.key] for one in coming)
        whole, used = node.allocatable.get(name, 0), sum(holders.values())
        amounts[name] = (amount, whole, used, promised, {k: v for k, v in holders.items() if v}, amount > whole - used)
    return amounts


def untolerated(pod: k8s.Pod, node: k8s.Node, effects: Iterable[str]) -> list[tuple[str, str, str]]:
    """Taints with these effects that no toleration covers."""
    untolerated = []
    for taint in node.taints:
        covered = any(
            one.effect in ("", taint.effect)
            and one.key in ("", taint.key)
            and (one.operator == "Exists" or one.value == taint.value)
            for one in pod.tolerations
        )
        if taint.effect in effects and not covered:
            untolerated.append((taint.key, taint.value, taint.effect))
    return untolerated


def labels(pod: k8s.Pod, node: k8s.Node) -> list[tuple[str, str, str, tuple[str, ...], str | None, bool, int]]:
    """(source, key, operator, values, the node's value, met, term) of nodeSelector and required node affinity."""
    requirements: list[Any] = [
        ("nodeSelector", key, "In", (value,), node.labels.get(key), node.labels.get(key) == value, 0)
        for key, value in pod.node_selector.items()
    ]
    required = pod.affinity.node_required if pod.affinity else None
    for i, term in enumerate(required.terms if required else ()):
        for one in term.match_expressions:
            value = node.labels.get(one.key)
            requirements.append(
                ("required node affinity", one.key, one.operator, one.values, value, met(one, value), i)
            )
        for one in term.match_fields:
            requirements.append(
                ("required node affinity", one.key, one.operator, one.values, node.name, met(one, node.name), i)
            )
    return requirements


def met(requirement: Any, value: str | None) -> bool:
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
    holders_of_port: dict[tuple[int, str], set[str]] = {}
    for port, address in _ports(pod):
        holders = holders_of_port[port, address] = set()
        for other in (*cluster.pods[node.name], *cluster.nominated.get(node.name, [])):
            for held, at in _ports(other):
                if held == port and (at == address or SHARED_ADDRESS in (at, address)):
                    holders.add(other.key)
    return holders_of_port


def _ports(pod: k8s.Pod) -> list[tuple[int, str]]:
    return [(p.host_port, p.host_ip or SHARED_ADDRESS) for c in pod.containers for p in c.ports if p.host_port]


def spread(
    pod: k8s.Pod, node: k8s.Node, cluster: Cluster
) -> list[tuple[str, str | None, int, int, dict[str, int], bool]]:
    """(key, domain, pods there, the least, {domain: pods}, refuses) of each hard constraint, nominated pods counted."""
    constraints = [c for c in pod.topology_spread_constraints if c.when_unsatisfiable == "DoNotSchedule"]
    keys = {c.topology_key for c in constraints}
    counted_constraints = []
    for one in constraints:
        counts: dict[str, int] = {}
        for other in cluster.nodes.values():
            if keys <= other.labels.keys() and takes_part(pod, other, one):
                value = other.labels[one.topology_key]
                counts[value] = counts.get(value, 0) + _spread_pods(pod, other, one, cluster, node)
        least = min(counts.values(), default=0) if len(counts) >= (one.min_domains or 1) else 0
        domain = node.labels.get(one.topology_key)
        here, adds = counts.get(domain or "", 0), int(selected(one.label_selector, pod.labels))
        refuses = domain is None or here + adds - least > one.max_skew
        counted_constraints.append((one.topology_key, domain, here, least, counts, refuses))
    return counted_constraints


def takes_part(pod: k8s.Pod, node: k8s.Node, one: k8s.TopologySpreadConstraint) -> bool:
    if one.node_affinity_policy == "Honor" and not _allowed(pod, node):
        return False
    return one.node_taints_policy != "Honor" or not untolerated(pod, node, ("NoSchedule", "NoExecute"))


def _allowed(pod: k8s.Pod, node: k8s.Node) -> bool:
    facts = labels(pod, node)
    unmet = {(source, term) for source, *_, met, term in facts if not met}
    terms = {(source, term) for source, *_, term in facts if source != "nodeSelector"}
    return ("nodeSelector", 0) not in unmet and not (terms and terms <= unmet)


def _spread_pods(
    pod: k8s.Pod, node: k8s.Node, one: k8s.TopologySpreadConstraint, cluster: Cluster, asked: k8s.Node
) -> int:
    """Pods there that count; nominated ones on the node that is asked about only, and even if they terminate."""
    selector = one.label_selector
    placed = [p for p in cluster.pods[node.name] if p.deletion_timestamp is None]
    coming = cluster.nominated.get(node.name, []) if node.name == asked.name else []
    return sum(p.namespace == pod.namespace and selected(selector, p.labels) for p in (*placed, *coming))


def selected(selector: Any, of: Any) -> bool:
    return all(_holds(one, of.get(one.key)) for one in selector.requirements)


def _holds(one: Any, value: str | None) -> bool:
    return (value in one.values) == (one.operator == "In")


def pod_terms(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> list[tuple[str, str, str | None, list[str]]]:
    """(kind, key, domain, pods in the domain) of the pod's required terms, and of placed pods' terms that mean it."""
    affinity = pod.affinity or k8s.Affinity()
    terms = []
    for term in affinity.pod_required:
        pods = [
            p.key
            for p in domain_pods(node, term.topology_key, cluster)
            if all(means(pod, one, p) for one in affinity.pod_required)
        ]
        terms.append(("affinity", term.topology_key, node.labels.get(term.topology_key), sorted(pods)))
    for term in affinity.anti_required:
        pods = [p.key for p in domain_pods(node, term.topology_key, cluster) if means(pod, term, p)]
        terms.append(("anti-affinity", term.topology_key, node.labels.get(term.topology_key), sorted(pods)))
    opposing: dict[str, list[str]] = {}
    for key in ("kubernetes.io/hostname", "topology.kubernetes.io/zone"):
        for other in domain_pods(node, key, cluster):
            theirs = other.affinity.anti_required if other.affinity else ()
            if any(term.topology_key == key and means(other, term, pod) for term in theirs):
                opposing.setdefault(key, []).append(other.key)
    for key, keys in opposing.items():
        terms.append(("anti-affinity of placed pods", key, node.labels.get(key), sorted(keys)))
    return terms


def domain_pods(node: k8s.Node, key: str, cluster: Cluster) -> list[k8s.Pod]:
    domain = node.labels.get(key)
    if domain is None:
        return []
    names = [one.name for one in cluster.nodes.values() if one.labels.get(key) == domain]
    return [*(p for name in names for p in cluster.pods[name]), *cluster.nominated.get(node.name, [])]


def means(owner: k8s.Pod, term: k8s.PodAffinityTerm, other: k8s.Pod) -> bool:
    """Whether a term of ``owner`` selects the other pod; generated terms have no namespace selectors."""
    namespaces = term.namespaces or (owner.namespace,)
    return other.namespace in namespaces and selected(term.label_selector, other.labels)


def volume_zones(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> list[tuple[str, str, str, str | None, bool]]:
    """(claim, volume, key, the node's value, refuses) of the zones of bound volumes."""
    objects = cluster.inputs.objects
    claims = {claim.key: claim for claim in objects.persistent_volume_claims}
    volumes = {volume.name: volume for volume in objects.persistent_volumes}
    zone, zones = "topology.kubernetes.io/zone", []
    for volume in pod.volumes:
        claim = claims.get(f"{pod.namespace}/{volume.claim_name}")
        if volume.claim_name and claim is not None and claim.volume_name:
            disk, own = volumes[claim.volume_name], node.labels.get(zone)
            zones.append((claim.key, disk.name, zone, own, own is not None and own != disk.labels[zone]))
    return zones


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
    claim_of = {claim.key: claim for claim in objects.persistent_volume_claims}
    volumes, unbound = {volume.name: volume for volume in objects.persistent_volumes}, []
    for volume in pod.volumes:
        claim = claim_of.get(f"{pod.namespace}/{volume.claim_name}")
        if not volume.claim_name or claim is None:
            continue
        if claim.volume_name:
            zone = volumes[claim.volume_name].labels["topology.kubernetes.io/zone"]
            away = node.labels.get("topology.kubernetes.io/zone") != zone
            unbound.append((claim.key, claim.volume_name, False, away))
        else:
            elsewhere = making.get(claim.key, node.name) != node.name
            unbound.append((claim.key, "", not elsewhere, elsewhere))
    return unbound


def disks(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> dict[str, set[str]]:
    """{volume: pods on the node that have its disk in a way that excludes sharing}, nominated ones too."""
    volumes_of_driver: dict[str, set[str]] = {}
    for mine in pod.volumes:
        if mine.source == "gcePersistentDisk":
            volumes_of_driver[mine.name] = {
                other.key
                for other in (*cluster.pods[node.name], *cluster.nominated.get(node.name, []))
                for theirs in other.volumes
                if theirs.attributes.get("pdName") == mine.attributes["pdName"]
                and not mine.attributes["readOnly"] == theirs.attributes["readOnly"] == "true"
            }
    return volumes_of_driver


def once_pod(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> dict[str, set[str]]:
    """{claim for one pod at a time: the pods anywhere that use it, and those nominated to the node}."""
    modes = {claim.key: claim.access_modes for claim in cluster.inputs.objects.persistent_volume_claims}
    everyone = [p for several in cluster.pods.values() for p in several] + cluster.nominated.get(node.name, [])
    users_of: dict[str, set[str]] = {}
    for volume in pod.volumes:
        key = f"{pod.namespace}/{volume.claim_name}"
        if "ReadWriteOncePod" in modes.get(key, ()):
            users = {p.key for p in everyone for v in p.volumes if f"{p.namespace}/{v.claim_name}" == key}
            users_of[key] = users
    return users_of
