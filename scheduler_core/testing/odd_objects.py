"""A small cluster of objects that are rare but legal: nothing set, nothing known, far too much; for check_plugin."""

from __future__ import annotations

from scheduler_core.api import objects as k8s
from scheduler_core.api.labels import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.taints import Taint
from scheduler_core.columns.cluster import Cluster
from scheduler_core.testing.builders import make_cluster, make_pod

ZONE, MOST = "topology.kubernetes.io/zone", (1 << 62) - 1
_BOUND = {"pv.kubernetes.io/bind-completed": "yes"}


def odd_cluster() -> Cluster:
    """Nodes without labels and amounts, one that is overcommitted, claims whose volumes are not there."""
    nodes = [
        k8s.Node(name="bare"),
        k8s.Node(name="nothing", allocatable={"cpu": 0, "memory": 0, "pods": 0}, labels={ZONE: ""}),
        k8s.Node(name="full", allocatable={"cpu": 100, "memory": 1, "pods": 1}, labels={"gen": "new"}),
        k8s.Node(
            name="huge",
            allocatable={"cpu": MOST, "memory": MOST, "pods": MOST},
            labels={ZONE: "a"},
            unschedulable=True,
            taints=(Taint("t", "", "NoExecute"), Taint("t", "v", "PreferNoSchedule")),
            images=(k8s.ContainerImage((), 5), k8s.ContainerImage(("x", "x:latest"), 0)),
        ),
    ]
    placed = {"full": [make_pod(f"on-{i}", cpu="3") for i in range(2)], "bare": [make_pod("on-bare", cpu=None)]}
    objects = [
        k8s.PersistentVolumeClaim(name="lost", volume_name="gone", annotations=_BOUND, phase="Lost"),
        k8s.PersistentVolumeClaim(name="unbound"),
        k8s.PersistentVolumeClaim(name="bound", volume_name="disk", annotations=_BOUND),
        k8s.PersistentVolumeClaim(name="gone", volume_name="nowhere", annotations=_BOUND),
        k8s.PersistentVolume(
            name="disk", labels={ZONE: "a__b"}, node_affinity=NodeSelector(), source="awsElasticBlockStore"
        ),
        k8s.PodDisruptionBudget(name="empty"),
        k8s.CSINode(name="huge"),
        k8s.ResourceClaim(name="claim"),
        k8s.ElasticQuota(name="nothing", max={}),
    ]
    return make_cluster(nodes, placed, objects)


def odd_pods() -> list[k8s.Pod]:
    """Pods that ask for nothing, for everything, and for what is not there."""
    not_a_number = NodeSelectorTerm((Requirement("gen", "Gt", ("2",)),))
    return [
        k8s.Pod(name="bare"),
        k8s.Pod(name="huge", containers=(k8s.Container("c", requests={"cpu": MOST, "example.com/none": MOST}),)),
        make_pod("zero", cpu="0", containers=(k8s.Container("c", requests={"cpu": 0, "memory": 0}),)),
        make_pod("nowhere", affinity=k8s.Affinity(node_required=NodeSelector())),
        make_pod("number", affinity=k8s.Affinity(node_required=NodeSelector((NodeSelectorTerm(), not_a_number)))),
        make_pod("empty", affinity=k8s.Affinity(pod_required=(k8s.PodAffinityTerm(ZONE),))),
        make_pod("alone", affinity=k8s.Affinity(anti_required=(k8s.PodAffinityTerm("none", LabelSelector()),))),
        make_pod("spread", topology_spread_constraints=_constraints()),
        make_pod("ports", containers=(k8s.Container("c", ports=(k8s.ContainerPort(0, 65535, "::", "SCTP"),) * 2),)),
        *(make_pod(f"uses-{name}", volumes=(volume,)) for name, volume in _volumes()),
        make_pod("devices", resource_claims=(k8s.PodResourceClaim("a", "claim"), k8s.PodResourceClaim("b"))),
        make_pod("made", resource_claims=(k8s.PodResourceClaim("a", template_name="t", generated=""),)),
        make_pod("gated", scheduling_gates=("a", "b"), node_name="unknown"),
    ]


def _constraints() -> tuple[k8s.TopologySpreadConstraint, ...]:
    return (
        k8s.TopologySpreadConstraint(topology_key="none", min_domains=9),
        k8s.TopologySpreadConstraint(topology_key=ZONE, label_selector=LabelSelector(), max_skew=99),
        k8s.TopologySpreadConstraint(topology_key=ZONE, when_unsatisfiable="ScheduleAnyway"),
    )


def _volumes() -> list[tuple[str, k8s.Volume]]:
    claims = [(name, k8s.Volume(name="v", claim_name=name)) for name in ("lost", "unbound", "bound", "gone", "unknown")]
    disks = ("gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd", "azureDisk", "emptyDir")
    return [
        *claims,
        ("ephemeral", k8s.Volume(name="v", ephemeral=True)),
        *((source.lower(), k8s.Volume(name="v", source=source)) for source in disks),
    ]
