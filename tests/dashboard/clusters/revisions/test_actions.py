"""Saving: who wins, what is refused, what the history says."""

from __future__ import annotations

import json

import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.clusters.editor.edits import Edit, NodeChange, change_node, check_text
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import actions, object_store
from dashboard.clusters.revisions.actions import BadObjects, EditConflict, NewCluster, Save
from dashboard.clusters.revisions.contents import contents_of, objects_of
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.totals import figures_of
from dashboard.common.problems import Conflict, Forbidden, Problem
from tests.dashboard.clusters.conftest import node, pod, priority_class, saved_as, small

JOB = Key("Pod", "default", "job-1")
NODE_A = Key("Node", "", "node-a")


def newest(cluster):
    return actions.newest_revision(cluster)


def manifests(cluster):
    return {(raw["kind"], raw["metadata"]["name"]): raw for raw in object_store.read_manifests(newest(cluster))}


def test_a_saved_edit_is_a_new_revision_and_the_old_one_stays(editor, cluster):
    revision = actions.save_edits(editor.member, cluster, [Edit(JOB, pod("job-1", cpu="4"))], saved_as(message="more"))
    assert (revision.number, revision.message, revision.author) == (2, "more", editor.user)
    assert object_store.read_manifests(actions.revision_of(cluster, 1)) == small()
    assert manifests(cluster)["Pod", "job-1"] == pod("job-1", cpu="4")
    assert AuditEntry.objects.filter(action="cluster.saved", object="prod r2").exists()


def test_an_edit_keeps_its_place_and_a_renamed_object_too(editor, cluster):
    revision = actions.save_edits(editor.member, cluster, [Edit(JOB, pod("job-2"))], saved_as())
    assert [entry.name for entry in object_store.read_index(revision)][4] == "job-2"
    assert revision.message == "Change Pod default/job-1"


def test_edits_of_different_objects_both_stay(editor, owner, cluster):
    actions.save_edits(owner.member, cluster, [Edit(NODE_A, node("node-a", cpu="16"))], saved_as())
    revision = actions.save_edits(editor.member, cluster, [Edit(JOB, pod("job-1", cpu="3"))], saved_as(1))
    assert revision.number == 3
    kept = manifests(cluster)
    assert kept["Node", "node-a"]["status"]["allocatable"]["cpu"] == "16"
    assert kept["Pod", "job-1"] == pod("job-1", cpu="3")


def test_edits_of_the_same_object_conflict_and_nothing_is_overwritten(editor, owner, cluster):
    actions.save_edits(owner.member, cluster, [Edit(JOB, pod("job-1", cpu="3"))], saved_as())
    with pytest.raises(EditConflict) as caught:
        actions.save_edits(editor.member, cluster, [Edit(JOB, pod("job-1", cpu="4"))], saved_as(1))
    assert (caught.value.newest.number, caught.value.keys) == (2, [JOB])
    assert manifests(cluster)["Pod", "job-1"] == pod("job-1", cpu="3")
    assert newest(cluster).number == 2


def test_deleting_what_somebody_changed_conflicts_as_well(editor, owner, cluster):
    actions.save_edits(owner.member, cluster, [Edit(JOB, pod("job-1", cpu="3"))], saved_as())
    with pytest.raises(EditConflict):
        actions.delete_objects(editor.member, cluster, [JOB], saved_as(1))


def test_an_edit_that_changes_nothing_is_no_revision(editor, cluster):
    with pytest.raises(Problem, match="Nothing differs"):
        actions.save_edits(editor.member, cluster, [Edit(JOB, contents_of(newest(cluster)).by_key[JOB])], saved_as())
    assert newest(cluster).number == 1


def test_a_revision_that_could_not_be_scheduled_is_refused(editor, cluster):
    with pytest.raises(BadObjects, match="cpu"):
        actions.save_edits(editor.member, cluster, [Edit(JOB, pod("job-1", cpu="4 cores"))], saved_as())
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
        actions.save_edits(editor.member, cluster, [edit], saved_as())


