"""Lists of names: those of a revision, of a draft, and what a run adds."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.drafts.contents import revision_addresses
from dashboard.clusters.drafts.operations import Edit, put_in
from dashboard.clusters.models import Cluster, Draft
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.object_store import Saving
from dashboard.documents import store
from dashboard.documents.models import Timeline
from dashboard.runs.actions import Launch, create_run, find_run
from dashboard.runs.models import QueueMove
from dashboard.search.name_lists import names_in_draft, names_of, names_of_run
from tests.dashboard.run_helpers import cluster_of, node, pod

pytestmark = pytest.mark.django_db


@pytest.fixture
def prod(workspace):
    """A cluster of two nodes and a pod."""
    return Cluster.objects.create(workspace=workspace, name="Prod", slug="prod")


def test_a_revision_has_the_names_of_its_objects(prod):
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}
    revision = object_store.save_revision(prod, [*cluster_of(2, 1), service], Saving(None))
    names = names_of(revision)
    assert list(names.nodes) == ["node-0", "node-1"]
    assert list(names.pods) == ["default/pod-0"]
    assert list(names.others) == ["Service default/web"]
    assert names_of(revision) is names


def test_no_manifest_is_read_for_them(prod, django_assert_num_queries):
    revision = object_store.save_revision(prod, cluster_of(3, 3), Saving(None))
    with django_assert_num_queries(1):
        names_of(revision)
    with django_assert_num_queries(0):
        names_of(revision)


def test_a_run_adds_the_pods_that_come_to_its_queue_as_it_goes_on(run):
    revision, added = names_of_run(run)
    assert list(added.pods) == []
    head = run.head.seq
    rows = [("default/new-0", None), ("default/small-0", None), ("default/small-0", "uid-2"), ("default/new-0", None)]
    for i, (name, uid) in enumerate(rows):
        QueueMove.objects.create(
            run=run,
            seq=head + i,
            at_us=0,
            pod=name,
            source="",
            target="active",
            event="PodAdd",
            plugin="",
            attempts=0,
            pod_uid=uid,
        )
    run.head.seq = head + len(rows)
    _, added = names_of_run(run)
    assert list(zip(added.pods, added.uids, strict=True)) == [("default/new-0", ""), ("default/small-0", "uid-2")]
    assert names_of_run(run)[0] is revision


def test_a_timeline_adds_its_nodes(workspace, editor):
    cluster = Cluster.objects.create(workspace=workspace, name="Prod", slug="prod")
    revision = object_store.save_revision(cluster, cluster_of(1, 1), Saving(None))
    timeline = Timeline.objects.create(workspace=workspace, name="Growth", slug="growth")
    entries = [{"at": "1s", "action": "add", "object": one} for one in (node("late-0"), node("node-0"), pod("p"))]
    saved = store.save_timeline(timeline, {"entries": entries}, Saving(None))
    run = create_run(editor.member, Launch(revision, timeline=saved, schedule="timeline"))
    _, added = names_of_run(find_run(workspace, run.number))
    assert list(added.nodes) == ["late-0"]


def test_a_draft_has_what_it_adds_and_not_what_it_deletes(prod, editor, hits_of):
    object_store.save_revision(prod, cluster_of(2, 1), Saving(None))
    draft = new_draft(editor.member, prod)
    one = revision_addresses(draft.base)[Key("Node", "", "node-0")]
    puts = [Edit.over(None, Key("Node", "", "node-9"), node("node-9")), Edit.over(one, Key("Node", "", "node-0"), None)]
    put_in(editor.user, draft, "Change", puts)
    names = names_in_draft(Draft.objects.select_related("base__cluster").get(pk=draft.pk))
    assert list(names.nodes) == ["node-1", "node-9"]
    [(_, url)] = hits_of(editor, "node-9", f"/w/team/clusters/prod/?draft={draft.pk}")["node"]
    assert editor.get(url).status_code == 200
    assert "node" not in hits_of(editor, "node-9", "/w/team/clusters/prod/")
