"""Edits saved as revisions, and undone."""

from __future__ import annotations

import pytest

from dashboard.common.problems import Conflict, Forbidden, Problem
from dashboard.documents.store import read_timeline
from dashboard.documents.timelines.arrivals import edits
from dashboard.documents.timelines.arrivals.actions import check_new, check_new_names, save_edit, undo
from dashboard.documents.timelines.arrivals.edits import Repetition
from tests.dashboard.documents.timelines.arrivals.some_entries import pod, rush, stored, target


def test_an_edit_is_a_revision_that_its_name_says_and_undo_takes_back(editor):
    revision = stored(editor.member, rush())
    edited = edits.shifted(target(rush()), 1_000_000)
    saved = save_edit(editor.member, revision.timeline, edited, 1)
    assert (saved.number, saved.message) == (2, edited.name)
    assert read_timeline(saved) == {"entries": edited.entries}
    back = undo(editor.member, revision.timeline, 2)
    assert (back.number, back.message, back.sha256) == (3, f"Undo: {edited.name}", revision.sha256)
    assert undo(editor.member, revision.timeline, 3).sha256 == saved.sha256
    assert save_edit(editor.member, revision.timeline, edited, 4, "mine").message == "mine"


def test_who_comes_second_conflicts(editor):
    timeline = stored(editor.member, rush()).timeline
    edited = edits.shifted(target(rush()), 1_000_000)
    save_edit(editor.member, timeline, edited, 1)
    with pytest.raises(Conflict):
        save_edit(editor.member, timeline, edited, 1)
    with pytest.raises(Conflict, match="later revision"):
        undo(editor.member, timeline, 1)


def test_what_cannot_be_changed_or_undone_is_said(editor, viewer):
    timeline = stored(editor.member, rush()).timeline
    edited = edits.shifted(target(rush()), 1_000_000)
    with pytest.raises(Problem, match="first revision"):
        undo(editor.member, timeline, 1)
    for attempt in (lambda: save_edit(viewer.member, timeline, edited, 1), lambda: undo(viewer.member, timeline, 1)):
        with pytest.raises(Forbidden):
            attempt()
    timeline.archived_at = timeline.revisions.get().created_at
    with pytest.raises(Problem, match="archived"):
        save_edit(editor.member, timeline, edited, 1)


def test_new_entries_are_checked_as_typed_ones():
    edited = edits.added(target(rush()), 3_000_000, "add", [pod("Bad Name")])
    with pytest.raises(Problem, match=r"entries\[3\]\.object: .*metadata\.name"):
        check_new(edited)
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 5}
    again = edits.added(target(rush()), 0, "add", [high])
    check_new(again)
    with pytest.raises(Problem, match=r"entries\[0\]\.object: PriorityClass"):
        check_new(again, [high])


def test_names_of_copies_are_checked():
    edited = edits.repeated(target(rush(), end=2_000_000), Repetition(1, 0, "Bad #"))
    with pytest.raises(Problem, match=r"entries\[1\]\.object: .*name"):
        check_new_names(edited)
    check_new_names(edits.repeated(target(rush()), Repetition(3, 0, "{name}-#")))
