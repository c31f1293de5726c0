"""The demo: small clusters to learn from, and a large generated one that shows how pages behave at scale."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from django.db import transaction

from dashboard.clusters.importing import reading, saving
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import actions as clusters
from dashboard.clusters.uploads.opening import Upload
from dashboard.common.processes.marks import mark
from dashboard.documents.actions import NewText
from dashboard.documents.configurations import presets
from dashboard.documents.configurations.actions import prepare_config
from dashboard.documents.extenders.actions import prepare_declared
from dashboard.documents.extenders.answering import ExtenderAnswers
from dashboard.documents.timelines.actions import prepare_timeline
from dashboard.runs.actions import Launch, create_run
from dashboard.runs.lifecycle.transitions import check_room
from dashboard.runs.models import Run, Schedule
from scheduler_core.workloads.synthetic import gpu_cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dashboard.accounts.models import Member, Workspace
    from dashboard.clusters.models import Revision
    from dashboard.clusters.revisions.contents import Contents

SOURCE = "demo"
LARGE = "gpu-1500"
SCENARIOS = "scheduler_core.workloads"
LARGE_WORDS = "A generated GPU cluster of 1,500 nodes and 8,000 pending pods with the shapes of a published trace."
SEED = 7
# What the scenes are written for: their texts name what happens under it.
FOLLOWED: dict[str, Any] = {"kubernetes": "1.34"}


@dataclass(frozen=True)
class Scene:
    """A small cluster with a timeline, both in files of its name; `look` says where a newcomer looks first."""

    cluster: str
    run: str
    words: str
    look: str = ""
    preset: str = ""
    # Whether its folder has a configuration with extenders, and rules that answer for them.
    has_extenders: bool = False
    # The policies of its run, where not those that the scenes share.
    policies: dict[str, Any] = field(default_factory=lambda: FOLLOWED)


TEACHING = Scene(
    "teaching",
    "Demo: forty pods",
    "A small cluster to learn from: least-allocated placement, taints, node affinity, spread, anti-affinity, a gated "
    "pod, backoff, a pod woken by a new node, a preemption with a budget in the way.",
)
QUOTAS = Scene(
    "quotas",
    "Demo: elastic quotas",
    "Ten GPUs for two teams with elastic quotas, and a namespace whose quota has a trap. Look at cycle 7 of its demo "
    "run, where serving takes back what research borrowed, and at Why of cycle 6.",
    "In cycle 7 serving takes back GPUs that research borrowed of its quota: Preemption has the pod that goes. Why of "
    "cycle 5 shows a quota that is used up, Why of cycle 6 a max that names only cpu and so refuses memory.",
    preset="capacity-scheduling",
)
EXTENDERS = Scene(
    "extenders",
    "Demo: HTTP extenders",
    "Four nodes and two HTTP extenders, whose answers are declared as rules. Look at cycle 5 of its demo run, where "
    "an extender says which pod must not be evicted, and at Why of ledger-0.",
    "In the matrix of cycle 1 an extender gives points to the nodes that have the data; in cycle 2 it refuses slow "
    "disks to a database, and its points decide; in cycle 3 the other one does not answer and is ignored. In cycle 5 "
    "Preemption has the candidate that an extender gave up. Why of cycle 4 shows a pod that only an extender refuses.",
    has_extenders=True,
)
DEVICES = Scene(
    "devices",
    "Demo: devices",
    "Five nodes with GPUs, which pods claim (dynamic resource allocation): NICs on the same NUMA node, a tainted GPU, "
    "a pool that is incomplete, GPUs in parts, claims from templates. Look at Devices of its demo run.",
    "Devices has a card for each node, and the claims that wait. Why of cycle 9 shows what each test of the allocator "
    "leaves to ml/tune-2, who has the GPUs, and what wakes it; in cycle 12 it gets those that ml/serve-0 had. "
    "ml/pretrain-0 waits for a pool of which a slice is missing.",
    policies={"kubernetes": "1.36", "claims": "play"},
)
ADMISSION = Scene(
    "admission",
    "Demo: admission and rollouts",
    "Three nodes, a ResourceQuota, LimitRanges and four rollouts: one that has no room for its first new pod and "
    "goes on once its strategy is changed, one that stays stuck, pods that a quota refuses. Look at Outcomes of its "
    "demo run.",
    "Needs a look has the rollout of shop/cart, whose first new pod fits no node, and the pods of team/web and "
    "lab/report-0 that were never made: Why says who refuses them, and which change lets them be made. The same trap "
    "held up shop/front until maxUnavailable 1, and a Job's end made room in the quota for two pods of team/web.",
    policies=FOLLOWED | {"kubelets": [{"ready_after": 5}]},
)
MORE_SCENES = (QUOTAS, EXTENDERS, DEVICES, ADMISSION)


def load_demo(member: Member) -> list[Run]:
    """Load the demo; return the runs that were started, none where the workspace has or had all demo clusters."""
    parts: list[Callable[[Member], Run | None]] = [
        load_teaching,
        load_large,
        *(partial(load_scene, scene=scene) for scene in MORE_SCENES),
    ]
    runs = []
    for number, load in enumerate(parts, start=1):
        runs.append(load(member))
        mark(f"part {number} of the demo")
    return [run for run in runs if run is not None]


def load_teaching(member: Member) -> Run | None:
    """Load the teaching cluster; return its run with the teaching timeline, None if the cluster exists."""
    return load_scene(member, TEACHING)


def load_scene(member: Member, scene: Scene) -> Run | None:
    """Load a scene; return its run, None if its cluster exists or its plugin is not installed.

    Its files are read first; what they hold is stored in one transaction, and the run made in the next.
    """
    if _is_there(member.workspace, scene.cluster) or (scene.preset and scene.preset not in presets.available()):
        return None
    name = f"{scene.cluster}-cluster.yaml"
    contents = saving.contents_from(reading.load([Upload(name, _scenario(name).encode())]))
    texts = _prepared_texts(member, scene, contents)
    check_room(member.workspace)
    with transaction.atomic():
        # Another click may have loaded it meanwhile.
        if _is_there(member.workspace, scene.cluster):
            return None
        new, title = clusters.NewCluster(scene.cluster, scene.words), f"The {scene.cluster} cluster"
        revision = clusters.newest_revision(clusters.create_cluster(member, new, contents, title, SOURCE))
        stored = {field: store() for field, store in texts.items()}
    mark(f"the cluster {scene.cluster} of the demo")
    return create_run(member, _scene_launch(scene, revision, stored))


def _scene_launch(scene: Scene, revision: Revision, stored: Mapping[str, Any]) -> Launch:
    inputs = {**stored, "answers": ExtenderAnswers(stored["answers"])} if scene.has_extenders else stored
    return Launch(
        revision,
        preset=scene.preset,
        **inputs,
        policies=scene.policies,
        schedule=Schedule.TIMELINE,
        seed=SEED,
        name=scene.run,
        is_background=False,
        is_kept=True,
    )


def _prepared_texts(member: Member, scene: Scene, contents: Contents) -> dict[str, Callable[[], Any]]:
    """Read the scene's other files; return what stores each, by the field of the run's inputs that it is."""
    workspace, message = member.workspace, f"For the {scene.cluster} cluster"
    named = _text(workspace.timelines, scene, "timeline", f"The {scene.cluster} timeline")
    texts: dict[str, Callable[[], Any]] = {"timeline": prepare_timeline(member, None, named, contents.manifests)}
    if scene.has_extenders:
        config = _text(workspace.configurations, scene, "configuration", message)
        rules = _text(workspace.declared_extenders, scene, "declared", message)
        texts |= {"config": prepare_config(member, None, config), "answers": prepare_declared(member, None, rules)}
    return texts


def _text(things: Any, scene: Scene, file: str, message: str) -> NewText:
    """Return a file of the scene, to be saved under a name that is free among these things."""
    return NewText(_free_name(things, scene.cluster), _scenario(f"{scene.cluster}-{file}.yaml"), message=message)


def load_large(member: Member) -> Run | None:
    """Load the large cluster; return its background run, None if the cluster exists."""
    if _is_there(member.workspace, LARGE):
        return None
    contents = clusters.checked(gpu_cluster(), LARGE)
    mark("the objects of the large cluster")
    with transaction.atomic():
        new = clusters.NewCluster(LARGE, LARGE_WORDS)
        cluster = clusters.create_cluster(member, new, contents, "1,500 nodes, 8,000 pods", SOURCE)
        name = "Demo: 8,000 pods"
        revision = clusters.newest_revision(cluster)
        how = Launch(revision, schedule=Schedule.PENDING, policies=FOLLOWED, seed=SEED, name=name, is_background=True)
        return create_run(member, how)


def is_demo(run: Run) -> bool:
    """Return whether the run's cluster is a demo cluster that nobody changed."""
    return run.revision.source == SOURCE


def find_demo_run(workspace: Workspace, scene: Scene) -> Run | None:
    """Return the newest demo run of the scene's cluster, None where there is none; what left it is another run."""
    runs = Run.objects.filter(workspace=workspace, revision__source=SOURCE, schedule=Schedule.TIMELINE, seed=SEED)
    runs = runs.filter(revision__cluster__slug__startswith=scene.cluster, branch=None)
    return runs.select_related("head", "revision__cluster").first()


def _is_there(workspace: Workspace, name: str) -> bool:
    """Return whether the cluster exists, archived or not: somebody who archived the demo does not want it back."""
    return Cluster.objects.filter(workspace=workspace, revisions__source=SOURCE, slug__startswith=name).exists() or (
        Cluster.objects.filter(workspace=workspace, name=name, archived_at=None).exists()
    )


def _free_name(things: Any, base: str) -> str:
    taken = set(things.filter(name__startswith=base, archived_at=None).values_list("name", flat=True))
    return next(name for n in range(len(taken) + 1) if (name := f"{base} {n + 1}" if n else base) not in taken)


def _scenario(name: str) -> str:
    return (files(SCENARIOS) / "scenarios" / name).read_text(encoding="utf-8")
