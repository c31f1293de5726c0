"""A run of three cycles whose rows are written by hand: reviews ask the summary rows only."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import Edit, put_in
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.object_store import Saving
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.review import actions
from dashboard.review.deciding.asking import ReviewRequest, ask_about
from dashboard.review.deciding.subjects import subject_in
from dashboard.review.pins.pin import Pin
from dashboard.runs.models import Cycle, Run, RunHead
from tests.dashboard.debugger.conftest import _fresh, execute, scene
from tests.dashboard.preview.conftest import PACKING
from tests.dashboard.row_snapshots import snapshot_of
from tests.dashboard.run_helpers import cluster_of, node

__all__ = ["_fresh", "execute"]

DEFAULTS = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

EVENTS_PER_CYCLE = 10
CYCLES = 3


def cycle_row(run, number, **fields):
    """Return the saved row of a cycle of ten events; every third one finds no node."""
    has_node = number % 3 != 0
    first = (number - 1) * EVENTS_PER_CYCLE
    values = {
        "first_seq": first,
        "last_seq": first + EVENTS_PER_CYCLE - 1,
        "pod": f"default/pod-{number}",
        "attempt": 1,
        "profile": "default-scheduler",
        "priority": 0,
        "template": 0,
        "outcome": "scheduled" if has_node else "unschedulable",
        "node": "node-1" if has_node else "",
        "message": "",
        "n_nodes": 2,
        "visited": 2,
        "feasible": 2 if has_node else 0,
        "second_node": "",
        "tie_count": 1,
        "at_us": number * 1000,
        "preempting": False,
    }
    return Cycle.objects.create(run=run, number=number, **(values | fields))


def make_run(workspace, number=1, by=None, cycles=CYCLES):
    """Return a finished run of a workspace with its head and cycles."""
    cluster, _ = Cluster.objects.get_or_create(workspace=workspace, slug="prod", defaults={"name": "Prod"})
    revision = object_store.save_revision(cluster, cluster_of(2, 3), Saving(None))
    run = Run.everything.create(
        workspace=workspace, number=number, revision=revision, state="finished", created_by=by, name=f"night {number}"
    )
    RunHead.objects.create(run=run, seq=cycles * EVENTS_PER_CYCLE, cycle=cycles, at_us=cycles * 1000, scheduled=2)
    for n in range(1, cycles + 1):
        cycle_row(run, n)
    return run


@pytest.fixture
def run(workspace, editor):
    """Run 1 of the workspace, started by the editor."""
    number = snapshot_of("run of reviews", lambda: make_run(workspace, by=editor.user).number)
    return Run.everything.select_related("workspace", "head").get(workspace=workspace, number=number)


@pytest.fixture
def foreign_run(stranger):
    """A run of the stranger's workspace."""
    return make_run(stranger.user.memberships.get().workspace, by=stranger.user)


@pytest.fixture
def thread(run, reviewer):
    """The reviewer's thread on cycle 2."""
    return actions.open_thread(reviewer.member, run, Pin(2), "Why `node-1`?")


@pytest.fixture
def two_runs(execute):
    """Two executed runs of the same pods, the second with a node that takes what fits nowhere else."""
    return execute(scene(), schedule="pending"), execute([*scene(), node("spare", "128")], "larger", schedule="pending")


@pytest.fixture
def ask_about_one(owner):
    """A function that asks for a review of what an address names, as Asha: ask_about_one(a="1", b="2")."""

    def ask(title="Look", **query):
        named_by = {name: str(value) for name, value in query.items()}
        return ask_about(owner.member, subject_in(owner.member, named_by), ReviewRequest(title))

    return ask


@pytest.fixture
def configuration(editor):
    """A configuration of two revisions: the defaults, and one that packs nodes."""
    first = save_config(editor.member, None, NewText("Fit", DEFAULTS, 0, "as it is"))
    save_config(editor.member, first.config, NewText("Fit", PACKING, 1, "pack"))
    return first.config


@pytest.fixture
def draft(workspace, editor):
    """Edda's draft of a cluster: a node with more cpu, a pod less."""
    cluster = Cluster.objects.create(workspace=workspace, slug="drafted", name="Drafted")
    base = object_store.save_revision(cluster, cluster_of(2, 2), Saving(None))
    draft = new_draft(editor.member, cluster, "Larger", base)
    keys = [Key("Node", "", "node-0"), Key("Pod", "default", "pod-1")]
    changed = {keys[0]: node("node-0", "32"), keys[1]: None}
    edits = [Edit(key, changed[key], one.address) for key, one in OpenedDraft(draft).objects(keys).items()]
    put_in(editor.user, draft, "Grow", edits)
    draft.refresh_from_db()
    return draft
