"""Nodes and pods of a revision as the rows of its tables, with what is requested of what."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dashboard.clusters.revisions.object_keys import Key
from scheduler_core.api.resources import pod_requests

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from scheduler_core.api.objects import ClusterObjects, Node, Pod

ZONE_LABELS = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
POOL_LABELS = (
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool",
    "doks.digitalocean.com/node-pool",
    "agentpool",
    "nodepool",
    "node-pool",
    "pool",
    "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/instance-type",
)
ROLE_PREFIX = "node-role.kubernetes.io/"
STATUSES = ("bound", "pending", "gated", "finished")
# Not an amount that pods share, so it has no column.
NO_AMOUNT = frozenset(("cpu", "memory", "pods", "ephemeral-storage"))


@dataclass(slots=True)
class NodeRow:
    """One node: resources in the core's integers (cpu in thousandths, memory in bytes, others in units)."""

    name: str
    zone: str
    pool: str
    is_cordoned: bool
    taints: tuple[str, ...]
    allocatable: Mapping[str, int]
    haystack: str
    requested: dict[str, int] = field(default_factory=dict)
    n_pods: int = 0
    key: Key = field(init=False)

    def __post_init__(self) -> None:
        self.key = Key("Node", "", self.name)

    def share(self, resource: str) -> float:
        """Return requested divided by allocatable; with nothing allocatable, 1 if something is requested, else 0."""
        whole, used = self.allocatable.get(resource, 0), self.requested.get(resource, 0)
        return used / whole if whole else float(used > 0)

    @property
    def extended(self) -> list[tuple[str, int, int]]:
        """Return (resource, requested, allocatable) of devices and other extended resources."""
        return extended_resources(self.requested, self.allocatable)


@dataclass(slots=True)
class PodRow:
    """One pod; `source` is the stored object that it comes from: itself or its workload.

    `owner` is the name of its controller, for pods of a ReplicaSet that of the Deployment; "" without one.
    """

    namespace: str
    name: str
    status: str
    node: str
    node_is_known: bool
    priority: int
    priority_class: str
    requests: Mapping[str, int]
    scheduler: str
    source: Key | None
    owner: str
    haystack: str

    @property
    def is_expanded(self) -> bool:
        """Return whether the pod was made from a workload and is not stored itself."""
        return self.source is None or self.source.kind != "Pod"

    @property
    def extended(self) -> list[tuple[str, int]]:
        """Return (resource, amount) of its requests other than cpu and memory."""
        return [(name, value) for name, value in sorted(self.requests.items()) if name not in NO_AMOUNT and value]


@dataclass(slots=True)
class Rows:
    """The rows of a revision, in the order of the objects."""

    nodes: list[NodeRow]
    pods: list[PodRow]


def build_rows(objects: ClusterObjects, stored: Collection[Key]) -> Rows:
    """Return the rows of these objects; `stored` are the keys of the manifests that they came from."""
    nodes = {node.name: _node_row(node) for node in objects.nodes}
    requests = _Requests()
    pods = [_pod_row(pod, nodes, stored, requests.of(pod)) for pod in objects.pods]
    for row in pods:
        if row.status == "bound" and row.node_is_known:
            _charge(nodes[row.node], row.requests)
    return Rows(list(nodes.values()), pods)


def rows_after(before: Rows, old: ClusterObjects, new: ClusterObjects, stored: Collection[Key]) -> Rows:
    """Return the rows of `new`, as `build_rows`, taking those of objects shared with `old` from `before`.

    `before` are the rows of `old`, one for each node and pod. Workloads must be the same in both. Costs a comparison of
    each object, and making the rows that changed.
    """
    kept_nodes = dict(zip(map(id, old.nodes), before.nodes, strict=True))
    kept_pods = dict(zip(map(id, old.pods), before.pods, strict=True))
    nodes = {node.name: kept_nodes.get(id(node)) or _node_row(node) for node in new.nodes}
    moved = nodes.keys() ^ {row.name for row in before.nodes}
    recounted = moved | {node.name for node in new.nodes if id(node) not in kept_nodes}
    pods = []
    for pod in new.pods:
        row = kept_pods.pop(id(pod), None)
        if row is None or row.node in moved:
            row = _pod_row(pod, nodes, stored, pod_requests(pod))
            recounted.add(row.node)
        pods.append(row)
    recounted.update(row.node for row in kept_pods.values())
    nodes |= {name: replace(nodes[name], requested={}, n_pods=0) for name in recounted if name in nodes}
    for row in pods:
        if row.node in recounted and row.status == "bound" and row.node_is_known:
            _charge(nodes[row.node], row.requests)
    return Rows(list(nodes.values()), pods)


