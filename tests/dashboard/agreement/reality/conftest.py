"""A small history as a bundle, imported: a cluster with two revisions, a timeline and the record."""

from __future__ import annotations

import copy
from functools import cache

import pytest

from dashboard.agreement.models import CollectedBundle
from dashboard.agreement.reality import computing
from scheduler_core.manifests.bundle.packing import LEVEL, archived
from tests.dashboard.clusters.background.task_helpers import led
from tests.dashboard.clusters.importing.import_helpers import send
from tests.live_cluster.history import Plan, Truth, delivered, files_of, history, meta_of

PAGE = "/w/team/clusters/live/agreement/reality"
SECRET = "hunter2-of-the-annotation"


@cache
def small() -> Truth:
    """Twenty pods on four nodes; one of them has a secret in an annotation."""
    truth = history(Plan(seed=4, n_nodes=4, n_pods=20, seconds=60, node_changes=1))
    steps = []
    for step in truth.steps:
        raw = copy.deepcopy(step.object)
        if raw["kind"] == "Pod":
            raw["metadata"]["annotations"] = {"password": SECRET}
        steps.append(step._replace(object=raw))
    return truth._replace(steps=steps)


def bundle_bytes(truth: Truth | None = None, **meta: object) -> bytes:
    """The bundle of a history, as a collector packs it."""
    truth = truth or small()
    return archived(files_of(truth, delivered(truth.steps, 1), meta_of(truth, **meta)).items(), LEVEL)


def moved(truth: Truth, change: int = 3) -> Truth:
    """The same with the binding of this number to another node."""
    pod, node = truth.bindings[change]
    other = next(
        raw["metadata"]["name"] for raw in truth.objects if raw["kind"] == "Node" and raw["metadata"]["name"] != node
    )
    steps = []
    for step in truth.steps:
        raw = copy.deepcopy(step.object)
        if raw["kind"] == "Pod" and f"shop/{raw['metadata']['name']}" == pod and raw["spec"].get("nodeName"):
            raw["spec"]["nodeName"] = other
        steps.append(step._replace(object=raw))
    return truth._replace(steps=steps)


@pytest.fixture
def imported(editor):
    """Import a bundle as a new cluster, as the page does; what is called returns the bundle bundle."""

    def do(data: bytes | None = None, name: str = "live") -> CollectedBundle:
        preview = send(editor, ("live.tar.gz", data or bundle_bytes()))
        response = editor.post(f"{preview}save", {"name": name})
        assert led(editor, response) == f"/w/team/clusters/{name}/"
        bundle = CollectedBundle.objects.order_by("-pk").first()
        assert bundle is not None
        return bundle

    return do


@pytest.fixture
def compared(imported, editor, woken):
    """A bundle that a worker has compared."""
    bundle = imported()
    editor.get(PAGE)
    assert computing.work()
    return bundle
