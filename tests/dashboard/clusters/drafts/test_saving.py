"""Saving drafts: on top of what others saved, refused with both versions where they saved the same objects."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.operations import DraftConflict, Edit, put_in, redo, undo
from dashboard.clusters.drafts.saving import plan_merge, resolve, save
from dashboard.clusters.models import ObjectBlob
from dashboard.clusters.revisions.actions import BadObjects, Save, newest_revision
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_keys import Key
from dashboard.common.problems import Conflict, Forbidden, Problem
from tests.dashboard.clusters.conftest import node, pod, priority_class
from tests.dashboard.clusters.drafts.draft_helpers import (
    JOB,
    NODE_A,
    change,
    cpu_of,
    fresh,
    manifest_of,
    new_draft,
    remove,
    seen,
)
from tests.dashboard.clusters.saved_edits import save_edits


@pytest.fixture
def draft(editor, owner, cluster):
    return new_draft(editor, cluster, owner)


def others_save(person, cluster, *edits):
    """Save a revision beside the draft."""
    return save_edits(person.member, cluster, edits, Save(newest_revision(cluster).number))


def test_a_saved_draft_is_a_revision_and_goes_on_from_it(editor, cluster, draft):
    change(editor, draft, pod("job-1", cpu="3"), "Scale job-1")
    change(editor, draft, node("node-c"))
    remove(editor, draft, NODE_A)
    revision = save(editor.member, fresh(draft), "Swap a node")
    by_key = read_contents(revision).by_key
    assert (revision.number, revision.message, revision.source) == (2, "Swap a node", "draft More nodes")
    assert NODE_A not in by_key
    assert by_key[JOB] == manifest_of(draft, JOB)
    assert revision.counts == {"Node": 2, "Pod": 3, "PriorityClass": 1}
    assert fresh(draft).base == revision
    with pytest.raises(Problem, match="Nothing differs"):
        save(editor.member, fresh(draft), "")


def test_what_was_saved_can_still_be_undone_and_is_a_change_again(editor, draft):
    change(editor, draft, pod("job-1", cpu="3"), "to 3")
    save(editor.member, fresh(draft), "")
    undo(editor.user, fresh(draft))
    assert cpu_of(draft) == "500m"
    assert list(plan_merge(fresh(draft)).changed) == [JOB]
    redo(editor.user, fresh(draft))
    assert not plan_merge(fresh(draft)).changed
    undo(editor.user, fresh(draft))
    assert save(editor.member, fresh(draft), "").number == 3
    redo(editor.user, fresh(draft))
    assert cpu_of(draft) == "3"


def test_others_saved_other_objects_then_both_are_in_the_revision(editor, owner, cluster, draft):
    change(editor, draft, pod("job-1", cpu="3"))
    others_save(owner, cluster, Edit(NODE_A, node("node-a", cpu="16")))
    assert plan_merge(fresh(draft)).is_behind
    by_key = read_contents(save(editor.member, fresh(draft), "")).by_key
    assert by_key[NODE_A]["status"]["allocatable"]["cpu"] == "16"
    assert manifest_of(draft, NODE_A) == by_key[NODE_A]
    assert cpu_of(draft) == "3"


def test_an_object_that_was_saved_from_the_draft_follows_what_others_save(editor, owner, cluster, draft):
    change(editor, draft, pod("job-1", cpu="3"), "to 3")
    save(editor.member, fresh(draft), "")
    others_save(owner, cluster, Edit(JOB, pod("job-1", cpu="4")))
    change(editor, draft, node("node-c"))
    save(editor.member, fresh(draft), "")
    assert cpu_of(draft) == "4"
    undo(editor.user, fresh(draft))
    with pytest.raises(DraftConflict):
        undo(editor.user, fresh(draft))


@pytest.mark.parametrize(("is_mine_kept", "cpu"), [(True, "3"), (False, "4")])
def test_others_saved_the_same_object_then_both_versions_are_shown_and_one_is_chosen(
    editor, owner, cluster, draft, is_mine_kept, cpu
):
    change(editor, draft, pod("job-1", cpu="3"))
    change(editor, draft, node("node-c"))
    mine = seen(draft, JOB)
    others_save(owner, cluster, Edit(JOB, pod("job-1", cpu="4")))
    with pytest.raises(DraftConflict) as caught:
        save(editor.member, fresh(draft), "")
    assert [(clash.key, clash.mine, clash.by) for clash in caught.value.clashes] == [(JOB, mine, "Asha")]
    resolve(editor.member, fresh(draft), JOB, is_mine_kept=is_mine_kept, newest=2)
    assert cpu_of(draft) == cpu
    revision = save(editor.member, fresh(draft), "")
    saved = read_contents(revision).by_key[JOB]
    assert saved["spec"]["containers"][0]["resources"]["requests"]["cpu"] == cpu


def test_what_was_kept_over_others_can_be_undone_to_theirs(editor, owner, cluster, draft):
    change(editor, draft, pod("job-1", cpu="3"))
    others_save(owner, cluster, Edit(JOB, pod("job-1", cpu="4")))
    resolve(editor.member, fresh(draft), JOB, is_mine_kept=True, newest=2)
    assert undo(editor.user, fresh(draft)).name == "Keep Pod default/job-1 over revision 2"
    assert cpu_of(draft) == "4"
    assert not plan_merge(fresh(draft)).clashes


def test_a_version_that_was_not_shown_is_not_settled(editor, owner, cluster, draft):
    change(editor, draft, pod("job-1", cpu="3"))
    others_save(owner, cluster, Edit(JOB, pod("job-1", cpu="4")))
    others_save(owner, cluster, Edit(JOB, pod("job-1", cpu="5")))
    with pytest.raises(Conflict, match="Revision 3"):
        resolve(editor.member, fresh(draft), JOB, is_mine_kept=True, newest=2)


def test_operations_that_came_after_the_review_are_not_saved_unseen(editor, owner, draft):
    change(editor, draft, pod("job-1", cpu="3"))
    change(owner, draft, node("node-c"))
    with pytest.raises(Conflict, match="since you looked"):
        save(editor.member, fresh(draft), "", version=1)


def test_a_draft_that_would_not_be_valid_is_not_saved(editor, cluster, draft):
    change(editor, draft, priority_class(value="much"))
    with pytest.raises(BadObjects, match="value"):
        save(editor.member, fresh(draft), "")
    assert newest_revision(cluster).number == 1


def test_who_may_not_edit_saves_no_draft(reviewer, editor, draft):
    change(editor, draft, pod("job-1", cpu="3"))
    with pytest.raises(Forbidden):
        save(reviewer.member, fresh(draft), "")


@pytest.mark.slow
def test_storage_grows_with_the_change_and_not_with_the_cluster(editor, cluster):
    many = [Edit(None, node(f"n-{n:04}")) for n in range(3000)]
    others_save(editor, cluster, *many)
    draft = new_draft(editor, cluster)
    before = ObjectBlob.objects.count()
    put_in(editor.user, draft, "Add one", [Edit.over(None, Key("Node", "", "one"), node("one"))])
    assert ObjectBlob.objects.count() - before == 1
    save(editor.member, fresh(draft), "")
    assert ObjectBlob.objects.count() - before <= 3


@pytest.mark.parametrize(
    ("others", "step", "sentence"),
    [
        (
            [pod("job-1", cpu="4"), pod("job-1", cpu="5")],
            lambda editor, draft: resolve(editor.member, draft, JOB, is_mine_kept=True, newest=2),
            "Revision 3 was saved since",
        ),
        (
            [],
            lambda editor, draft: save(editor.member, draft, "", version=0),
            "The draft has changed since you looked at it. Look at its changes, then save.",
        ),
    ],
)
def test_words(editor, owner, cluster, draft, others, step, sentence):
    change(editor, draft, pod("job-1", cpu="3"))
    for other in others:
        others_save(owner, cluster, Edit(JOB, other))
    with pytest.raises(Conflict) as raised:
        step(editor, fresh(draft))
    assert sentence in raised.value.detail


def test_settling_an_object_gives_the_draft_a_version_that_open_pages_hear_of(editor, owner, cluster, draft):
    change(editor, draft, pod("job-1", cpu="3"))
    others_save(owner, cluster, Edit(JOB, pod("job-1", cpu="4")))
    before = fresh(draft).version
    resolve(editor.member, fresh(draft), JOB, is_mine_kept=False, newest=2)
    assert fresh(draft).version == before + 1


def test_a_class_among_other_changes_has_all_objects_checked(editor, cluster, draft):
    change(editor, draft, pod("job-1", cpu="3"))
    change(editor, draft, priority_class(value="much"))
    with pytest.raises(BadObjects) as refused:
        save(editor.member, fresh(draft), "")
    assert {finding.field for finding in refused.value.findings} == {"value"}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ([("job-1", "3", "to 3")], "to 3"),
        ([("job-1", "3", "to 3"), ("job-1", "4", "to 4")], "to 4"),
        ([("job-1", "3", "to 3"), ("job-2", "3", "another")], "More nodes: 2 objects changed"),
    ],
)
def test_without_a_message_the_one_operation_or_the_number_of_objects_says_what_changed(
    editor, draft, changed, message
):
    for name, cpu, said in changed:
        change(editor, draft, pod(name, cpu=cpu), said)
    assert save(editor.member, fresh(draft), " ").message == message


def test_one_operation_on_many_objects_is_said_by_its_name(editor, draft):
    edits = [Edit(None, node(f"new-{number}")) for number in range(3)]
    put_in(editor.user, fresh(draft), "Add 3 nodes", edits)
    assert save(editor.member, fresh(draft), "").message == "Add 3 nodes"
