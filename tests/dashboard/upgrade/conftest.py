"""A cluster on which two versions decide otherwise; workers that compute at once, or are not there."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.runs.lifecycle import waiting
from dashboard.upgrade.actions import AskedVersion, ask_upgrade, subject_of
from tests.scheduler_core.compare.upgrade.clusters import node, pod

PAGE = "/w/team/clusters/prod/upgrade/"


def objects():
    """A pod that goes where its image volume is, and one that no node takes for its taint."""
    holder, other = node("n2"), node("n1")
    holder["status"]["images"] = [{"names": ["model:1"], "sizeBytes": 900 << 20}]
    taint = {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}
    large = node("n3", cpu="64", memory="64Gi", spec={"taints": [taint]})
    volumes = [{"name": "v", "image": {"reference": "model:1"}}]
    return [holder, other, large, pod("a-0", "1", "1Gi", volumes=volumes), pod("b-0", "32", "1Gi")]


@pytest.fixture
def revision(workspace):
    """The objects as a cluster."""
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod")
    return object_store.save_revision(cluster, objects(), Saving(None))


@pytest.fixture
def no_worker(monkeypatch):
    """No worker takes a message; the names of the tasks that were sent."""
    sent = []
    monkeypatch.setattr(waiting, "_send", lambda name: None)
    monkeypatch.setattr(waiting, "wake_task", sent.append)
    return sent


@pytest.fixture
def ask(editor, revision, no_worker):
    """Ask as the editor, or somebody else; another seed is another report."""

    def ask(before="1.34.1", after="1.36", *, seed=0, config="", timeline=None, person=editor):
        versions = AskedVersion(before), AskedVersion(after)
        return ask_upgrade(person.member, subject_of(revision, versions, config, timeline, seed))

    return ask
