"""The demo: a small cluster to learn from, and a large generated one to see that size is no matter."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from django.db import transaction

from dashboard.clusters.documents.actions import NewText
from dashboard.clusters.importing import actions as imports
from dashboard.clusters.importing import reading
from dashboard.clusters.importing.intake import Upload
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import actions as clusters
from dashboard.clusters.timelines.actions import save_timeline
from dashboard.runs.actions import Launch, create_run
from dashboard.runs.models import Run, Schedule
from scheduler_core.workloads.synthetic import gpu_cluster

if TYPE_CHECKING:
    from dashboard.accounts.models import Member, Workspace

SOURCE = "demo"
TEACHING, LARGE = "teaching", "gpu-1500"
SCENARIOS = "scheduler_core.workloads"
TEACHING_WORDS = (
    "A small cluster to learn from: least-allocated placement, taints, node affinity, spread, anti-affinity, a gated "
    "pod, backoff, a pod woken by a new node, a preemption with a budget in the way."
)
LARGE_WORDS = "A generated GPU cluster of 1,500 nodes and 8,000 pending pods with the shapes of a published trace."
SEED = 7


def load_demo(member: Member) -> list[Run]:
    """Return the runs that were started: none where the workspace has (or had) both demo clusters."""
    runs = [load_teaching(member), load_large(member)]
    return [run for run in runs if run is not None]


@transaction.atomic
def load_teaching(member: Member) -> Run | None:
    """Return a run of the teaching timeline on a new teaching cluster, None where there is such a cluster."""
    if _is_there(member.workspace, TEACHING):
        return None
    name = "teaching-cluster.yaml"
    contents = imports.contents_from(reading.load([Upload(name, _scenario(name).encode())]))
    new = clusters.NewCluster(TEACHING, TEACHING_WORDS)
    cluster = clusters.create_cluster(member, new, contents, "The teaching cluster", SOURCE)
    revision = clusters.newest_revision(cluster)
    text = NewText(_free_name(member.workspace), _scenario("teaching-timeline.yaml"), message="The teaching timeline")
    timeline = save_timeline(member, None, text, revision)
    launch = Launch(
        revision,
        timeline=timeline,
        schedule=Schedule.TIMELINE,
        seed=SEED,
        name="Demo: forty pods",
        is_background=False,
        is_kept=True,
    )
    return create_run(member, launch)


@transaction.atomic
def load_large(member: Member) -> Run | None:
    """Return a background run of a new large cluster, None where there is such a cluster."""
    if _is_there(member.workspace, LARGE):
        return None
    new = clusters.NewCluster(LARGE, LARGE_WORDS)
    cluster = clusters.create_cluster(member, new, gpu_cluster(), "1,500 nodes, 8,000 pods", SOURCE)
    name = "Demo: 8,000 pods"
    launch = Launch(
        clusters.newest_revision(cluster), schedule=Schedule.PENDING, seed=SEED, name=name, is_background=True
    )
    return create_run(member, launch)


def is_demo(run: Run) -> bool:
    """Return whether the run's cluster is one of the demo's as it came."""
    return run.revision.source == SOURCE


def teaching_run(workspace: Workspace) -> Run | None:
    """Return the newest demo run of the teaching cluster, None where there is none."""
    runs = Run.objects.filter(workspace=workspace, revision__source=SOURCE, schedule=Schedule.TIMELINE)
    return runs.select_related("head", "revision__cluster").first()


def _is_there(workspace: Workspace, name: str) -> bool:
    """Return whether the cluster exists, archived or not: who put the demo away does not want it back."""
    return Cluster.objects.filter(workspace=workspace, revisions__source=SOURCE, slug__startswith=name).exists() or (
        Cluster.objects.filter(workspace=workspace, name=name, archived_at=None).exists()
    )


def _free_name(workspace: Workspace) -> str:
    taken = set(workspace.timelines.filter(name__startswith=TEACHING, archived_at=None).values_list("name", flat=True))
    return next(name for n in range(len(taken) + 1) if (name := f"{TEACHING} {n + 1}" if n else TEACHING) not in taken)


def _scenario(name: str) -> str:
    return (files(SCENARIOS) / "scenarios" / name).read_text(encoding="utf-8")
