"""Writes on a member's draft of a timeline."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.common.problems import Conflict, Forbidden, NotFound, Problem
from dashboard.documents.actions import NewText
from dashboard.documents.store import read_timeline
from dashboard.documents.timelines.actions import store_timeline
from dashboard.documents.timelines.drafts import actions
from dashboard.documents.timelines.drafts.actions import SeenEntries, new_edit
from dashboard.documents.timelines.drafts.state import OpenedTimeline
from tests.dashboard.documents.timelines.arrivals.some_entries import entry, rush, stored
from tests.dashboard.documents.timelines.drafts.test_state import added, opened


@pytest.fixture
def day(editor):
    return stored(editor.member, rush()).timeline


def test_a_draft_belongs_to_its_member(editor, owner, day):
    added(editor.member, day, "x", SeenEntries(1))
    assert actions.own_draft(owner.member, day) is None
    with pytest.raises(NotFound):
        actions.find_draft(owner.member, day)
    added(owner.member, day, "y", SeenEntries(1))
    assert day.drafts.count() == 2


def test_an_edit_is_refused_where_the_draft_is_another_than_was_seen(editor, viewer, day):
    added(editor.member, day, "x", SeenEntries(1))
    for seen in (SeenEntries(1), SeenEntries(1, 0), SeenEntries(1, 2)):
        with pytest.raises(Conflict):
            added(editor.member, day, "y", seen)
    with pytest.raises(Forbidden):
        added(viewer.member, day, "y", SeenEntries(1))
    with pytest.raises(Problem):
        new_edit("nothing", [], [])
    day.archived_at = day.created_at
    with pytest.raises(Problem, match="archived"):
        added(editor.member, day, "y", SeenEntries(1, 1))


def test_a_new_edit_ends_what_was_undone(editor, day):
    added(editor.member, day, "x", SeenEntries(1))
    draft = actions.own_draft(editor.member, day)
    with pytest.raises(Conflict):
        actions.undo(editor.member, draft, 7)
    assert actions.undo(editor.member, draft, 1).name == "Add x"
    for step in (actions.undo, lambda *one: actions.redo(*one, 2)):
        with pytest.raises(Problem):
            step(editor.member, draft)
    assert actions.redo(editor.member, draft, 1).name == "Add x"
    actions.undo(editor.member, draft)
    added(editor.member, day, "z", SeenEntries(1, 4))
    now = opened(editor.member, day)
    assert ([one.name for one in now.operations], now.redoable) == (["Add z"], None)


def test_a_draft_is_saved_as_one_revision_and_ends(editor, day):
    added(editor.member, day, "x", SeenEntries(1))
    added(editor.member, day, "y", SeenEntries(1, 1))
    now = opened(editor.member, day)
    with pytest.raises(Conflict):
        actions.save(editor.member, now, "", version=1)
    revision = actions.save(editor.member, now, "", version=2)
    assert (revision.number, revision.message) == (2, "Add x; Add y")
    assert read_timeline(revision)["entries"] == [*rush(), entry("20s", "x"), entry("20s", "y")]
    assert not day.drafts.exists()
    with pytest.raises(NotFound):
        actions.save(editor.member, now, "again", over=2)


def test_what_others_saved_is_not_overwritten_unseen(editor, owner, day):
    added(editor.member, day, "x", SeenEntries(1))
    store_timeline(owner.member, day, NewText("", "", 1, "theirs"), {"entries": rush()[:2]})
    now = opened(editor.member, day)
    with pytest.raises(Conflict):
        actions.save(editor.member, now, "mine")
    assert actions.save(editor.member, now, "mine", over=2).number == 3


def test_a_draft_without_edits_moves_to_the_newest_revision(editor, owner, day):
    added(editor.member, day, "x", SeenEntries(1))
    actions.undo(editor.member, actions.own_draft(editor.member, day))
    newest = store_timeline(owner.member, day, NewText("", "", 1, "theirs"), {"entries": rush()[:2]})
    edit = new_edit("Cut", rush()[:2], [])
    actions.put(editor.member, day, edit, SeenEntries(2))
    draft = actions.own_draft(editor.member, day)
    assert draft.base == newest
    assert OpenedTimeline(draft).entries.now.entries == []


def test_a_discarded_draft_is_gone_and_noted(editor, day):
    added(editor.member, day, "x", SeenEntries(1))
    actions.discard(editor.member, actions.own_draft(editor.member, day))
    assert not day.drafts.exists()
    assert AuditEntry.objects.filter(action="draft.discarded").exists()
