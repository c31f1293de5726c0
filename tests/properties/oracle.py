"""Required rules in plain Python over objects, written apart from the engine: what may never be broken at a decision.

They cover what tests/properties/strategies.py generates: one container per pod, selectors of one label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scheduler_core.api.objects import Node, Pod, PodAffinityTerm
    from scheduler_core.columns.cluster import Cluster


def broken_rules(cluster: Cluster, pod: Pod, node_name: str) -> list[str]:
    """What is wrong with the pod's place, with the pod on the node already; [] when nothing is."""
    row = cluster.table.row_of.get(node_name)
    if row is None:
        return [f"{node_name} does not exist"]
    node = cluster.table.nodes[row]
    assert node is not None
    others = [info.pod for info in cluster.pods_on(row).values() if info.key != pod.key]
    return [
        *_over_committed(pod, node, others),
        *_ports(pod, others),
        *_node_rules(pod, node),
        *_affinity(cluster, pod, node),
        *_anti_affinity(cluster, pod, node),
        *_spread(cluster, pod, node),
    ]


def _requests(pod: Pod) -> dict[str, int]:
    (container,) = pod.containers
    return dict(container.requests)


def _over_committed(pod: Pod, node: Node, others: list[Pod]) -> Iterator[str]:
    if len(others) + 1 > node.allocatable["pods"]:
        yield f"{len(others) + 1} pods on {node.name}, which takes {node.allocatable['pods']}"
    for name, amount in _requests(pod).items():
        used = sum(_requests(other).get(name, 0) for other in others)
        if amount and used + amount > node.allocatable[name]:
            yield f"{used + amount} {name} requested of {node.name}, which has {node.allocatable[name]}"


def _ports(pod: Pod, others: list[Pod]) -> Iterator[str]:
    taken = {port.host_port for other in others for port in other.containers[0].ports}
    for port in pod.containers[0].ports:
        if port.host_port in taken:
            yield f"host port {port.host_port} is taken twice"


def _node_rules(pod: Pod, node: Node) -> Iterator[str]:
    for key, value in pod.node_selector.items():
        if node.labels.get(key) != value:
            yield f"{node.name} lacks {key}={value}"
    for taint in node.taints:
        if taint.effect != "PreferNoSchedule" and not any(t.tolerates(taint) for t in pod.tolerations):
            yield f"taint {taint.key} is not tolerated"
    if node.unschedulable:
        yield f"{node.name} is cordoned"


def _in_domain(cluster: Cluster, node: Node, key: str) -> Iterator[Pod]:
    """Pods on nodes of the node's topology domain."""
    value = node.labels.get(key)
    for name, row in cluster.table.row_of.items():
        other = cluster.table.nodes[row]
        assert other is not None, name
        if value is not None and other.labels.get(key) == value:
            yield from (info.pod for info in cluster.pods_on(row).values())


def _meant(term: PodAffinityTerm, of: Pod, other: Pod) -> bool:
    assert term.label_selector is not None
    return other.namespace == of.namespace and term.label_selector.matches(other.labels)


def _affinity(cluster: Cluster, pod: Pod, node: Node) -> Iterator[str]:
    terms = pod.affinity.pod_required if pod.affinity else ()
    keys = {term.topology_key for term in terms}
    counted = [
        info
        for row in cluster.table.row_of.values()
        if keys & cluster.view(row).node.labels.keys()  # pods elsewhere are in no domain
        for info in cluster.pods_on(row).values()
        if info.key != pod.key and all(_meant(term, pod, info.pod) for term in terms)
    ]
    first_of_its_kind = not counted and all(_meant(term, pod, pod) for term in terms)
    for term in terms:
        near = [o for o in _in_domain(cluster, node, term.topology_key) if o.key != pod.key and _meant(term, pod, o)]
        if term.topology_key not in node.labels or (not near and not first_of_its_kind):
            yield f"no pod near {node.name} fulfils the affinity by {term.topology_key}"


def _anti_affinity(cluster: Cluster, pod: Pod, node: Node) -> Iterator[str]:
    for term in pod.affinity.anti_required if pod.affinity else ():
        for other in _in_domain(cluster, node, term.topology_key):
            if other.key != pod.key and _meant(term, pod, other):
                yield f"{other.key} is where {pod.key} must not be with it"
    for info in cluster.pods.values():
        row = cluster.table.row_of.get(cluster.node_of(info.key) or "")
        terms = info.pod.affinity.anti_required if info.pod.affinity else ()
        if row is None or info.key == pod.key or not terms:
            continue
        home = cluster.table.nodes[row]
        assert home is not None
        for term in terms:
            shared = home.labels.get(term.topology_key)
            if shared is not None and shared == node.labels.get(term.topology_key) and _meant(term, info.pod, pod):
                yield f"{info.key} must not have {pod.key} near it"


def _spread(cluster: Cluster, pod: Pod, node: Node) -> Iterator[str]:
    for constraint in pod.topology_spread_constraints:
        if constraint.when_unsatisfiable != "DoNotSchedule":
            continue
        key, selector = constraint.topology_key, constraint.label_selector
        assert selector is not None
        counts: dict[str, int] = {}
        for row in cluster.table.row_of.values():
            other = cluster.table.nodes[row]
            assert other is not None
            if key not in other.labels or any(other.labels.get(k) != v for k, v in pod.node_selector.items()):
                continue
            counted = [
                info for info in cluster.pods_on(row).values()
                if info.key != pod.key
                and info.pod.namespace == pod.namespace
                and info.pod.deletion_timestamp is None
                and selector.matches(info.pod.labels)
            ]  # fmt: skip
            counts[other.labels[key]] = counts.get(other.labels[key], 0) + len(counted)
        skew = counts.get(node.labels.get(key, ""), 0) + selector.matches(pod.labels) - min(counts.values(), default=0)
        if key not in node.labels or skew > constraint.max_skew:
            yield f"skew {skew} by {key} on {node.name} is more than {constraint.max_skew}"
