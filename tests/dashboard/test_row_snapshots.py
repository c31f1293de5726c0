"""Rows of fixtures that are put back instead of made anew are those that were made, keys and all."""

from __future__ import annotations

import pytest
from django.db import transaction

from dashboard.accounts.models import Workspace
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from tests.dashboard import row_snapshots
from tests.dashboard.row_snapshots import snapshot_of
from tests.dashboard.run_helpers import node

pytestmark = pytest.mark.django_db
MADE = []


@pytest.fixture
def make(workspace):
    """A function that renames the workspace and saves a cluster, and says what it made in MADE."""

    def make():
        Workspace.objects.filter(pk=workspace.pk).update(name="Renamed")
        Cluster.objects.create(workspace=workspace, slug="gone", name="Gone").delete()
        cluster = Cluster.objects.create(workspace=workspace, slug="kept", name="Kept")
        object_store.save_revision(cluster, [node("a")], Saving(None))
        MADE.append(cluster.pk)
        return cluster.pk

    return make


@pytest.fixture
def anew(monkeypatch):
    """No snapshot was taken yet."""
    monkeypatch.setattr(row_snapshots, "_written", {})
    MADE.clear()


@pytest.mark.usefixtures("anew")
def test_rows_are_put_back_as_they_were_made(workspace, make):
    states = []
    for _ in range(3):
        start = transaction.savepoint()
        returned = snapshot_of("cluster", make)
        states.append((returned, row_snapshots._tables()))
        assert Cluster.objects.get(pk=returned).revisions.count() == 1
        # Keys go on where they would have gone on.
        assert Cluster.objects.create(workspace=workspace, slug="next").pk == returned + 1
        transaction.savepoint_rollback(start)
        assert not Cluster.objects.exists()
    assert states[0] == states[1] == states[2]
    assert len(MADE) == 1


@pytest.mark.usefixtures("anew")
def test_other_rows_or_another_name_are_made_anew(workspace, make):
    snapshot_of("cluster", make)
    Cluster.objects.all().delete()
    # The keys of what was there are taken.
    snapshot_of("cluster", make)
    assert len(MADE) == 2
    Cluster.objects.all().delete()
    snapshot_of("other", make)
    assert len(MADE) == len(set(MADE)) == 3


@pytest.mark.usefixtures("anew")
@pytest.mark.django_db(transaction=True)
def test_without_a_transaction_it_is_made_each_time():
    assert [snapshot_of("nothing", lambda: MADE.append(1)) for _ in range(2)] == [None, None]
    assert len(MADE) == 2
