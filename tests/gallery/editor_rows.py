"""What the states of the editor show: a draft of two people, one of a large cluster and one of an empty one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.accounts.models import Member, Role, User
from dashboard.clusters.by_hand.actions import act
from dashboard.clusters.by_hand.changes import HandValues
from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.revisions.actions import NewCluster, create_cluster
from dashboard.clusters.revisions.object_keys import Key
from tests.bench.cluster_page import manifests

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from dashboard.clusters.models import Cluster, Draft
    from tests.browser.team import Team

NODES, PODS = 60, 400
LARGE_NODES, LARGE_PODS = 5_000, 50_000
READY = "html[data-map=ready][data-hand-ready]"
# A cluster without nodes has no map to draw.
READY_EMPTY = "html[data-hand-ready]"
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
LABELS = {"app": "web", "tier": "front"}
WEB: dict[str, Any] = {"namespace": "shop", "labels": LABELS}
REQUESTS = {"requests": {"cpu": "500m", "memory": "1Gi"}}
CONTAINER = {"name": "main", "image": "web:1", "resources": REQUESTS}
TEMPLATE = {
    "metadata": {"labels": LABELS},
    "spec": {
        "containers": [CONTAINER],
        "tolerations": [{"key": "gpu", "operator": "Exists"}],
        "nodeSelector": {"pool": "general"},
    },
}
# Every builder of a form has something to show.
PICKY: dict[str, Any] = {
    "metadata": {"labels": {"app": "train"}},
    "spec": {
        "containers": [{**CONTAINER, "resources": {"requests": {"cpu": "8", "memory": "32Gi"}}}],
        "tolerations": [{"key": "maintenance", "operator": "Exists", "effect": "NoSchedule"}],
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [
                        {
                            "matchExpressions": [
                                {"key": "pool", "operator": "In", "values": ["general", "batch"]},
                                {"key": "team", "operator": "NotIn", "values": ["ml"]},
                            ]
                        }
                    ]
                },
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "weight": 50,
                        "preference": {
                            "matchExpressions": [{"key": ZONE, "operator": "In", "values": ["zone-a", "zone-b"]}]
                        },
                    }
                ],
            },
            "podAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "weight": 10,
                        "podAffinityTerm": {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": "web"}}},
                    }
                ]
            },
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": "train"}}}
                ]
            },
        },
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": ZONE,
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"app": "train"}},
            }
        ],
    },
}
# Draining its node: one stays, one fits nowhere else, and the rest moves.
DRAINED = "node-b-0004"
LONG = "storefront-checkout-with-a-long-name-of-its-own"


def _object(kind: str, version: str, name: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **more}


def _workload(kind: str, name: str, template: dict[str, Any], **spec: Any) -> dict[str, Any]:
    chosen = {"selector": {"matchLabels": template["metadata"]["labels"]}} if kind != "Job" else {}
    version = "batch/v1" if kind == "Job" else "apps/v1"
    return _object(kind, version, name, "shop", spec={**spec, **chosen, "template": template})


def _pod(name: str, spec: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    raw = _object("Pod", "v1", name, "shop", spec={"containers": [CONTAINER], "nodeName": DRAINED, **spec})
    raw["metadata"] |= metadata
    return raw


OWNER = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "1", "controller": True}
JOB_TEMPLATE = {**PICKY, "spec": {**PICKY["spec"], "restartPolicy": "Never"}}
AGENT = {"metadata": {"labels": {"app": "agent"}}, "spec": {"containers": [CONTAINER]}}
DATABASE = {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [CONTAINER]}}
TERM = {"matchExpressions": [{"key": HOST, "operator": "In", "values": ["node-a-0000"]}]}
OBJECTS = [
    _workload("Deployment", LONG, TEMPLATE, replicas=6),
    _workload("Deployment", "train", PICKY, replicas=4),
    _workload("StatefulSet", "db", DATABASE, replicas=3, serviceName="db"),
    _workload("DaemonSet", "agent", AGENT),
    _workload("Job", "train-once", JOB_TEMPLATE, parallelism=2, completions=4),
    _workload("ReplicaSet", "web-old", TEMPLATE, replicas=1),
    _object("Service", "v1", "web", "shop", spec={"selector": LABELS, "ports": [{"port": 80}]}),
    _object("PriorityClass", "scheduling.k8s.io/v1", "high", value=1_000),
    _object(
        "PodDisruptionBudget",
        "policy/v1",
        "web",
        "shop",
        spec={"minAvailable": 6, "selector": {"matchLabels": LABELS}},
    ),
    _object(
        "StorageClass",
        "storage.k8s.io/v1",
        "disks",
        provisioner="kubernetes.io/no-provisioner",
        volumeBindingMode="WaitForFirstConsumer",
    ),
    _object(
        "PersistentVolume",
        "v1",
        "disk-1",
        spec={
            "capacity": {"storage": "10Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "disks",
            "local": {"path": "/disks/1"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [TERM]}},
        },
    ),
    _object(
        "PersistentVolumeClaim",
        "v1",
        "data",
        "shop",
        spec={
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "disks",
            "resources": {"requests": {"storage": "10Gi"}},
        },
    ),
    _pod("agent-x7k2p", {}, ownerReferences=[OWNER], labels={"app": "agent"}),
    _pod("search-index-shard-0", {"nodeSelector": {"disk": "ssd"}}),
    _object("PodGroup", "scheduling.x-k8s.io/v1alpha1", "gang", "shop", spec={"minMember": 3}),
]


@dataclass(frozen=True)
class EditorRows:
    """What the pages show, by whom."""

    team: Team
    mara: User
    jonas: User
    draft: Draft
    large: Draft
    empty: Draft

    def here(self, draft: Draft, query: str) -> str:
        """Return the address of a draft's editor."""
        return f"/w/{self.team.workspace.slug}/clusters/{draft.cluster.slug}/drafts/{draft.pk}/edit/{query}"

    def at(self, query: str = "", draft: Draft | None = None, user: User | None = None) -> Page:
        """Return the editor at an address, once map and bar can be used."""
        page = self.team.open(user or self.mara, self.here(draft or self.draft, query))
        page.wait_for_selector(READY_EMPTY if draft == self.empty else READY, state="attached")
        return page


