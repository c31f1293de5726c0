"""Clusters to run, and a queue of messages that nobody delivers: tests call the worker's functions themselves."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.runs import actions, execution
from dashboard.runs.actions import Launch
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Run, State
from tests.dashboard.row_snapshots import snapshot_of
from tests.dashboard.run_helpers import cluster_of, node, pod


@pytest.fixture
def messages(monkeypatch):
    """The names of the tasks that were sent."""
    sent = []
    monkeypatch.setattr(waiting, "_send", sent.append)
    return sent


@pytest.fixture
def save(workspace):
    """A function that saves manifests as a cluster's revision."""

    def save(manifests, slug="prod", place=workspace):
        cluster, _ = Cluster.objects.get_or_create(workspace=place, slug=slug, defaults={"name": slug.title()})
        return object_store.save_revision(cluster, manifests, Saving(None))

    return save


@pytest.fixture
def launch(save, editor, messages):
    """A function that starts a run of some pods on some nodes and returns it, waiting."""

    def launch(n_nodes=5, n_pods=30, **how):
        revision = how.pop("revision", None) or save(cluster_of(n_nodes, n_pods))
        return actions.create_run(editor.member, Launch(revision, **how))

    return launch


@pytest.fixture
def again():
    """A function that reads a run anew."""
    return lambda run: Run.everything.select_related("workspace", "head").get(pk=run.pk)


@pytest.fixture
def run(launch, save):
    """Six pods that fit, one that never does, one that evicts two."""
    low = [pod(f"low-{n}", "1", priority=0, nodeName="node-0") for n in range(2)]
    fitting = [pod(f"fits-{n}", "500m", nodeSelector={"pool": "b"}) for n in range(6)]
    manifests = [
        node("node-0", "2", pool="a"),
        node("node-1", "8", pool="b"),
        *low,
        *fitting,
        pod("huge", "64"),
        pod("high", "2", priority=1000, nodeSelector={"pool": "a"}),
    ]

    def make():
        made = launch(revision=save(manifests), schedule="pending")
        execution.work()
        return made.pk

    run = Run.objects.select_related("head").get(pk=snapshot_of("run of a preemption", make))
    assert run.state == State.FINISHED, run.error
    return run
