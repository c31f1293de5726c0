"""What is derived from a revision: rows, tables, differences; and that looking again costs nothing."""

from __future__ import annotations

import pytest

from dashboard.clusters.revisions import actions, contents, object_store
from dashboard.clusters.revisions.actions import NewCluster
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_store import Saving
from tests.dashboard.clusters.conftest import node, small
from tests.dashboard.clusters.revisions.revision_helpers import loaded


def test_contents_are_read_once_per_content(cluster, monkeypatch, django_assert_num_queries):
    revision = actions.newest_revision(cluster)
    first = read_contents(revision)
    with django_assert_num_queries(0):
        assert read_contents(revision) is first
    again = object_store.save_revision(cluster, small(), Saving(None))
    assert again.sha256 == revision.sha256
    assert read_contents(again) is first


def test_the_cache_lets_go_of_what_was_not_used_for_long(monkeypatch):
    monkeypatch.setattr(contents, "OBJECT_BUDGET", 20)
    cache = contents._ContentsCache()
    revisions = [loaded(*(node(f"n{m}") for m in range(8))) for _ in range(3)]
    for number, one in enumerate(revisions):
        cache.put((1, str(number)), one)
        cache.get((1, "0"))
    assert [cache.get((1, str(n))) is not None for n in range(3)] == [True, False, True]


@pytest.mark.parametrize("url", ["", "nodes/", "pods/", "objects/", "history/"])
def test_pages_take_few_queries_once_warm(viewer, cluster, django_assert_max_num_queries, url):
    address = f"/w/team/clusters/prod/{url}"
    viewer.get(address)
    with django_assert_max_num_queries(11):
        viewer.get(address)


def test_the_list_takes_as_many_queries_for_many_clusters_as_for_one(editor, django_assert_max_num_queries):
    for n in range(5):
        actions.create_cluster(editor.member, NewCluster(f"c{n}"), [node("n")])
    with django_assert_max_num_queries(11):
        editor.get("/w/team/clusters/")
