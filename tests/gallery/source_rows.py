"""What the pictures of generating, importing and arrivals show: clusters, timelines, drafts, and files of all kinds."""

from __future__ import annotations

import io
import json
import stat
import tarfile
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.accounts.models import Member, Role, User
from dashboard.clusters.by_hand.actions import act
from dashboard.clusters.by_hand.changes import HandValues
from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.saving import save
from dashboard.clusters.revisions.actions import NewCluster, create_cluster
from dashboard.clusters.revisions.object_keys import Key
from dashboard.documents.actions import NewText
from dashboard.documents.timelines.actions import store_timeline
from dashboard.generating import actions as generating
from dashboard.generating.preview import build_preview
from dashboard.generating.recipes import RECIPES
from dashboard.runs import execution
from dashboard.runs.demo import load_teaching
from scheduler_core.manifests import dump_yaml
from tests.bench.cluster_page import manifests

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from dashboard.clusters.models import Cluster, Draft
    from dashboard.documents.models import Timeline
    from dashboard.runs.models import Run
    from tests.browser.team import Team

NODES, PODS = 24, 160
BOMB = 24 << 20
TRACE_NODES = "sn,cpu_milli,memory_mib,gpu,model\nopenb-node-0,96000,393216,8,G2\nopenb-node-1,32000,131072,0,\n"
TRACE_PODS = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time
openb-pod-0,6000,12288,1,460,T4|G2,LS,Running,427061
openb-pod-1,12000,16384,1,1000,,BE,Pending,427061
"""
BROKEN = """\
apiVersion: v1
kind: Node
metadata: {name: worker-1, labels: {disk: "not a label!"}}
status:
  allocatable: {cpu: 4 cores, memory: 16Gi, pods: "110"}
---
apiVersion: v1
kind: Pod
metadata: {name: checkout-with-a-long-name-of-its-own-7d9f8c6b5-x2x4z, namespace: shop}
spec:
  nodeSelektor: {disk: ssd}
  containers:
  - {name: main, image: "web:1", resources: {requests: {cpu: 500m, memory: 1 GB}}}
  tolerations: [{key: gpu, operator: Sometimes}]
---
apiVersion: v1
kind: Pod
metadata: {name: fine, namespace: shop}
spec:
  containers: [{name: main, image: "web:1", env: [{name: PASSWORD, value: hunter2}]}]
"""


def yaml_of(objects: list[dict[str, Any]]) -> bytes:
    """Return these objects as a file of YAML."""
    return dump_yaml(objects).encode()


def zip_of(entries: dict[str, bytes]) -> bytes:
    """Return an archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in entries.items():
            packed.writestr(name, data)
    return out.getvalue()


def zip_with_link() -> bytes:
    """Return an archive with a symbolic link out of it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        link = zipfile.ZipInfo("nodes.yaml")
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        packed.writestr(link, "/etc/passwd")
    return out.getvalue()


def tar_with_link() -> bytes:
    """Return a .tar.gz with a symbolic link out of it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as packed:
        link = tarfile.TarInfo("nodes.yaml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        packed.addfile(link)
    return out.getvalue()


def simulator_export(objects: list[dict[str, Any]]) -> bytes:
    """Return nodes and pods as kube-scheduler-simulator exports them."""
    sections = {"Node": "nodes", "Pod": "pods"}
    export: dict[str, Any] = {name: [one for one in objects if one["kind"] == kind] for kind, name in sections.items()}
    return json.dumps({**export, "pvs": [], "pvcs": None, "schedulerConfig": {}}, indent=1).encode()


@dataclass(frozen=True)
class SourceRows:
    """What the pages show."""

    team: Team
    mara: User
    member: Member
    cluster: Cluster
    objects: list[dict[str, Any]]
    draft: Draft
    behind: Draft
    untouched: Draft
    arrivals: Timeline
    empty: Timeline
    run: Run

    def open(self, path: str) -> Page:
        """Return a page of the workspace."""
        return self.team.open(self.mara, f"/w/{self.team.workspace.slug}/{path}")

    def of(self, draft: Draft, more: str = "") -> str:
        """Return the address of a draft in the workspace."""
        return f"clusters/{draft.cluster.slug}/drafts/{draft.pk}/{more}"


def written(team: Team) -> SourceRows:
    """Write all of it."""
    mara, jonas = team.join("Mara Lindqvist", Role.EDITOR), team.join("Jonas Okafor", Role.EDITOR)
    member, other = (Member.objects.select_related("workspace", "user").get(user=one) for one in (mara, jonas))
    objects = manifests(NODES, PODS)
    cluster = create_cluster(member, NewCluster("prod"), objects)
    behind = new_draft(member, cluster, "Labels for the teams")
    node = Key("Node", "", "node-a-0000")
    act(
        member, OpenedDraft(behind), "label", [node, Key("Node", "", "node-b-0001")], HandValues(key="team", value="ml")
    )
    theirs = new_draft(other, cluster, "Rename the teams")
    act(other, OpenedDraft(theirs), "label", [node], HandValues(key="team", value="search"))
    save(other, theirs, "Label the first node", None)
    draft = new_draft(member, cluster, "Room for the evening")
    draft.invited.add(jonas)
    _change(member, draft)
    act(other, OpenedDraft(draft), "label", [Key("Node", "", "node-b-0001")], HandValues(key="team", value="ml"))
    plan = build_preview(RECIPES["web"].text).plan
    assert plan is not None
    made = generating.make_cluster(member, "synthetic", generating.generated_parts(plan))
    assert made.timeline is not None
    empty = store_timeline(member, None, NewText("nothing yet", ""), {"entries": []}).timeline
    run = load_teaching(member)
    assert run is not None
    while execution.work():
        pass
    untouched = new_draft(member, cluster, "Not begun")
    rows = (draft, behind, untouched, made.timeline.timeline, empty, run)
    return SourceRows(team, mara, member, cluster, objects, *rows)


def _change(member: Member, draft: Draft) -> None:
    nodes = [Key("Node", "", f"node-a-{i:04d}") for i in (0, 3, 6)]
    act(member, OpenedDraft(draft), "taint", nodes, HandValues(key="maintenance"))
    act(member, OpenedDraft(draft), "cordon", nodes[:1], HandValues())
    act(member, OpenedDraft(draft), "delete", [Key("Pod", "shop", "web-0-00000")], HandValues())
