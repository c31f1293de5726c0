"""Saving edits: who wins, what is refused, what the history says."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.clusters.editor.actions import EditConflict, change_nodes, delete_objects, save_edits
from dashboard.clusters.editor.edits import Edit, NodeChange
from dashboard.clusters.revisions import actions, object_store
from dashboard.clusters.revisions.actions import BadObjects, Save
from dashboard.clusters.revisions.contents import contents_of
from dashboard.clusters.revisions.object_keys import Key
from dashboard.common.problems import Problem
from tests.dashboard.clusters.conftest import node, pod, saved_as, small

JOB = Key("Pod", "default", "job-1")
NODE_A = Key("Node", "", "node-a")


def newest(cluster):
    return actions.newest_revision(cluster)


def manifests(cluster):
    return {(raw["kind"], raw["metadata"]["name"]): raw for raw in object_store.read_manifests(newest(cluster))}


def test_a_saved_edit_is_a_new_revision_and_the_old_one_stays(editor, cluster):
    revision = save_edits(editor.member, cluster, [Edit(JOB, pod("job-1", cpu="4"))], saved_as(message="more"))
    assert (revision.number, revision.message, revision.author) == (2, "more", editor.user)
    assert object_store.read_manifests(actions.revision_of(cluster, 1)) == small()
    assert manifests(cluster)["Pod", "job-1"] == pod("job-1", cpu="4")
    assert AuditEntry.objects.filter(action="cluster.saved", object="prod r2").exists()


def test_an_edit_keeps_its_place_and_a_renamed_object_too(editor, cluster):
    revision = save_edits(editor.member, cluster, [Edit(JOB, pod("job-2"))], saved_as())
    assert [entry.name for entry in object_store.read_index(revision)][4] == "job-2"
    assert revision.message == "Change Pod default/job-1"


def test_edits_of_different_objects_both_stay(editor, owner, cluster):
    save_edits(owner.member, cluster, [Edit(NODE_A, node("node-a", cpu="16"))], saved_as())
    revision = save_edits(editor.member, cluster, [Edit(JOB, pod("job-1", cpu="3"))], saved_as(1))
    assert revision.number == 3
    kept = manifests(cluster)
    assert kept["Node", "node-a"]["status"]["allocatable"]["cpu"] == "16"
    assert kept["Pod", "job-1"] == pod("job-1", cpu="3")


def test_edits_of_the_same_object_conflict_and_nothing_is_overwritten(editor, owner, cluster):
    save_edits(owner.member, cluster, [Edit(JOB, pod("job-1", cpu="3"))], saved_as())
    with pytest.raises(EditConflict) as caught:
        save_edits(editor.member, cluster, [Edit(JOB, pod("job-1", cpu="4"))], saved_as(1))
    assert (caught.value.newest.number, caught.value.keys) == (2, [JOB])
    assert manifests(cluster)["Pod", "job-1"] == pod("job-1", cpu="3")
    assert newest(cluster).number == 2


def test_deleting_what_somebody_changed_conflicts_as_well(editor, owner, cluster):
    save_edits(owner.member, cluster, [Edit(JOB, pod("job-1", cpu="3"))], saved_as())
    with pytest.raises(EditConflict):
        delete_objects(editor.member, cluster, [JOB], saved_as(1))


def test_an_edit_that_changes_nothing_is_no_revision(editor, cluster):
    with pytest.raises(Problem, match="Nothing differs"):
        save_edits(editor.member, cluster, [Edit(JOB, contents_of(newest(cluster)).by_key[JOB])], saved_as())
    assert newest(cluster).number == 1


def test_a_revision_that_could_not_be_scheduled_is_refused(editor, cluster):
    with pytest.raises(BadObjects, match="cpu"):
        save_edits(editor.member, cluster, [Edit(JOB, pod("job-1", cpu="4 cores"))], saved_as())
    assert newest(cluster).number == 1


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (Edit(None, pod("job-1")), "exists already"),
        (Edit(JOB, pod("web-1")), "exists already"),
        (Edit(Key("Pod", "default", "nobody"), None), "not in this cluster"),
    ],
    ids=["added twice", "renamed onto another", "deleted twice"],
)
def test_keys_that_do_not_fit_are_refused(editor, cluster, edit, words):
    with pytest.raises(Problem, match=words):
        save_edits(editor.member, cluster, [edit], saved_as())


def test_nodes_are_cordoned_tainted_and_labelled_together(editor, cluster):
    names = ["node-a", "node-b"]
    change_nodes(editor.member, cluster, names, NodeChange("cordon"), saved_as(1))
    change_nodes(editor.member, cluster, names, NodeChange("taint", "gpu", "yes", "NoExecute"), saved_as(2))
    revision = change_nodes(editor.member, cluster, names, NodeChange("label", "pool", "x"), saved_as(3))
    assert revision.message == "Label pool=x on node-a and 1 more"
    for found in contents_of(revision).loaded.objects.nodes:
        assert found.unschedulable
        assert [(t.key, t.value, t.effect) for t in found.taints] == [("gpu", "yes", "NoExecute")]
        assert found.labels["pool"] == "x"


def test_a_bad_taint_is_refused_by_field(editor, cluster):
    with pytest.raises(BadObjects, match="node-a"):
        change_nodes(editor.member, cluster, ["node-a"], NodeChange("taint", "a b"), saved_as())


def test_a_save_names_its_base(editor, cluster):
    with pytest.raises(Problem, match="no revision 7"):
        save_edits(editor.member, cluster, [Edit(JOB, None)], Save(7))
