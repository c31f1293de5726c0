"""A run of three cycles whose rows are written by hand: reviews ask the summary rows only."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.review import actions
from dashboard.review.actions import Pin
from dashboard.runs.models import Cycle, Run, RunHead
from tests.dashboard.run_helpers import cluster_of

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
    return make_run(workspace, by=editor.user)


@pytest.fixture
def foreign_run(stranger):
    """A run of the stranger's workspace."""
    return make_run(stranger.user.memberships.get().workspace, by=stranger.user)


@pytest.fixture
def thread(run, reviewer):
    """The reviewer's thread on cycle 2."""
    return actions.open_thread(reviewer.member, run, Pin(2), "Why `node-1`?")
