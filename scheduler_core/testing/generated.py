"""Clusters drawn from a seed, in which everything that plugins look at occurs and collides.

Small on purpose: few zones, apps, ports, images and volumes. What is drawn is data, so that a checker can build the
same cluster in other ways (another order of nodes, one node only).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.api.labels import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.taints import Toleration
from scheduler_core.columns.cluster import Cluster
from scheduler_core.testing.builders import make_cluster, make_node, make_pod

HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
APPS = ("web", "db", "job")
ZONES = ("a", "b", "c")
NAMESPACES = ("default", "team-a")
TAINTS = ("dedicated=gpu:NoSchedule", "old:PreferNoSchedule", "flaky=yes:PreferNoSchedule", "down:NoExecute")
IMAGES = {"web:1": 400 << 20, "db:latest": 900 << 20, "tool:2": 50 << 20}
DISKS = ("disk-0", "disk-1", "disk-2")
GPU = "example.com/gpu"
FEATURE = "RestartAllContainersOnContainerExits"


class GeneratedCluster(msgspec.Struct, frozen=True):
    """Nodes, pods placed on them by node name, other objects, and pods to try."""

    nodes: tuple[k8s.Node, ...]
    placed: Mapping[str, tuple[k8s.Pod, ...]]
    objects: tuple[Any, ...]
    pods: tuple[k8s.Pod, ...]

    def cluster(self, nodes: Sequence[k8s.Node] | None = None) -> Cluster:
        """A new cluster of these nodes (None: all), in this order, each with its pods."""
        chosen = self.nodes if nodes is None else nodes
        return make_cluster(chosen, {node.name: self.placed[node.name] for node in chosen}, self.objects)


@lru_cache(maxsize=64)
def sample(seed: int, n_nodes: int = 14, n_pods: int = 10) -> GeneratedCluster:
    """The same for the same seed, and made once: nobody changes it.

    Pods to try have all kinds of requirements; some fit nowhere.
    """
    draw = Random(seed)
    nodes = tuple(_node(draw, f"node-{i}") for i in range(n_nodes))
    placed = {
        node.name: tuple(_placed(draw, f"{node.name}-{i}", node.name) for i in range(draw.randrange(4)))
        for node in nodes
    }
    pods = tuple(pod(draw, f"new-{i}") for i in range(n_pods))
    return GeneratedCluster(nodes, placed, tuple(_objects(draw, nodes)), pods)


def _node(draw: Random, name: str) -> k8s.Node:
    labels = {"disk": draw.choice(("ssd", "hdd")), "gen": str(draw.randrange(5))}
    if draw.random() < 0.8:
        labels[ZONE] = draw.choice(ZONES)
    extended = {GPU: str(draw.randrange(3))} if draw.random() < 0.5 else {}
    images = draw.sample(sorted(IMAGES), 2)
    return make_node(
        name,
        cpu=str(draw.randrange(1, 6)),
        memory=f"{draw.randrange(1, 9)}Gi",
        pods=draw.randrange(2, 8),
        labels=labels,
        extended=extended,
        taints=draw.sample(TAINTS, draw.choice((0, 0, 0, 1, 2))),
        unschedulable=draw.random() < 0.1,
        images=tuple(k8s.ContainerImage((image,), IMAGES[image]) for image in images),
        declared_features=(FEATURE,) if name[-1] in "0246" else (),
    )


def _placed(draw: Random, name: str, node_name: str) -> k8s.Pod:
    leaving = 1.0 if draw.random() < 0.1 else None
    start = float(draw.randrange(1000))
    return msgspec.structs.replace(
        pod(draw, name), node_name=node_name, phase="Running", start_time=start, deletion_timestamp=leaving
    )


def pod(draw: Random, name: str) -> k8s.Pod:
    """A pod with labels, and often with requests, ports, volumes, affinity, tolerations and spread constraints."""
    requests: dict[str, int] = {}
    if draw.random() < 0.8:
        requests["cpu"] = draw.choice((0, 100, 250, 1000, 3000))
        requests["memory"] = draw.choice((0, 1 << 28, 1 << 30, 1 << 32))
    if draw.random() < 0.2:
        requests[GPU] = draw.randrange(3)
    port = k8s.ContainerPort(host_port=8000 + draw.randrange(2), host_ip=draw.choice(("", "10.0.0.1")))
    ports = (port,) if draw.random() < 0.2 else ()
    main = k8s.Container("main", draw.choice(sorted(IMAGES)), requests=requests, ports=ports)
    return make_pod(
        name,
        namespace=draw.choice(NAMESPACES),
        labels={"app": draw.choice(APPS)} if draw.random() < 0.9 else {},
        priority=draw.choice((0, 0, 10, 100)),
        containers=(main,) if draw.random() < 0.7 else (main, k8s.Container("side")),
        volumes=_volumes(draw),
        scheduling_gates=("gate",) if draw.random() < 0.05 else (),
        resource_claims=(k8s.PodResourceClaim("claim", "claim"),) if draw.random() < 0.03 else (),
        features=(FEATURE,) if name[-1] == "5" else (),
        **_constraints(draw),
    )


def _constraints(draw: Random) -> dict[str, Any]:
    fields: dict[str, Any] = {"affinity": _affinity(draw) if draw.random() < 0.5 else None}
    if draw.random() < 0.2:
        fields["node_selector"] = {"disk": draw.choice(("ssd", "nvme"))}
    if draw.random() < 0.4:
        fields["tolerations"] = (Toleration(draw.choice(("dedicated", "old", "")), "Exists"),)
    count = draw.choice((0, 0, 0, 1, 2))
    fields["topology_spread_constraints"] = tuple(_spread(draw) for _ in range(count))
    return fields


def _volumes(draw: Random) -> tuple[k8s.Volume, ...]:
    if draw.random() < 0.75:
        return ()
    if draw.random() < 0.3:
        attributes = {"pdName": "shared", "readOnly": draw.choice(("true", "false"))}
        return (k8s.Volume(name="v", source="gcePersistentDisk", attributes=attributes),)
    return (k8s.Volume(name="v", claim_name=draw.choice((*DISKS, "late", "missing"))),)


def _spread(draw: Random) -> k8s.TopologySpreadConstraint:
    return k8s.TopologySpreadConstraint(
        topology_key=draw.choice((HOSTNAME, ZONE)),
        max_skew=draw.choice((1, 2)),
        when_unsatisfiable=draw.choice(("DoNotSchedule", "ScheduleAnyway")),
        label_selector=_apps(draw),
        min_domains=draw.choice((None, 2)),
        node_taints_policy=draw.choice(("Honor", "Ignore")),
    )


def _apps(draw: Random) -> LabelSelector:
    return LabelSelector((Requirement("app", draw.choice(("In", "NotIn")), (draw.choice(APPS),)),))


def _term(draw: Random) -> k8s.PodAffinityTerm:
    return k8s.PodAffinityTerm(
        topology_key=draw.choice((HOSTNAME, ZONE)),
        label_selector=_apps(draw),
        namespaces=draw.choice(((), ("team-a",))),
    )


def _node_term(draw: Random) -> NodeSelectorTerm:
    zone = Requirement(ZONE, draw.choice(("In", "NotIn")), (draw.choice(ZONES), "z"))
    newer = Requirement("gen", draw.choice(("Gt", "Lt")), ("2",))
    named = Requirement("metadata.name", "NotIn", (f"node-{draw.randrange(9)}",))
    return draw.choice((
        NodeSelectorTerm((zone,)), NodeSelectorTerm((zone, newer)), NodeSelectorTerm(match_fields=(named,)),
    ))  # fmt: skip


def _affinity(draw: Random) -> k8s.Affinity:
    def some(chance: float, make: Any) -> Any:
        return (make(draw),) if draw.random() < chance else ()

    def weighted(chosen: Random) -> k8s.WeightedPodAffinityTerm:
        return k8s.WeightedPodAffinityTerm(chosen.randint(1, 100), _term(chosen))

    def preferred(chosen: Random) -> k8s.PreferredSchedulingTerm:
        return k8s.PreferredSchedulingTerm(chosen.randint(1, 100), _node_term(chosen))

    required = NodeSelector((_node_term(draw), _node_term(draw)))
    return k8s.Affinity(
        node_required=required if draw.random() < 0.2 else None,
        node_preferred=some(0.5, preferred),
        pod_required=some(0.2, _term),
        anti_required=some(0.2, _term),
        pod_preferred=some(0.4, weighted),
        anti_preferred=some(0.4, weighted),
    )


def _objects(draw: Random, nodes: Sequence[k8s.Node]) -> Iterable[Any]:
    yield from (k8s.Namespace(name, {"team": "a"} if name == "team-a" else {}) for name in NAMESPACES)
    for app in APPS[:2]:
        selector = LabelSelector((Requirement("app", "In", (app,)),))
        yield k8s.WorkloadSelector(kind="Service", name=app, selector=selector)
        yield k8s.PodDisruptionBudget(name=app, selector=selector, disruptions_allowed=draw.randrange(2))
    yield k8s.StorageClass(name="late", provisioner="csi.example.com", volume_binding_mode="WaitForFirstConsumer")
    for namespace in NAMESPACES:
        yield _claim("late", namespace, "")
        for disk in DISKS:
            yield _claim(disk, namespace, f"{namespace}-{disk}")
            yield _disk(draw, f"{namespace}-{disk}")
    for node in nodes[::2]:
        driver = k8s.CSIDriverOnNode("csi.example.com", node.name, (ZONE,), draw.choice((1, 2)))
        yield k8s.CSINode(name=node.name, drivers=(driver,))
    for namespace in NAMESPACES:
        yield _quota(draw, namespace)


def _quota(draw: Random, namespace: str) -> k8s.ElasticQuota:
    least = {"cpu": 1000 * draw.randrange(2, 12), "memory": 1 << 36, GPU: 9}
    most = None if draw.random() < 0.2 else {**least, "cpu": least["cpu"] + 1000 * draw.randrange(6)}
    return k8s.ElasticQuota(name="quota", namespace=namespace, min=least, max=most)


def _claim(name: str, namespace: str, volume_name: str) -> k8s.PersistentVolumeClaim:
    return k8s.PersistentVolumeClaim(
        name=name,
        namespace=namespace,
        uid=f"uid-{namespace}-{name}",
        annotations={"pv.kubernetes.io/bind-completed": "yes"} if volume_name else {},
        storage_class_name="late",
        volume_name=volume_name,
        access_modes=("ReadWriteOnce",),
        requested_bytes=1 << 30,
        phase="Bound" if volume_name else "Pending",
    )


def _disk(draw: Random, name: str) -> k8s.PersistentVolume:
    zone = draw.choice(ZONES)
    return k8s.PersistentVolume(
        name=name,
        labels={ZONE: zone},
        storage_class_name="late",
        capacity_bytes=1 << 30,
        access_modes=("ReadWriteOnce",),
        node_affinity=NodeSelector((NodeSelectorTerm((Requirement(ZONE, "In", (zone,)),)),)),
        phase="Bound",
        source="csi",
        attributes={"driver": "csi.example.com", "volumeHandle": name},
    )
