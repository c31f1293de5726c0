"""A small cluster, a configuration and a timeline for the tests of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dashboard.clusters.importing import actions as imports
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster, Save
from dashboard.clusters.revisions.contents import cache
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.uploads import sent_files
from dashboard.clusters.uploads.opening import Upload
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.documents.extenders.actions import save_declared
from dashboard.documents.models import DeclaredExtenders, ExtenderTape, SchedulerConfig, Timeline
from dashboard.documents.timelines.actions import save_timeline
from dashboard.documents.yaml_templates import CONFIGURATION_TEMPLATES, DECLARED_TEMPLATE, TIMELINE_TEMPLATE
from dashboard.generating import scheduler_perf_files
from dashboard.generating import views as generating_views
from tests.dashboard.clusters.saved_edits import delete_objects
from tests.dashboard.documents.tapes import small_tape, take
from tests.dashboard.row_snapshots import snapshot_of

if TYPE_CHECKING:
    from django.test import Client


def node(name, zone="zone-a", cpu="8", **spec):
    """Return a node's manifest."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"topology.kubernetes.io/zone": zone}},
        "spec": spec,
        "status": {"allocatable": {"cpu": cpu, "memory": "32Gi", "pods": "110"}},
    }


def pod(name, node_name="", cpu="500m", namespace="default", **spec):
    """Return a pod's manifest; a node name binds it."""
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}}}
    bound = {"nodeName": node_name} if node_name else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": name.split("-")[0]}},
        "spec": {"containers": [container], **bound, **spec},
    }


def priority_class(name="high", value=1000):
    """Return a priority class's manifest."""
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}


def small():
    """Return two nodes, three pods and a priority class."""
    return [
        node("node-a"),
        node("node-b", "zone-b"),
        pod("web-1", "node-a"),
        pod("web-2", "node-a", cpu="2"),
        pod("job-1", priorityClassName="high"),
        priority_class(),
    ]


@pytest.fixture(autouse=True)
def cold():
    """Forget contents that another test's database gave."""
    cache.clear()


@pytest.fixture
def cluster(editor) -> Cluster:
    """The cluster "prod" with one revision of `small()`."""
    made = snapshot_of("prod", lambda: actions.create_cluster(editor.member, NewCluster("prod"), small()).pk)
    return Cluster.objects.get(pk=made)


@pytest.fixture
def config(editor):
    """The configuration "pack"."""
    new = NewText("pack", CONFIGURATION_TEMPLATES["most-allocated"].text)
    made = snapshot_of("pack", lambda: save_config(editor.member, None, new).config.pk)
    return SchedulerConfig.objects.get(pk=made)


@pytest.fixture
def timeline(editor):
    """The timeline "rush"."""
    new = NewText("rush", TIMELINE_TEMPLATE)
    made = snapshot_of("rush", lambda: save_timeline(editor.member, None, new).timeline.pk)
    return Timeline.objects.get(pk=made)


@pytest.fixture
def tape(editor):
    """The tape "monday" with one call of each verb."""
    made = snapshot_of("monday", lambda: take(editor.member, small_tape(), "monday").tape.pk)
    return ExtenderTape.objects.get(pk=made)


@pytest.fixture
def declared(editor):
    """The declared extenders "rules"."""
    made = snapshot_of(
        "rules", lambda: save_declared(editor.member, None, NewText("rules", DECLARED_TEMPLATE)).declared.pk
    )
    return DeclaredExtenders.objects.get(pk=made)


def draft(person: Client, *texts: str):
    """Return an import of these texts, as somebody sent them."""
    uploads = [Upload(f"file-{n}.yaml", text.encode()) for n, text in enumerate(texts)]
    return imports.new_draft(person.member, uploads)


def saved_as(base=1, message=""):
    """Return how an edit that began at a revision is saved."""
    return Save(base, message)


@pytest.fixture
def edited(editor, cluster, config, timeline):
    """Revision 2 of "prod" beside revision 1."""
    return delete_objects(editor.member, cluster, [Key("Pod", "default", "web-2")], saved_as())


@pytest.fixture
def all_large(monkeypatch):
    """Have a worker read and make everything that may be left to one."""
    monkeypatch.setattr(sent_files, "SMALL_BYTES", 10)
    monkeypatch.setattr(imports, "SMALL_BYTES", 10)
    monkeypatch.setattr(generating_views, "SMALL_OBJECTS", 0)
    monkeypatch.setattr(scheduler_perf_files, "SMALL_OBJECTS", 0)
