"""A finished run in which pods are placed, drawn among equals, refused, gated and preempted."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from dashboard.answers import asking
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import WaitsFor
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.inputs.facts import facts_of
from dashboard.debugger.page import CursorPage
from dashboard.runs import actions, demo, execution
from dashboard.runs.actions import Launch
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Cycle, Run
from tests.dashboard.row_snapshots import snapshot_of
from tests.dashboard.run_helpers import cluster_of, node, pod

ZONE = "topology.kubernetes.io/zone"


def tainted(name):
    """Return a node that refuses everybody without a toleration."""
    return node(name) | {"spec": {"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]}}


def scene():
    """Return two full nodes, a tainted one, and pods that fit, preempt, never fit, or are gated."""
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in (("high", 1000), ("low", 10))
    ]
    bound = [
        pod(f"fill-{name}", "3", nodeName=f"full-{name}", priorityClassName="low") | {"status": {"phase": "Running"}}
        for name in "ab"
    ]
    nodes = [node(f"full-{name}", "4", **{ZONE: f"eu-{name}"}) for name in "ab"] + [tainted("taint-c")]
    return [
        *classes,
        *nodes,
        *bound,
        *(pod(f"small-{n}", "100m") for n in range(4)),
        pod("big-0", "2", priorityClassName="high"),
        pod("never-0", "64"),
        pod("gated-0", "100m", schedulingGates=[{"name": "example.org/hold"}]),
    ]


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    """No message is sent."""
    monkeypatch.setattr(waiting, "_send", lambda name: None)


def launched(workspace, editor, manifests, slug="prod", **how):
    """Return a run of manifests that waits for a worker."""
    cluster, _ = Cluster.objects.get_or_create(workspace=workspace, slug=slug, defaults={"name": slug.title()})
    revision = object_store.save_revision(cluster, manifests, Saving(None))
    return actions.create_run(editor.member, Launch(revision, **how))


@pytest.fixture
def execute(workspace, editor):
    """A function that runs manifests to the end and returns the run.

    `once` runs the same manifests once in a process, for fixtures: no test may change what such a run comes to.
    """

    def execute(manifests, slug="prod", once=False, **how):
        def make():
            number = launched(workspace, editor, manifests, slug, **how).number
            while execution.work():
                pass
            return number

        number = snapshot_of(f"run of {json.dumps([manifests, slug, how])}", make) if once else make()
        return actions.find_run(workspace, number)

    return execute


@pytest.fixture
def run(execute) -> Run:
    """The run of the scene."""
    return execute(scene(), schedule="pending", once=True)


@pytest.fixture
def plain_run(execute) -> Run:
    """A run that places thirty pods on five nodes."""
    return execute(cluster_of(5, 30), once=True)


@pytest.fixture
def admission_run(workspace, editor) -> Run:
    """The demo's run of admission: a stuck rollout, one that waits at its partition, pods that were never made."""

    def make():
        number = demo.load_scene(editor.member, demo.ADMISSION).number
        while execution.work():
            pass
        return number

    return actions.find_run(workspace, snapshot_of("the demo's run of admission", make))


@pytest.fixture
def cycle_of(run):
    """A function that returns the first cycle of a pod of the scene."""
    return lambda name: Cycle.objects.filter(run_id=run.pk, pod=f"default/{name}").order_by("number").first()


@pytest.fixture
def look(viewer):
    """A function that opens the page of a run as a viewer: look(run, cycle=3, tab="why"); part="main" asks as htmx."""

    def look(run, part="", name="debugger:run", **query):
        headers = {"HX-Request": "true", "HX-Target": part} if part else {}
        url = reverse(name, kwargs={"slug": "team", "number": run.number})
        return viewer.get(url, query, headers=headers)

    return look


def page_of(run, **query):
    """Return the page at a cursor."""
    return CursorPage(cursor_of(run, "team", {name: str(value) for name, value in query.items()}), facts_of)


@pytest.fixture
def part(run, cycle_of, viewer):
    """A function that returns the part of a refused cycle, as a viewer gets it."""
    cycle = cycle_of("never-0").number

    def part(client=viewer, name="remedies", **query):
        address = reverse("debugger:answer", args=["team", run.number, name])
        return client.get(address, {"cycle": cycle, "tab": "why", **query})

    return part


@pytest.fixture
def worker_stub(monkeypatch):
    """What stands for the answer worker: the result that it gives, and what it was asked."""

    class Worker:
        result = AskResult(waits_for=WaitsFor.WORKER)
        asked = None

    def ask(asked):
        Worker.asked = asked
        return Worker.result

    monkeypatch.setattr(asking, "_transport", lambda: ask)
    return Worker
