"""Random clusters and pods from a seed, small enough that everything collides: 3 zones, 3 apps, 2 namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.api.labels import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import (
    Affinity,
    Namespace,
    Pod,
    PodAffinityTerm,
    TopologySpreadConstraint,
    WeightedPodAffinityTerm,
    WorkloadSelector,
)
from scheduler_core.api.taints import Taint, Toleration
from scheduler_core.testing.builders import make_cluster, make_node, make_pod

if TYPE_CHECKING:
    from random import Random

    from scheduler_core.columns.cluster import Cluster

HOSTNAME, ZONE, RACK = "kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack"
KEYS = (HOSTNAME, ZONE, RACK)
APPS = ("web", "db", "job")
NAMESPACES = ("default", "team-a")


def random_cluster(random: Random, n_nodes: int = 9, n_pods: int = 30, zones: str = "abc") -> Cluster:
    """A cluster with placed pods; some nodes lack zone or rack, some carry a taint, some pods are terminating."""
    nodes = [_node(random, f"node-{i}", zones) for i in range(n_nodes)]
    objects = [
        *(Namespace(name, {"team": "a"} if name == "team-a" else {}) for name in NAMESPACES),
        WorkloadSelector(kind="Service", name="web", selector=app_is("web")),
    ]
    cluster = make_cluster(nodes, objects=objects)
    for i in range(n_pods):
        cluster.put_pod(cluster.info(random_pod(random, f"placed-{i}")), random.choice(nodes).name)
    return cluster


def random_pod(random: Random, name: str) -> Pod:
    """A pod with labels, and often with spread constraints, affinity, tolerations and a node selector."""
    terminating = name.startswith("placed") and random.random() < 0.1
    return make_pod(
        name,
        namespace=random.choice(NAMESPACES),
        labels={"app": random.choice(APPS)} if random.random() < 0.9 else {},
        priority=random.choice((0, 0, 10, 100)),
        node_selector={"disk": "ssd"} if random.random() < 0.2 else {},
        tolerations=(Toleration(operator="Exists"),) if random.random() < 0.3 else (),
        topology_spread_constraints=tuple(_constraint(random) for _ in range(random.choice((0, 0, 1, 2)))),
        affinity=_affinity(random) if random.random() < 0.6 else None,
        deletion_timestamp=1.0 if terminating else None,
    )


def app_is(*apps: str) -> LabelSelector:
    """The selector ``app in (...)``."""
    return LabelSelector((Requirement("app", "In", apps),))


def _node(random: Random, name: str, zones: str):
    labels = {}
    if random.random() < 0.85:
        labels[ZONE] = random.choice(zones)
    if random.random() < 0.7:
        labels[RACK] = random.choice(("r1", "r2", "r3", "r4", ""))
    if random.random() < 0.5:
        labels["disk"] = "ssd"
    taints = (Taint("busy", effect=random.choice(("NoSchedule", "PreferNoSchedule"))),)
    return make_node(name, labels=labels, taints=taints if random.random() < 0.3 else ())


def _selector(random: Random) -> LabelSelector | None:
    return random.choice((
        app_is(random.choice(APPS)),
        app_is(*random.sample(APPS, 2)),
        LabelSelector((Requirement("app", "NotIn", ("db",)),)),
        LabelSelector(),
        None,
    ))  # fmt: skip


def _constraint(random: Random) -> TopologySpreadConstraint:
    return TopologySpreadConstraint(
        topology_key=random.choice(KEYS),
        max_skew=random.choice((1, 1, 2, 3)),
        when_unsatisfiable=random.choice(("DoNotSchedule", "ScheduleAnyway")),
        label_selector=_selector(random),
        min_domains=random.choice((None, None, 1, 3, 5)),
        node_affinity_policy=random.choice(("Honor", "Ignore")),
        node_taints_policy=random.choice(("Honor", "Ignore")),
    )


def _term(random: Random) -> PodAffinityTerm:
    namespace_selector = random.choice((
        None, None, None, LabelSelector(), LabelSelector((Requirement("team", "In", ("a",)),)),
        LabelSelector((Requirement("team", "DoesNotExist"),)),
    ))  # fmt: skip
    return PodAffinityTerm(
        topology_key=random.choice(KEYS),
        label_selector=_selector(random),
        namespaces=random.choice(((), (), ("team-a",), ("default", "nowhere"))),
        namespace_selector=namespace_selector,
    )


def _affinity(random: Random) -> Affinity:
    def terms() -> tuple[PodAffinityTerm, ...]:
        return tuple(_term(random) for _ in range(random.choice((0, 0, 0, 1, 2))))

    def weighted() -> tuple[WeightedPodAffinityTerm, ...]:
        return tuple(WeightedPodAffinityTerm(random.randint(1, 100), term) for term in terms())

    required = NodeSelector((NodeSelectorTerm((Requirement("disk", "DoesNotExist"),)),))
    return Affinity(
        node_required=required if random.random() < 0.1 else None,
        pod_required=terms(),
        anti_required=terms(),
        pod_preferred=weighted(),
        anti_preferred=weighted(),
    )
