"""Operations on a draft: put in, undone, done again, refused where somebody changed the object since."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.contents import revision_addresses
from dashboard.clusters.drafts.operations import DraftConflict, Edit, put_in, redo, redoable, settle, undo, undoable
from dashboard.clusters.models import DraftObject
from dashboard.clusters.revisions.object_keys import Key
from dashboard.common.problems import Conflict, NotFound, Problem
from tests.dashboard.clusters.conftest import node, pod
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


@pytest.fixture
def draft(editor, owner, cluster):
    return new_draft(editor, cluster, owner)


def test_an_operation_changes_the_draft_and_gives_it_a_version(editor, draft):
    change(editor, draft, pod("job-1", cpu="3"), "Scale job-1 to 3")
    assert cpu_of(draft) == "3"
    assert fresh(draft).version == 1
    assert undoable(editor.user, draft).name == "Scale job-1 to 3"
    assert redoable(editor.user, draft) is None


def test_undo_and_redo_go_through_all_that_somebody_did_by_name(editor, draft):
    change(editor, draft, pod("job-1", cpu="3"), "to 3")
    change(editor, draft, pod("job-1", cpu="4"), "to 4")
    remove(editor, draft, NODE_A)
    assert [undo(editor.user, fresh(draft)).name for _ in range(3)] == ["Delete Node node-a", "to 4", "to 3"]
    assert cpu_of(draft) == "500m"
    assert not DraftObject.objects.exists()
    assert [redo(editor.user, fresh(draft)).name for _ in range(3)] == ["to 3", "to 4", "Delete Node node-a"]
    assert cpu_of(draft) == "4"
    assert manifest_of(draft, NODE_A) is None
    assert fresh(draft).version == 9


def test_a_new_operation_ends_what_could_be_redone(editor, draft):
    change(editor, draft, pod("job-1", cpu="3"))
    undo(editor.user, fresh(draft))
    change(editor, draft, node("node-c"))
    with pytest.raises(Problem, match="yours to redo"):
        redo(editor.user, fresh(draft))


def test_each_undoes_what_they_did_themselves(editor, owner, draft):
    change(editor, draft, pod("job-1", cpu="3"), "mine")
    change(owner, draft, node("node-c"), "theirs")
    assert undo(editor.user, fresh(draft)).name == "mine"
    assert manifest_of(draft, NODE_A) is not None
    assert undoable(owner.user, draft).name == "theirs"
    with pytest.raises(Problem, match="yours to undo"):
        undo(editor.user, fresh(draft))


def test_undo_is_refused_with_both_versions_where_somebody_changed_the_object_since(editor, owner, draft):
    before = seen(draft, JOB)
    mine = change(editor, draft, pod("job-1", cpu="3"), "to 3")
    change(owner, draft, pod("job-1", cpu="4"), "to 4")
    with pytest.raises(DraftConflict) as caught:
        undo(editor.user, fresh(draft))
    (clash,) = caught.value.clashes
    assert (clash.key, clash.by, clash.doing) == (JOB, "Asha", "to 4")
    assert (clash.now, clash.mine) == (seen(draft, JOB), before)
    assert caught.value.operation == mine
    assert cpu_of(draft) == "4"


def test_undo_is_refused_even_where_others_made_it_what_it_was(editor, owner, draft):
    change(editor, draft, pod("job-1", cpu="3"))
    change(owner, draft, pod("job-1", cpu="4"))
    change(owner, draft, pod("job-1", cpu="3"))
    with pytest.raises(DraftConflict):
        undo(editor.user, fresh(draft))


def test_redo_is_refused_where_somebody_changed_the_object_since(editor, owner, draft):
    change(editor, draft, pod("job-1", cpu="3"))
    undo(editor.user, fresh(draft))
    change(owner, draft, pod("job-1", cpu="4"))
    with pytest.raises(DraftConflict):
        redo(editor.user, fresh(draft))
    assert cpu_of(draft) == "4"


@pytest.mark.parametrize(("is_mine_kept", "cpu"), [(True, "500m"), (False, "4")])
def test_a_refused_undo_is_settled_either_way(editor, owner, draft, is_mine_kept, cpu):
    mine = change(editor, draft, pod("job-1", cpu="3"), "to 3")
    change(owner, draft, pod("job-1", cpu="4"))
    made = settle(editor.user, fresh(draft), mine.number, is_mine_kept=is_mine_kept)
    assert cpu_of(draft) == cpu
    assert (made.name if made else None) == ("Undo over later changes: to 3" if is_mine_kept else None)
    assert undoable(editor.user, draft) == made
    with pytest.raises(NotFound):
        settle(owner.user, fresh(draft), mine.number, is_mine_kept=True)


def test_an_edit_of_what_somebody_changed_since_is_refused_with_both_versions(editor, owner, draft):
    opened = seen(draft, JOB)
    change(owner, draft, pod("job-1", cpu="4"), "to 4")
    with pytest.raises(DraftConflict) as caught:
        put_in(editor.user, fresh(draft), "to 3", [Edit.over(opened, JOB, pod("job-1", cpu="3"))])
    assert [clash.doing for clash in caught.value.clashes] == ["to 4"]
    assert fresh(draft).version == 1


def test_many_objects_are_one_operation_all_or_none(editor, owner, draft):
    nodes = [node(f"new-{n}") for n in range(20)]
    edits = [Edit(None, raw) for raw in nodes]
    put_in(editor.user, draft, "Add 20 nodes", edits)
    assert DraftObject.objects.count() == 20
    with pytest.raises(DraftConflict):
        put_in(owner.user, fresh(draft), "Add 21 nodes", [*edits, Edit(None, node("new-21"))])
    assert DraftObject.objects.count() == 20
    undo(editor.user, fresh(draft))
    assert not DraftObject.objects.exists()


def seen_key(raw):
    return NODE_A._replace(name=raw["metadata"]["name"])


def test_an_edit_that_changes_nothing_is_no_operation(editor, draft):
    with pytest.raises(Problem, match="Nothing differs"):
        change(editor, draft, manifest_of(draft, JOB))


def test_undo_from_a_page_that_is_old_undoes_nothing_else(editor, draft):
    first = change(editor, draft, pod("job-1", cpu="3"))
    change(editor, draft, pod("job-1", cpu="4"), "to 4")
    with pytest.raises(Conflict, match="to 4"):
        undo(editor.user, fresh(draft), first.number)
    assert cpu_of(draft) == "4"


def test_a_discarded_draft_takes_no_more(editor, draft):
    opened = fresh(draft)
    fresh(draft).delete()
    with pytest.raises(NotFound, match="discarded"):
        put_in(editor.user, opened, "late", [Edit.over(revision_addresses(opened.base)[NODE_A], NODE_A, None)])


def test_an_edit_that_saw_no_object_is_refused_where_there_is_one_now(editor, cluster):
    draft = new_draft(editor, cluster)
    change(editor, draft, pod("new-1"))
    key = Key("Pod", "default", "new-1")
    for manifest in (pod("new-1", cpu="2"), None):
        with pytest.raises(DraftConflict):
            put_in(editor.user, fresh(draft), "Edit", [Edit.over(None, key, manifest)])


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (undo, "There is nothing of yours to undo in this draft."),
        (redo, "There is nothing of yours to redo in this draft."),
    ],
)
def test_words(editor, draft, step, sentence):
    with pytest.raises(Problem) as raised:
        step(editor.user, fresh(draft))
    assert raised.value.detail == sentence


def test_redo_is_refused_even_where_others_made_it_what_it_was(editor, owner, draft):
    change(editor, draft, pod("job-1", cpu="3"))
    undo(editor.user, fresh(draft))
    before = manifest_of(draft, JOB)
    change(owner, draft, pod("job-1", cpu="4"))
    change(owner, draft, before)
    with pytest.raises(DraftConflict):
        redo(editor.user, fresh(draft))
    assert manifest_of(draft, JOB) == before
