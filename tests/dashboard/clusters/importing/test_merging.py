"""An import merged into a cluster is a draft of what differs; everything else stays."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.contents import contents_of_draft
from dashboard.clusters.importing import merging
from dashboard.clusters.importing.saving import contents_to_save
from dashboard.clusters.models import Draft, ImportDraft
from dashboard.common.problems import Problem
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import draft, node, pod, small
from tests.dashboard.helpers import assert_strict_csp


def merge(person, *raws, into="prod", **more):
    """Import the manifests and press the button that merges them."""
    one = draft(person, dump_yaml(raws))
    return person.post(f"/w/team/import/{one.pk}/merge", {"into": into, **more})


def test_objects_are_added_and_replaced_by_name_and_others_stay(editor, cluster):
    response = merge(editor, node("node-a", cpu="64"), node("node-new"), small()[1])
    made = Draft.objects.get()
    assert response["Location"] == f"/w/team/clusters/prod/drafts/{made.pk}/"
    html = editor.get(response["Location"]).content.decode()
    assert_strict_csp(html)
    assert "node-new" in html
    manifests = {one["metadata"]["name"]: one for one in contents_of_draft(made).manifests}
    assert manifests.keys() == {one["metadata"]["name"] for one in small()} | {"node-new"}
    assert manifests["node-a"]["status"]["allocatable"]["cpu"] == "64"
    assert made.operations.get().changes.count() == 2
    assert cluster.revisions.count() == 1
    assert not ImportDraft.objects.exists()


def test_objects_that_are_not_imported_are_removed_where_the_import_replaces_all(editor, cluster):
    response = merge(editor, node("node-a", cpu="64"), node("node-new"), others="removed")
    made = Draft.objects.get()
    assert response["Location"] == f"/w/team/clusters/prod/drafts/{made.pk}/"
    assert made.name.endswith("by file-0.yaml")
    names = [one["metadata"]["name"] for one in contents_of_draft(made).manifests]
    assert names == ["node-a", "node-new"]
    changes = made.operations.get().changes
    assert changes.count() == len(small()) + 1
    html = editor.get(response["Location"]).content.decode()
    assert all(one["metadata"]["name"] in html for one in small())
    assert cluster.revisions.count() == 1


def test_an_import_that_replaces_all_is_limited_by_what_it_removes_too(editor, cluster, monkeypatch):
    monkeypatch.setattr(merging, "MAX_MERGED", len(small()))
    assert "objects at most" in merge(editor, node("node-new"), others="removed").content.decode()
    assert not Draft.objects.exists()
    assert merge(editor, node("node-new"), others="x").status_code == 400


def test_what_differs_in_nothing_makes_no_draft_and_keeps_the_files(editor, cluster):
    response = merge(editor, *small())
    assert response.status_code == 422
    assert "Nothing differs" in response.content.decode()
    assert not Draft.objects.exists()
    assert ImportDraft.objects.exists()


def test_without_a_cluster_or_with_objects_that_do_not_fit_nothing_is_made(editor, cluster):
    assert "Choose the cluster" in merge(editor, node("n"), into="").content.decode()
    assert merge(editor, pod("bad", cpu="x y")).status_code == 422
    assert merge(editor, node("n"), into="gone").status_code == 404
    assert not Draft.objects.exists()


def test_a_merge_is_limited(editor, cluster, monkeypatch):
    monkeypatch.setattr(merging, "MAX_MERGED", 1)
    response = merge(editor, node("x"), node("y"))
    assert "A draft takes 1 objects at most" in response.content.decode()


def test_a_merge_twice_makes_one(editor, cluster):
    one = draft(editor, dump_yaml([node("n")]))
    page = editor.get(f"/w/team/import/{one.pk}/").content.decode()
    token = page.partition('name="once" value="')[2].partition('"')[0]
    first, second = (editor.post(f"/w/team/import/{one.pk}/merge", {"into": "prod", "once": token}) for _ in range(2))
    assert first["Location"] == second["Location"]
    assert Draft.objects.count() == 1


def test_an_archived_cluster_takes_no_merge(editor, cluster):
    cluster.archived_at = cluster.created_at
    cluster.save()
    one = draft(editor, dump_yaml([node("n")]))
    imported = contents_to_save(one, leave_out=False)
    with pytest.raises(Problem):
        merging.merge(editor.member, one, merging.merged_objects(cluster, imported))
