"""Who may see who is in a room."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions.object_store import Saving, save_revision
from dashboard.live.presence.admission import may_enter
from tests.dashboard.clusters.conftest import small
from tests.dashboard.clusters.drafts.draft_helpers import new_draft

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(editor, workspace):
    """A draft of the editor alone."""
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="prod")
    save_revision(cluster, small(), Saving(None))
    return new_draft(editor.member, cluster)


def test_a_draft_is_for_its_author_and_those_whom_they_invite(draft, editor, reviewer, workspace):
    room = f"clusters/{draft.cluster.slug}/drafts/{draft.pk}"
    admitted = [may_enter(one.user.pk, workspace.pk, room) for one in (editor, reviewer)]
    draft.invited.add(reviewer.user)
    assert [*admitted, may_enter(reviewer.user.pk, workspace.pk, room)] == [True, False, True]


def test_another_cluster_or_workspace_does_not_hold_the_draft(draft, editor, workspace):
    here = f"clusters/{draft.cluster.slug}/drafts/{draft.pk}"
    assert not may_enter(editor.user.pk, workspace.pk, f"clusters/other/drafts/{draft.pk}")
    assert not may_enter(editor.user.pk, workspace.pk + 1, here)


def test_runs_are_for_every_member(viewer, workspace):
    assert may_enter(viewer.user.pk, workspace.pk, "runs/1")
