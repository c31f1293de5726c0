"""Timelines and the clusters that they were made for."""

from __future__ import annotations

from dashboard.clusters.models import Cluster
from dashboard.documents.timelines.running import arriving_pods, cluster_of, launch_address, timeline_of
from tests.dashboard.clusters.conftest import node
from tests.dashboard.documents.timelines.arrivals.some_entries import rush, stored


def test_a_timeline_belongs_to_the_cluster_whose_name_it_begins_with(editor, cluster):
    longer = Cluster.objects.create(workspace=cluster.workspace, name="prod eu", slug="prod-eu")
    mine = stored(editor.member, rush(), "prod arrivals")
    theirs = stored(editor.member, rush(), "prod eu arrivals")
    other = stored(editor.member, rush(), "product arrivals")
    assert [cluster_of(one.timeline) for one in (mine, theirs, other)] == [cluster, longer, None]
    assert (timeline_of(cluster), timeline_of(longer)) == (mine, theirs)
    assert timeline_of(Cluster(workspace=cluster.workspace, name="none")) is None


def test_its_run_is_begun_on_that_cluster(editor, cluster):
    mine = stored(editor.member, rush(), "prod arrivals")
    form = editor.get(launch_address(cluster.workspace, mine)).context["form"]
    assert (form.chosen_cluster, form.timeline_revision) == (cluster, mine)
    assert form.data["schedule"] == "timeline"


def test_pods_that_a_timeline_adds_are_counted_and_nothing_else(editor, cluster):
    revision = cluster.revisions.get()
    assert arriving_pods(revision) is None
    stored(editor.member, [*rush(), {"at": "1s", "object": node("late")}], "prod")
    found = arriving_pods(revision)
    assert (found.n_pods, found.name, found.url) == (4, "prod", "/w/team/timelines/prod/")