def rows(team: Team) -> EditorRows:
    """Write what the pages show."""
    mara, jonas = team.join("Mara Lindqvist", Role.EDITOR), team.join("Jonas Okafor", Role.EDITOR)
    first, second = (Member.objects.select_related("workspace", "user").get(user=one) for one in (mara, jonas))
    draft = _draft(first, "prod", [*manifests(NODES, PODS), *OBJECTS], "Room for the evening")
    draft.invited.add(jonas)
    _change(first, draft)
    act(second, OpenedDraft(draft), "label", [Key("Node", "", "node-b-0001")], HandValues(key="team", value="ml"))
    large = _draft(first, "large", manifests(LARGE_NODES, LARGE_PODS), "All of it")
    return EditorRows(team, mara, jonas, draft, large, _draft(first, "empty", [], "From nothing"))


def _draft(member: Member, name: str, objects: list[dict[str, Any]], title: str) -> Draft:
    cluster: Cluster = create_cluster(member, NewCluster(name), objects)
    return new_draft(member, cluster, title)


def _change(member: Member, draft: Draft) -> None:
    nodes = [Key("Node", "", f"node-a-{i:04d}") for i in (0, 3, 6)]
    act(member, OpenedDraft(draft), "taint", nodes, HandValues(key="maintenance"))
    act(member, OpenedDraft(draft), "cordon", nodes[:1], HandValues())
    act(
        member,
        OpenedDraft(draft),
        "duplicate",
        [Key("Node", "", "node-b-0001")],
        HandValues(number=5, pattern="new-##"),
    )
    added = [Key("Node", "", f"new-{i:02d}") for i in range(1, 6)]
    act(member, OpenedDraft(draft), "unlabel", added, HandValues(key="pool"))
    act(member, OpenedDraft(draft), "taint", added, HandValues(key="dedicated", value="batch"))
    act(member, OpenedDraft(draft), "delete", [Key("Pod", "shop", "web-0-00000")], HandValues())
