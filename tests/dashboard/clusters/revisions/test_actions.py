"""Clusters and their revisions: made, restored, refused."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.node_changes import NodeChange
from dashboard.clusters.drafts.operations import Edit
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import BadObjects, NewCluster
from dashboard.clusters.revisions.object_keys import Key
from dashboard.common.problems import Conflict, Forbidden, Problem
from tests.dashboard.clusters.conftest import pod, saved_as, small
from tests.dashboard.clusters.saved_edits import change_nodes, delete_objects, save_edits

JOB = Key("Pod", "default", "job-1")


def newest(cluster):
    return actions.newest_revision(cluster)


def test_restore_saves_the_old_objects_again(editor, cluster):
    delete_objects(editor.member, cluster, [JOB], saved_as())
    revision = actions.restore_revision(editor.member, cluster, 1)
    assert (revision.number, revision.sha256) == (3, actions.find_revision(cluster, 1).sha256)
    with pytest.raises(Problem, match="same objects"):
        actions.restore_revision(editor.member, cluster, 1)


def test_names_are_unique_and_addresses_never_reserved(editor, cluster):
    with pytest.raises(Conflict, match="exists"):
        actions.create_cluster(editor.member, NewCluster("prod"))
    slugs = [
        actions.create_cluster(editor.member, NewCluster(name)).slug for name in ("new", "生产", "import", "P R.O_D")
    ]
    assert slugs == ["new-2", "cluster", "import-2", "p-ro-d"]


def test_a_refused_cluster_leaves_nothing(editor, workspace):
    with pytest.raises(BadObjects):
        actions.create_cluster(editor.member, NewCluster("bad"), [pod("x", cpu="many")])
    assert not Cluster.objects.exists()


@pytest.mark.parametrize("who", ["viewer", "reviewer"])
def test_readers_cannot_write(request, cluster, who):
    member = request.getfixturevalue(who).member
    writes = [
        lambda: actions.create_cluster(member, NewCluster("x")),
        lambda: save_edits(member, cluster, [Edit(JOB, None)], saved_as()),
        lambda: change_nodes(member, cluster, ["node-a"], NodeChange("cordon"), saved_as()),
        lambda: delete_objects(member, cluster, [JOB], saved_as()),
        lambda: actions.import_revision(member, cluster, small(), "", ""),
        lambda: actions.restore_revision(member, cluster, 1),
        lambda: actions.rename_cluster(member, cluster, NewCluster("x")),
        lambda: actions.archive_cluster(member, cluster, True),
    ]
    for write in writes:
        with pytest.raises(Forbidden):
            write()
    assert newest(cluster).number == 1
