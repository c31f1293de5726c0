"""Content of removed revisions: deleted a day later, unless anything else has the same."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.clusters.models import CondemnedBlob, Draft, DraftObject, ObjectBlob
from dashboard.clusters.revisions import actions, object_store
from dashboard.clusters.sweeping import condemn, sweep
from tests.dashboard.clusters.conftest import node, pod, small

YESTERDAY = timedelta(days=1, seconds=1)


@pytest.fixture
def second(editor, cluster):
    """The next revision, whose pods differ."""
    objects = [*small()[:2], pod("only", "node-a", cpu="3")]
    return actions.import_revision(editor.member, cluster, objects, "second", "x")


def stored(cluster):
    return {bytes(blob.sha256) for blob in ObjectBlob.objects.filter(workspace=cluster.workspace_id)}


def test_content_that_only_the_removed_revision_had_is_deleted_after_a_day(cluster, second):
    first = cluster.revisions.get(number=1)
    stays = {entry.sha256 for entry in object_store.read_index(second)}
    gone = {entry.sha256 for entry in object_store.read_index(first)} - stays
    type(second).objects.filter(pk=second.pk).update(parent=None)
    condemn(first)
    first.delete()
    assert sweep(cluster.workspace_id) == 0
    assert gone <= stored(cluster)
    CondemnedBlob.objects.update(condemned_at=timezone.now() - YESTERDAY)
    assert sweep(cluster.workspace_id) >= len(gone) == 4
    assert not gone & stored(cluster)
    assert stays <= stored(cluster)
    assert len(object_store.read_manifests(second)) == 3


def test_content_that_a_draft_holds_stays(cluster, second, editor):
    address = object_store.store_manifests(cluster.workspace_id, [node("node-z")])[0]
    draft = Draft.objects.create(cluster=cluster, author=editor.user, base=second, name="Mine")
    DraftObject.objects.create(draft=draft, kind="Node", name="node-z", sha256=address)
    CondemnedBlob.objects.create(workspace=cluster.workspace, sha256=address, condemned_at=timezone.now() - YESTERDAY)
    assert sweep(cluster.workspace_id) == 0
    assert address in stored(cluster)
    assert not CondemnedBlob.objects.exists()


def test_who_stores_content_again_takes_it_off_the_note(cluster):
    address = object_store.store_manifests(cluster.workspace_id, [node("node-z")])[0]
    CondemnedBlob.objects.create(workspace=cluster.workspace, sha256=address, condemned_at=timezone.now() - YESTERDAY)
    object_store.store_manifests(cluster.workspace_id, [node("node-z")])
    assert not CondemnedBlob.objects.exists()
    assert sweep(cluster.workspace_id) == 0
    assert address in stored(cluster)


def test_content_of_a_timeline_stays(cluster, timeline):
    address = bytes.fromhex(timeline.revisions.get().sha256)
    CondemnedBlob.objects.create(workspace=cluster.workspace, sha256=address, condemned_at=timezone.now() - YESTERDAY)
    assert sweep(cluster.workspace_id) == 0
    assert address in stored(cluster)
