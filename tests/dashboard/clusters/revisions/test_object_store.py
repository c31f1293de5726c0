"""Content-addressed revisions: what comes back, what is shared, what a large one costs."""

from __future__ import annotations

import random

import pytest

from dashboard.accounts.models import Workspace
from dashboard.clusters.models import Cluster, ObjectBlob
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.common.problems import Conflict

pytestmark = pytest.mark.django_db


def pod(name, cpu="500m", namespace="default"):
    """Return a pod's manifest."""
    container = {"name": "c", "image": "nginx", "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}}}
    metadata = {"name": name, "namespace": namespace, "labels": {"app": name.split("-")[0]}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}


@pytest.fixture
def workspace():
    return Workspace.objects.create(slug="team", name="Team")


@pytest.fixture
def cluster(workspace):
    return Cluster.objects.create(workspace=workspace, name="Prod", slug="prod")


def test_objects_come_back_in_their_order(cluster):
    manifests = [pod(f"web-{n}") for n in range(700)]
    random.Random(3).shuffle(manifests)
    revision = object_store.save_revision(cluster, manifests, Saving(None, "first"))
    assert object_store.read_manifests(revision) == manifests
    assert revision.counts == {"Pod": 700}
    assert revision.number == 1
    assert [entry.name for entry in object_store.read_index(revision)] == [m["metadata"]["name"] for m in manifests]


def test_equal_content_has_an_equal_hash_whatever_the_order_of_keys(cluster):
    first = object_store.save_revision(cluster, [pod("a")], Saving(None))
    turned = dict(reversed(list(pod("a").items())))
    second = object_store.save_revision(cluster, [turned], Saving(None))
    assert first.sha256 == second.sha256
    assert (second.number, second.parent_id) == (2, first.pk)


@pytest.mark.parametrize("place", [0, 1500, 2999], ids=["at the front", "in the middle", "at the end"])
def test_deleting_one_object_stores_at_most_two_new_pages(cluster, place):
    manifests = [pod(f"web-{n}") for n in range(3000)]
    object_store.save_revision(cluster, manifests, Saving(None))
    before = ObjectBlob.objects.count()
    object_store.save_revision(cluster, manifests[:place] + manifests[place + 1 :], Saving(None))
    assert ObjectBlob.objects.count() - before <= 2


def test_two_people_saving_on_the_same_revision_conflict(cluster):
    object_store.save_revision(cluster, [pod("a")], Saving(None, expected=0))
    object_store.save_revision(cluster, [pod("b")], Saving(None, expected=1))
    with pytest.raises(Conflict, match="revision 2"):
        object_store.save_revision(cluster, [pod("c")], Saving(None, expected=1))


def test_workspaces_share_no_content(cluster):
    other = Workspace.objects.create(slug="other", name="Other")
    elsewhere = Cluster.objects.create(workspace=other, name="Prod", slug="prod")
    mine, theirs = (object_store.save_revision(one, [pod("a")], Saving(None)) for one in (cluster, elsewhere))
    assert mine.sha256 == theirs.sha256
    ObjectBlob.objects.filter(workspace=cluster.workspace).delete()
    with pytest.raises(KeyError):
        object_store.read_manifests(mine)
    assert object_store.read_manifests(theirs) == [pod("a")]


@pytest.mark.slow
def test_ten_thousand_objects_come_back_from_compact_pages(cluster):
    manifests = [pod(f"web-{n}", cpu=f"{n % 32}") for n in range(9700)]
    revision = object_store.save_revision(cluster, manifests, Saving(None))
    content = b"".join(object_store.read_stored(revision))
    assert object_store.stored_bytes(cluster.workspace) < len(content)
    assert len(content) > 9700 * 200
