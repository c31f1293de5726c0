"""Timelines saved with a history."""

from __future__ import annotations

import pytest

from dashboard.common.problems import Conflict
from dashboard.documents import store
from dashboard.documents.actions import NewText
from dashboard.documents.timelines.actions import entries_text, save_timeline, store_timeline, timeline_text
from dashboard.documents.timelines.arrivals.actions import undo
from dashboard.documents.timelines.checking import check_timeline
from dashboard.documents.yaml_templates import TIMELINE_TEMPLATE


def test_a_timeline_keeps_what_was_written(editor, timeline):
    revision = timeline.revisions.get()
    assert revision.n_entries == 2
    assert check_timeline(timeline_text(revision)).raw == store.read_timeline(revision)
    page = editor.get("/w/team/timelines/rush/").content.decode()
    assert "web-1" in page


TYPED = TIMELINE_TEMPLATE + "# the rush of the morning\n"


def test_the_text_is_kept_as_it_was_typed(editor, timeline):
    revision = save_timeline(editor.member, timeline, NewText("", TYPED, base=1))
    assert timeline_text(revision) == TYPED
    assert revision.sha256 == timeline.revisions.get(number=1).sha256, "runs know it by its entries alone"
    assert editor.get("/w/team/timelines/rush/export").content.decode() == TYPED


def test_a_text_whose_secrets_are_masked_is_not_kept(editor):
    secret = TYPED.replace("image: ", "env: [{name: TOKEN, value: hunter2}]\n        image: ")
    assert "hunter2" in secret
    revision = save_timeline(editor.member, None, NewText("masked", secret), keeps_values=False)
    assert "hunter2" not in timeline_text(revision)


def test_edited_arrivals_have_the_usual_text_and_undo_brings_the_typed_one_back(editor, timeline):
    typed = save_timeline(editor.member, timeline, NewText("", TYPED, base=1))
    page = editor.get("/w/team/timelines/rush/").content.decode()
    assert "# the rush" in page
    assert "rewrites it without comments" in page
    raw = store.read_timeline(typed)
    edited = store_timeline(editor.member, timeline, NewText("", "", base=2), {"entries": raw["entries"][:1]})
    assert timeline_text(edited) == entries_text(edited)
    assert "rewrites it" not in editor.get("/w/team/timelines/rush/").content.decode()
    assert timeline_text(undo(editor.member, timeline, 3)) == TYPED


def test_timelines_conflict_as_well(editor, timeline):
    new = NewText("", TIMELINE_TEMPLATE.replace("10s", "20s"), base=1)
    save_timeline(editor.member, timeline, new)
    with pytest.raises(Conflict):
        save_timeline(editor.member, timeline, new)
