"""A saved change is taken back from the message that tells of it, unless something was saved since."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Draft
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.object_keys import Key
from tests.dashboard.clusters.conftest import saved_as
from tests.dashboard.clusters.saved_edits import delete_objects
from tests.dashboard.helpers import assert_strict_csp

HERE = "/w/team/clusters/prod/"


@pytest.fixture
def without_nodes(editor, cluster):
    """The page after both nodes of the cluster were deleted in a draft, and it was saved."""
    editor.post(f"{HERE}nodes/change", {"what": "delete", "node": ["node-a", "node-b"], "base": 1})
    response = editor.post(f"{HERE}drafts/{Draft.objects.get().pk}/save", {})
    return editor.get(response["Location"]).content.decode()


def test_saving_offers_to_undo_it(without_nodes):
    assert_strict_csp(without_nodes)
    assert f'action="{HERE}history/2/undo"' in without_nodes


def test_undo_is_a_new_revision_with_exactly_the_objects_of_before(editor, cluster, without_nodes):
    response = editor.post(f"{HERE}history/2/undo?tab=nodes")
    assert response["Location"] == f"{HERE}nodes/"
    first, third = actions.find_revision(cluster, 1), actions.newest_revision(cluster)
    assert (third.number, third.sha256) == (3, first.sha256)
    assert third.message.startswith("Undo revision 2: ")
    assert "in r1 again" in editor.get(response["Location"]).content.decode()


def test_a_change_since_refuses_it_and_changes_nothing(editor, cluster, without_nodes):
    delete_objects(editor.member, cluster, [Key("Pod", "default", "web-1")], saved_as(2))
    response = editor.post(f"{HERE}history/2/undo")
    assert response.status_code == 409
    page = response.content.decode()
    assert "Revision 3" in page
    assert f'href="{HERE}history/"' in page
    assert actions.newest_revision(cluster).number == 3


def test_undo_can_be_undone(editor, cluster, without_nodes):
    editor.post(f"{HERE}history/2/undo")
    editor.post(f"{HERE}history/3/undo")
    assert actions.newest_revision(cluster).sha256 == actions.find_revision(cluster, 2).sha256


def test_words(editor, cluster, without_nodes):
    assert "Saved as revision 2" in without_nodes
    done = editor.post(f"{HERE}history/2/undo")
    assert actions.newest_revision(cluster).message == "Undo revision 2: Delete Node node-a and 1 more"
    assert "all objects are as in r1 again, saved as r3" in editor.get(done["Location"]).content.decode()
    assert "Revision 3 was saved after revision 2" in editor.post(f"{HERE}history/2/undo").content.decode()
