"""A cluster on which a text changes where a pod goes; workers that compute at once, or are not there."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.preview import computing
from dashboard.preview.actions import ask_what_changes
from dashboard.preview.subject import subject_named
from dashboard.runs.lifecycle import waiting
from tests.dashboard.run_helpers import node, pod

PACKING = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    score:
      disabled:
      - name: "*"
      enabled:
      - name: NodeResourcesFit
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources:
        - name: cpu
          weight: 1
"""


@pytest.fixture
def revision(workspace):
    """Two nodes, a pod on the first, and a pod that waits."""
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod")
    bound = pod("held", "2", nodeName="a") | {"status": {"phase": "Running"}}
    return object_store.save_revision(cluster, [node("a", "8"), node("b", "8"), bound, pod("new", "1")], Saving(None))


@pytest.fixture
def worker(monkeypatch):
    """A background worker that does at once what it is woken up for; runs stay where they are."""
    monkeypatch.setattr(waiting, "_send", lambda name: None)
    monkeypatch.setattr(waiting, "wake_task", lambda name: computing.work())


@pytest.fixture
def no_worker(monkeypatch):
    """No worker takes a message; the names of the tasks that were sent."""
    sent = []
    monkeypatch.setattr(waiting, "_send", lambda name: None)
    monkeypatch.setattr(waiting, "wake_task", sent.append)
    return sent


@pytest.fixture
def ask(editor, revision):
    """Ask as the editor on the cluster, or what is named."""

    def ask(text=PACKING, *, is_automatic=False, on="cluster:prod", before="default", person=editor):
        member = person.member
        return ask_what_changes(member, subject_named(member.workspace, on, before, text), is_automatic)

    return ask
