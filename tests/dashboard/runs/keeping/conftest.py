"""Branches whose changes can be kept: each executed to its end."""

from __future__ import annotations

import pytest

from dashboard.clusters.revisions.object_store import Saving
from dashboard.documents import store
from dashboard.documents.models import ConfigRevision, SchedulerConfig, Timeline
from dashboard.runs import execution
from dashboard.runs.actions import find_run
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.models import Cycle, State
from tests.dashboard.run_helpers import node, pod

CONFIGURATION = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated}}
"""
CORDON = {
    "action": "patch",
    "object": {"kind": "Node", "metadata": {"name": "node-1"}, "spec": {"unschedulable": True}},
}
ANOTHER_POD = {"action": "put", "object": pod("late", "2")}


def deletion(kind, name, namespace="default"):
    """Return the deletion of an object."""
    return {"action": "delete", "object": {"kind": kind, "metadata": {"name": name, "namespace": namespace}}}


@pytest.fixture
def branch(editor, again):
    """A function that branches a run before one of its cycles and executes the branch."""

    def branch(run, *changes, cycle=4, **how):
        seq = Cycle.objects.get(run=run, number=cycle).first_seq
        made = branch_run(editor.member, run, Branching(seq, changes, **how))
        while execution.work():
            pass
        made = find_run(made.workspace, made.number)
        assert made.state == State.FINISHED, made.error
        return made

    return branch


@pytest.fixture
def timeline(workspace):
    """A node and two pods that arrive, one of which goes again."""
    entries = [
        {"at": "1s", "action": "add", "object": pod("arrives", "1")},
        {"at": "2s", "action": "add", "object": node("bought", "32")},
        {"at": "2s", "action": "add", "object": pod("follows", "1")},
        {"at": "30s", "action": "delete", "object": pod("arrives", "1")},
    ]
    made = Timeline.objects.create(workspace=workspace, name="Rush", slug="rush")
    return store.save_timeline(made, {"entries": entries}, Saving(None))


@pytest.fixture
def configuration(workspace) -> ConfigRevision:
    """A saved configuration."""
    made = SchedulerConfig.objects.create(workspace=workspace, name="Packing", slug="packing")
    return store.save_text(made, CONFIGURATION, Saving(None))


@pytest.fixture
def following(launch, save, timeline, configuration):
    """A finished run that follows the timeline by the saved configuration."""
    manifests = [node(f"node-{n}", "4") for n in range(3)] + [pod(f"first-{n}", "500m") for n in range(6)]
    run = launch(revision=save(manifests), schedule="timeline", timeline=timeline, config=configuration, name="rush")
    while execution.work():
        pass
    run = find_run(run.workspace, run.number)
    assert run.state == State.FINISHED, run.error
    return run
