"""Edits and bulk actions go into the draft, each as one operation named by what it does."""

from __future__ import annotations

import pytest

from dashboard.accounts.access import find_member
from dashboard.clusters.drafts.contents import contents_of_draft
from dashboard.clusters.drafts.edits import put_edits, put_json_edits, put_nodes, words_for
from dashboard.clusters.drafts.node_changes import NodeChange
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import Edit, undo, undoable
from dashboard.clusters.revisions.actions import BadObjects
from dashboard.clusters.revisions.object_keys import Key
from dashboard.common.problems import Problem
from scheduler_core.manifests import dump_yaml
from scheduler_core.manifests.writing.json_edits import JsonEdit
from tests.dashboard.clusters.conftest import pod
from tests.dashboard.clusters.drafts.draft_helpers import (
    HERE,
    JOB,
    NODE_A,
    change,
    fresh,
    manifest_of,
    new_draft,
    text_form,
)

WEB = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": pod("web")["spec"]},
    },
}


def changed_by(operation):
    """Return the names of the objects that an operation changes, in alphabetical order."""
    return sorted(operation.changes.values_list("name", flat=True))


@pytest.fixture
def draft(editor, owner, cluster):
    return new_draft(editor, cluster, owner)


def test_a_rename_and_several_new_objects_are_one_operation_each(editor, draft):
    editor.post(HERE + "object/save", {**text_form(draft, pod("job-9")), "name": "job-1"})
    assert changed_by(undoable(editor.user, draft)) == ["job-1", "job-9"]
    two = {"draft": draft.pk, "text": dump_yaml([pod("new-1"), pod("new-2")])}
    assert editor.post(HERE + "object/save", two).status_code == 302
    assert changed_by(undoable(editor.user, draft)) == ["new-1", "new-2"]


def test_bulk_actions_go_into_the_draft_as_one_operation(editor, cluster, draft):
    both = {"node": ["node-a", "node-b"], "draft": draft.pk}
    editor.post(HERE + "nodes/change", {**both, "what": "cordon"})
    editor.post(HERE + "nodes/change", {**both, "what": "taint", "taint_key": "gpu", "taint_effect": "NoExecute"})
    assert manifest_of(draft, NODE_A)["spec"]["unschedulable"] is True
    tainted = undo(editor.user, fresh(draft))
    assert "gpu:NoExecute" in tainted.name
    assert changed_by(tainted) == ["node-a", "node-b"]
    response = editor.post(HERE + "nodes/change", {**both, "what": "delete"})
    assert response["Location"] == f"{HERE}nodes/?draft={draft.pk}"
    assert manifest_of(draft, NODE_A) is None
    assert cluster.revisions.count() == 1
    bad = {**both, "what": "taint", "taint_key": "a b"}
    assert editor.post(HERE + "nodes/change", {**bad, "node": "nobody"}).status_code == 404


def test_nodes_are_cordoned_tainted_and_labelled_together(editor, draft):
    names = ["node-a", "node-b"]
    for made in (
        NodeChange("cordon"),
        NodeChange("taint", "gpu", "yes", "NoExecute"),
        NodeChange("label", "pool", "x"),
    ):
        put_nodes(editor.member, OpenedDraft(fresh(draft)), names, made)
    assert "pool=x" in undoable(editor.user, draft).name
    assert changed_by(undoable(editor.user, draft)) == names
    for node in contents_of_draft(fresh(draft)).loaded.objects.nodes:
        assert node.unschedulable
        assert [(t.key, t.value, t.effect) for t in node.taints] == [("gpu", "yes", "NoExecute")]
        assert node.labels["pool"] == "x"


def test_a_bad_taint_is_refused_by_field(editor, draft):
    with pytest.raises(BadObjects, match="node-a"):
        put_nodes(editor.member, OpenedDraft(draft), ["node-a"], NodeChange("taint", "a b"))


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (Edit(None, pod("job-1")), "exists already"),
        (Edit(JOB, pod("web-1")), "exists already"),
        (Edit(Key("Pod", "default", "nobody"), None), "not in this draft"),
    ],
    ids=["added twice", "renamed onto another", "deleted twice"],
)
def test_keys_that_do_not_fit_are_refused(editor, draft, edit, said):
    with pytest.raises(Problem, match=said):
        put_edits(editor.member, OpenedDraft(draft), [edit])


def json_edit(op, name, path="", value=None):
    return JsonEdit(op, name, path, value)


def test_edits_of_a_remedy_are_one_operation_of_the_draft(editor, draft):
    edits = [
        json_edit("set", "v1/Node//node-a", "/metadata/labels/tier", "gold"),
        json_edit("add", "v1/Node//node-a", "/spec/taints/-", {"key": "gpu", "effect": "NoSchedule"}),
        json_edit("add", "storage.k8s.io/v1/StorageClass//fast", "", {"provisioner": "p"}),
        json_edit("remove", "v1/Pod/default/job-1"),
    ]
    made = put_json_edits(find_member(editor.user, "team"), OpenedDraft(draft), edits, "tier=gold")
    assert (made.name, undoable(editor.user, draft).pk) == ("tier=gold", made.pk)
    node = manifest_of(draft, NODE_A)
    assert (node["metadata"]["labels"]["tier"], node["spec"]["taints"][-1]["key"]) == ("gold", "gpu")
    assert manifest_of(draft, JOB) is None
    assert manifest_of(draft, Key("StorageClass", "", "fast"))["provisioner"] == "p"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (json_edit("set", "v1/Node//node-a", "/spec/taints/9/key", "x"), "there is nothing"),
        (json_edit("set", "v1/Node//nobody", "/spec/unschedulable", value=True), "not in this draft"),
        (json_edit("add", "v1/Node//node-a", "", {"spec": {}}), "exists already"),
    ],
)
def test_edits_that_the_draft_s_objects_do_not_take_change_nothing(editor, draft, edit, message):
    with pytest.raises(Problem, match=message):
        put_json_edits(find_member(editor.user, "team"), OpenedDraft(draft), [edit], "Edit")
    assert undoable(editor.user, draft) is None


def test_an_edit_of_one_node_asks_for_each_thing_once(editor, draft, django_assert_max_num_queries):
    form = {"node": "node-a", "what": "taint", "taint_key": "gpu", "draft": draft.pk}
    editor.post(HERE + "nodes/change", form)
    with django_assert_max_num_queries(18):
        assert editor.post(HERE + "nodes/change", {**form, "taint_key": "disk"}).status_code == 302


@pytest.mark.parametrize(
    ("edits", "sentence"),
    [
        ([Edit(None, pod("new-1")), Edit(None, pod("new-2"))], "Add Pod default/new-1 and 1 more"),
        ([Edit(JOB, pod("job-1", cpu="4"))], "Change Pod default/job-1"),
        ([Edit(JOB, pod("job-9"))], "Rename Pod default/job-1 to default/job-9"),
        ([Edit(JOB, None)], "Delete Pod default/job-1"),
        (
            [Edit(Key("Deployment", "default", "web"), {**WEB, "spec": {**WEB["spec"], "replicas": 5}})],
            "Scale Deployment default/web to 5",
        ),
    ],
)
def test_words(editor, draft, edits, sentence):
    change(editor, draft, WEB)
    assert words_for(OpenedDraft(fresh(draft)), edits) == sentence
