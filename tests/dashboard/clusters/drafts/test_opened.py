"""A draft that is opened reads each part once, and says what it holds as the database has it."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.contents import contents_hash, revision_addresses
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.revisions.object_keys import Key
from tests.dashboard.clusters.conftest import node, pod
from tests.dashboard.clusters.drafts.draft_helpers import JOB, NODE_A, change, fresh, new_draft, remove

NEW = Key("Node", "", "new")


@pytest.fixture
def opened(editor, cluster):
    """Return a draft that changes a pod, adds a node and deletes another."""
    draft = new_draft(editor, cluster)
    change(editor, draft, pod("job-1", cpu="7"))
    change(editor, draft, node("new"))
    remove(editor, draft, NODE_A)
    return OpenedDraft(fresh(draft))


def test_objects_are_those_of_the_base_under_what_the_draft_changed(opened):
    web = Key("Pod", "default", "web-1")
    objects = opened.objects([JOB, NEW, NODE_A, web])
    assert set(objects) == {JOB, NEW, web}
    assert objects[JOB].manifest["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "7"
    assert objects[web].address == revision_addresses(opened.base)[web]
    assert {key: one.address for key, one in objects.items()} == {key: opened.addresses[key] for key in objects}
    assert NODE_A not in opened.addresses


def test_an_object_is_read_once(opened, django_assert_num_queries):
    opened.objects([JOB])
    with django_assert_num_queries(0):
        assert opened.objects([JOB]) == opened.objects([JOB])
    with django_assert_num_queries(2):  # the changed rows of the name, and its content
        opened.objects([JOB, NEW])


def test_changes_and_version_come_from_one_reading(opened, django_assert_num_queries):
    with django_assert_num_queries(1):
        changes = [(one.key, one.what) for one in opened.changes]
        assert changes == [(JOB, "changed"), (NEW, "added"), (NODE_A, "removed")]
        assert opened.added_nodes == {"new"}
        version = opened.version
    assert version == contents_hash(opened.draft)
    assert set(opened.contents.by_key) == set(opened.addresses)
