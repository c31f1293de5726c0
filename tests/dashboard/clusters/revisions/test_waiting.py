"""Pods without a node, grouped by what owns them."""

from __future__ import annotations

from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_store import Saving, save_revision
from dashboard.clusters.revisions.waiting import waiting_pods
from tests.dashboard.clusters.conftest import node, pod


def owned(name, kind, owner):
    out = pod(name)
    out["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": "u"}]
    return out


def groups(cluster, *pods):
    revision = save_revision(cluster, [node("n"), *pods], Saving(None))
    return [(group.name, group.status, group.count) for group in waiting_pods(read_contents(revision).rows.pods)]


def test_pods_of_one_owner_are_one_group(cluster):
    pods = [owned(f"web-7d9f8b6c5-x{n}", "ReplicaSet", "web-7d9f8b6c5") for n in range(3)]
    assert groups(cluster, *pods, owned("db-0", "StatefulSet", "db")) == [("web", "pending", 3), ("db-0", "pending", 1)]


def test_pods_without_an_owner_are_grouped_by_the_name_that_they_share(cluster):
    shown = groups(cluster, pod("train-001"), pod("train-002"), pod("lonely"), pod("bound-1", "n"))
    assert shown == [("train", "pending", 2), ("lonely", "pending", 1)]


def test_gated_pods_are_a_group_of_their_own(cluster):
    gated = pod("train-003", schedulingGates=[{"name": "example.com/quota"}])
    assert sorted(groups(cluster, pod("train-001"), gated)) == [("train-001", "pending", 1), ("train-003", "gated", 1)]


def test_the_overview_links_a_group_to_its_pods(editor, cluster):
    save_revision(cluster, [node("n"), *(pod(f"train-00{n}") for n in range(4))], Saving(None))
    page = editor.get("/w/team/clusters/prod/").content.decode()
    assert 'href="/w/team/clusters/prod/pods/?status=pending&amp;q=train"' in page


def test_groups_of_one_name_are_told_apart_by_their_namespaces(cluster):
    there = pod("job-1")
    there["metadata"]["namespace"] = "team-b"
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-b"}}
    revision = save_revision(cluster, [space, node("n"), pod("job-1"), there, pod("web")], Saving(None))
    shown = {
        (group.namespace, group.name): group.is_name_shared for group in waiting_pods(read_contents(revision).rows.pods)
    }
    assert shown == {("default", "job-1"): True, ("team-b", "job-1"): True, ("default", "web"): False}
