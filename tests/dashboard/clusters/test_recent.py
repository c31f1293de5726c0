"""The cluster that was last worked on comes first, whether it was saved or run."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.clusters.models import Cluster, Revision
from dashboard.clusters.recent import recent_first
from dashboard.clusters.revisions.object_store import Saving, save_revision
from dashboard.runs.models import Run
from tests.dashboard.run_helpers import node

pytestmark = pytest.mark.django_db


def test_saving_and_running_count_alike(workspace):
    now = timezone.now()
    for hours, name in enumerate(("newest", "run again", "oldest")):
        cluster = Cluster.objects.create(workspace=workspace, name=name, slug=name.replace(" ", "-"))
        revision = save_revision(cluster, [node("node-1")], Saving(None))
        Revision.objects.filter(pk=revision.pk).update(created_at=now - timedelta(hours=hours))
        if name == "run again":
            Run.objects.create(workspace=workspace, number=1, revision=revision, created_at=now + timedelta(hours=1))
    Cluster.objects.create(workspace=workspace, name="empty", slug="empty")
    recent = [one.name for one in recent_first(Cluster.objects.all())]
    assert recent == ["run again", "newest", "oldest", "empty"]
