"""A cluster as a dump brings it: nodes, bound pods, and pods that wait with the real scheduler's words."""

from __future__ import annotations

import pytest

from dashboard.agreement import computing
from dashboard.answers import asking
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import WaitsFor
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.runs.lifecycle import waiting
from tests.dashboard.run_helpers import node, pod

MESSAGE = (
    "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: "
    "2 Preemption is not helpful for scheduling."
)
HERE = "/w/team/clusters/prod/"
PAGE = f"{HERE}agreement/"


def with_condition(manifest, message):
    """Return the pod with a condition PodScheduled that says so."""
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return {**manifest, "status": {"phase": "Pending", "conditions": [condition]}}


def bound(name, node_name, cpu="1", **spec):
    """Return a pod that runs."""
    return {**pod(name, cpu, nodeName=node_name, **spec), "status": {"phase": "Running"}}


def dump():
    """Return two nodes, four bound pods (one of them on a node that refuses it now) and two that wait."""
    return [
        node("node-a", cpu="8"),
        {**node("node-b", cpu="8"), "spec": {"unschedulable": True}},
        bound("only", "node-a"),
        bound("early", "node-b"),
        bound("custom", "node-a", schedulerName="volcano"),
        with_condition(pod("wide", "20"), MESSAGE),
        with_condition(pod("fits", "1"), MESSAGE),
    ]


@pytest.fixture
def messages(monkeypatch):
    """The names of the tasks that were sent."""
    sent = []
    monkeypatch.setattr(waiting, "_send", sent.append)
    return sent


@pytest.fixture
def woken(monkeypatch):
    """The names of the tasks that were sent."""
    sent = []
    monkeypatch.setattr(waiting, "wake_task", sent.append)
    return sent


@pytest.fixture
def save(workspace):
    """A function that saves manifests as the next revision of the cluster "prod"."""

    def save(manifests):
        cluster, _ = Cluster.objects.get_or_create(workspace=workspace, slug="prod", defaults={"name": "Prod"})
        return object_store.save_revision(cluster, manifests, Saving(None))

    return save


@pytest.fixture
def dumped(save):
    """The revision of ``dump``."""
    return save(dump())


@pytest.fixture
def computed(editor, dumped, woken):
    """The page's comparison, made."""
    editor.get(PAGE)
    assert computing.work()


@pytest.fixture(autouse=True)
def answer_worker(monkeypatch):
    """What stands for the answer worker: none is there, unless a test gives `answer_worker.ask` another function."""

    class Worker:
        @staticmethod
        def ask(_asked):
            return AskResult(waits_for=WaitsFor.WORKER)

    worker = Worker()
    monkeypatch.setattr(asking, "_transport", lambda: lambda asked: worker.ask(asked))
    return worker