def test_nodes_are_cordoned_tainted_and_labelled_together(editor, cluster):
    names = ["node-a", "node-b"]
    actions.change_nodes(editor.member, cluster, names, NodeChange("cordon"), saved_as(1))
    actions.change_nodes(editor.member, cluster, names, NodeChange("taint", "gpu", "yes", "NoExecute"), saved_as(2))
    revision = actions.change_nodes(editor.member, cluster, names, NodeChange("label", "pool", "x"), saved_as(3))
    assert revision.message == "Label pool=x on node-a and 1 more"
    for found in objects_of(revision).objects.nodes:
        assert found.unschedulable
        assert [(t.key, t.value, t.effect) for t in found.taints] == [("gpu", "yes", "NoExecute")]
        assert found.labels["pool"] == "x"


def test_a_bad_taint_is_refused_by_field(editor, cluster):
    with pytest.raises(BadObjects, match="node-a"):
        actions.change_nodes(editor.member, cluster, ["node-a"], NodeChange("taint", "a b"), saved_as())


def test_node_changes_can_be_taken_back_without_a_trace():
    raw = node("n", taints=[{"key": "own", "effect": "NoSchedule"}])
    changed = change_node(change_node(raw, NodeChange("cordon")), NodeChange("taint", "t"))
    back = change_node(change_node(changed, NodeChange("uncordon")), NodeChange("untaint", "t"))
    assert back == raw
    labelled = change_node(raw, NodeChange("label", "a", "b"))
    assert change_node(labelled, NodeChange("unlabel", "a")) == raw
    assert raw["spec"] == {"taints": [{"key": "own", "effect": "NoSchedule"}]}


def test_a_taint_of_the_same_key_and_effect_is_replaced():
    once = change_node(node("n"), NodeChange("taint", "k", "1"))
    twice = change_node(once, NodeChange("taint", "k", "2"))
    assert twice["spec"]["taints"] == [{"key": "k", "effect": "NoSchedule", "value": "2"}]
    assert "taints" not in change_node(twice, NodeChange("untaint", "k", effect=""))["spec"]


def test_restore_saves_the_old_objects_again(editor, cluster):
    actions.delete_objects(editor.member, cluster, [JOB], saved_as())
    revision = actions.restore_revision(editor.member, cluster, 1)
    assert (revision.number, revision.sha256) == (3, actions.revision_of(cluster, 1).sha256)
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
        lambda: actions.save_edits(member, cluster, [Edit(JOB, None)], saved_as()),
        lambda: actions.change_nodes(member, cluster, ["node-a"], NodeChange("cordon"), saved_as()),
        lambda: actions.delete_objects(member, cluster, [JOB], saved_as()),
        lambda: actions.import_revision(member, cluster, small(), "", ""),
        lambda: actions.restore_revision(member, cluster, 1),
        lambda: actions.rename_cluster(member, cluster, NewCluster("x")),
        lambda: actions.archive_cluster(member, cluster, True),
    ]
    for write in writes:
        with pytest.raises(Forbidden):
            write()
    assert newest(cluster).number == 1


def test_figures_count_bound_and_waiting(cluster):
    figures = figures_of(newest(cluster))
    assert (figures["nodes"], figures["pods"], figures["bound"], figures["pending"]) == (2, 3, 2, 1)
    assert figures["requested"] == {"cpu": 2500, "memory": 128 << 20}
    assert figures["waiting"] == {"cpu": 500, "memory": 64 << 20}
    assert figures["allocatable"] == {"cpu": 16000, "memory": 64 << 30}


def test_figures_of_a_revision_saved_elsewhere_are_made_once(cluster):
    revision = object_store.save_revision(cluster, [node("n")], object_store.Saving(None))
    assert revision.figures == {}
    figures_of(revision)
    revision.refresh_from_db()
    assert revision.figures["nodes"] == 1


def test_text_is_judged_in_the_context_of_its_cluster(cluster):
    contents = contents_of(newest(cluster))
    text = json.dumps(pod("p", priorityClassName="high"))
    assert check_text(text, contents).findings == []
    assert [f.field for f in check_text(text).findings] == ["spec.priorityClassName"]
    renamed = priority_class("high", 5)
    assert check_text(json.dumps(renamed), contents, Key("PriorityClass", "", "high")).errors == []
    assert "given twice" in check_text(json.dumps(renamed), contents).errors[0].message


@pytest.mark.parametrize("text", ["", "# nothing", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"])
def test_a_text_without_an_object_is_an_error(text):
    assert len(check_text(text).errors) == 1


def test_a_save_names_its_base(editor, cluster):
    with pytest.raises(Problem, match="no revision 7"):
        actions.save_edits(editor.member, cluster, [Edit(JOB, None)], Save(7))
