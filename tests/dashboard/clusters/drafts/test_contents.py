"""What a draft holds equals what a whole reading of its manifests gives."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.contents import contents_of_draft
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import undo
from dashboard.clusters.revisions.actions import NewCluster, create_cluster
from dashboard.clusters.revisions.contents import Contents, cache
from dashboard.clusters.revisions.object_keys import Key
from scheduler_core.manifests import load_manifests
from tests.dashboard.clusters.conftest import node, pod, small
from tests.dashboard.clusters.drafts.draft_helpers import NODE_A, change, fresh, new_draft, remove


def whole(contents):
    """Return contents read anew from their manifests."""
    return Contents(contents.stored, load_manifests(list(contents.stored), source="again", is_whole=True))


def assert_same(contents):
    """Compare what was spliced with a whole reading: objects in their order, rows, warnings."""
    again = whole(contents)
    assert contents.loaded.objects == again.loaded.objects
    assert contents.rows == again.rows
    assert list(contents.by_key) == list(again.by_key)
    assert sorted(one.message for one in contents.loaded.findings) == sorted(
        one.message for one in again.loaded.findings
    )


def deployment(replicas=2):
    template = pod("web")
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": template["spec"]},
        },
    }


def daemon_set():
    return {**deployment(), "kind": "DaemonSet"}


def test_a_draft_without_operations_holds_its_base(editor, cluster):
    contents = contents_of_draft(new_draft(editor, cluster))
    assert [key.name for key in contents.by_key] == ["node-a", "node-b", "web-1", "web-2", "job-1", "high"]


def test_changed_added_and_deleted_objects_stand_where_a_whole_reading_has_them(editor, cluster):
    draft = new_draft(editor, cluster)
    change(editor, draft, pod("job-1", cpu="3", priorityClassName="high"))
    change(editor, draft, node("node-c"))
    change(editor, draft, pod("web-9", "node-c"))
    remove(editor, draft, Key("Pod", "default", "web-1"))
    contents = contents_of_draft(fresh(draft))
    assert contents.is_shared
    assert contents.pods["default", "job-1"].priority == 1000
    assert_same(contents)


def test_a_deleted_node_that_pods_name_is_warned_about_as_in_a_whole_reading(editor, cluster):
    draft = new_draft(editor, cluster)
    remove(editor, draft, NODE_A)
    contents = contents_of_draft(fresh(draft))
    assert contents.is_shared
    assert_same(contents)
    change(editor, draft, node("node-a"))
    assert_same(contents_of_draft(fresh(draft)))


@pytest.mark.parametrize(
    ("objects", "changed"),
    [
        ([deployment()], pod("web-5")),
        ([daemon_set()], node("node-c")),
        ([deployment()], deployment(5)),
        ([], {**small()[-1], "value": 7}),
    ],
    ids=["a pod beside a Deployment", "a node beside a DaemonSet", "a Deployment", "a priority class"],
)
def test_a_change_that_reaches_further_reads_the_whole(editor, objects, changed):
    draft = new_draft(editor, create_cluster(editor.member, NewCluster("far"), [*small(), *objects]))
    change(editor, draft, changed)
    contents = contents_of_draft(fresh(draft))
    assert not contents.is_shared
    assert_same(contents)


def test_a_change_of_a_node_beside_a_deployment_reads_the_node_only(editor):
    draft = new_draft(editor, create_cluster(editor.member, NewCluster("near"), [*small(), deployment()]))
    change(editor, draft, node("node-a", cpu="64"))
    contents = contents_of_draft(fresh(draft))
    assert contents.is_shared
    assert_same(contents)


def test_contents_are_kept_and_found_again_after_an_undo(editor, cluster):
    draft = new_draft(editor, cluster)
    change(editor, draft, pod("job-1", cpu="3"))
    first = contents_of_draft(fresh(draft))
    change(editor, draft, pod("job-1", cpu="4"))
    assert contents_of_draft(fresh(draft)) is not first
    undo(editor.user, fresh(draft))
    assert contents_of_draft(fresh(draft)) is first
    cache.clear()
    assert contents_of_draft(fresh(draft)) is not first


def test_the_context_of_admission_is_the_drafts_own(editor, cluster):
    draft = new_draft(editor, cluster)
    change(editor, draft, {**small()[-1], "value": 7})
    assert [raw["value"] for raw in OpenedDraft(fresh(draft)).admission.values()] == [7]