def extended_resources(requested: Mapping[str, int], allocatable: Mapping[str, int]) -> list[tuple[str, int, int]]:
    """Return (resource, requested, allocatable) of devices and other extended resources."""
    return [
        (name, requested.get(name, 0), whole)
        for name, whole in sorted(allocatable.items())
        if name not in NO_AMOUNT and whole and not name.startswith("hugepages-")
    ]


def _charge(node: NodeRow, requests: Mapping[str, int]) -> None:
    node.n_pods += 1
    for name, value in requests.items():
        node.requested[name] = node.requested.get(name, 0) + value


def _node_row(node: Node) -> NodeRow:
    taints = tuple(f"{t.key}={t.value}:{t.effect}" if t.value else f"{t.key}:{t.effect}" for t in node.taints)
    return NodeRow(
        name=node.name,
        zone=_first(node.labels, ZONE_LABELS),
        pool=_first(node.labels, POOL_LABELS) or _roles(node.labels),
        is_cordoned=node.unschedulable,
        taints=taints,
        allocatable=node.allocatable,
        haystack=_haystack(node.name, *taints, *_pairs(node.labels)),
    )


class _Requests:
    """The requests of pods, added up once for all pods that share their containers: most are made from the same
    template.
    """

    def __init__(self) -> None:
        self._requests_of: dict[tuple[int, ...], dict[str, int]] = {}

    def of(self, pod: Pod) -> dict[str, int]:
        """Return the requests of a pod that lives as long as this does; not to be changed."""
        parts = (pod.containers, pod.init_containers, pod.allocated_requests, pod.pod_requests, pod.overhead)
        place = tuple(map(id, parts))
        requests = self._requests_of.get(place)
        if requests is None:
            requests = self._requests_of[place] = pod_requests(pod)
        return requests


def _pod_row(pod: Pod, nodes: Collection[str], stored: Collection[Key], requests: Mapping[str, int]) -> PodRow:
    return PodRow(
        namespace=pod.namespace,
        name=pod.name,
        status=pod_status(pod),
        node=pod.node_name,
        node_is_known=pod.node_name in nodes,
        priority=pod.priority,
        priority_class=pod.priority_class_name,
        requests=requests,
        scheduler=pod.scheduler_name,
        source=_source(pod, stored),
        owner=_owner(pod),
        haystack=_haystack(pod.key, pod.node_name, pod.priority_class_name, *_pairs(pod.labels)),
    )


def pod_status(pod: Pod) -> str:
    """Return one of STATUSES: the status for a scheduler that starts now."""
    if pod.is_terminal:
        return "finished"
    if pod.node_name:
        return "bound"
    return "gated" if pod.scheduling_gates else "pending"


def _source(pod: Pod, stored: Collection[Key]) -> Key | None:
    own = Key("Pod", pod.namespace, pod.name)
    if own in stored:
        return own
    for owner in pod.owner_references:
        key = Key(owner.kind, pod.namespace, owner.name)
        if key in stored:
            return key
        # A Deployment's pods belong to a ReplicaSet that is named by the hash of the template and not stored.
        deployment = Key("Deployment", pod.namespace, owner.name.rpartition("-")[0])
        if owner.kind == "ReplicaSet" and deployment in stored:
            return deployment
    return None


def _owner(pod: Pod) -> str:
    owner = next(iter(pod.owner_references), None)
    if owner is None:
        return ""
    return owner.name.rpartition("-")[0] or owner.name if owner.kind == "ReplicaSet" else owner.name


def _first(labels: Mapping[str, str], names: Iterable[str]) -> str:
    return next((labels[name] for name in names if labels.get(name)), "")


def _roles(labels: Mapping[str, str]) -> str:
    return ", ".join(sorted(name[len(ROLE_PREFIX) :] for name in labels if name.startswith(ROLE_PREFIX)))


def _pairs(labels: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in labels.items()]


def _haystack(*parts: str) -> str:
    return "\n".join(parts).casefold()


def status_counts(pods: Iterable[PodRow]) -> Counter[str]:
    """Return {status: number of pods}."""
    return Counter(pod.status for pod in pods)
