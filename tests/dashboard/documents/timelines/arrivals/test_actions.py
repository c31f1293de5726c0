"""Entries that an edit makes, checked, and the newest revision undone."""

from __future__ import annotations

import pytest

from dashboard.common.problems import Conflict, Forbidden, Problem
from dashboard.documents.actions import NewText
from dashboard.documents.timelines.actions import store_timeline
from dashboard.documents.timelines.arrivals import edits
from dashboard.documents.timelines.arrivals.actions import check_new, check_new_names, undo
from dashboard.documents.timelines.arrivals.edits import Repetition
from tests.dashboard.documents.timelines.arrivals.some_entries import pod, rush, stored, target


def saved_over(member, timeline, edited, base):
    return store_timeline(member, timeline, NewText("", "", base, edited.name), {"entries": edited.entries})


def test_undo_takes_back_the_newest_revision_and_says_so(editor):
    revision = stored(editor.member, rush())
    edited = edits.shifted(target(rush()), 1_000_000)
    saved = saved_over(editor.member, revision.timeline, edited, 1)
    back = undo(editor.member, revision.timeline, 2)
    assert (back.number, back.message, back.sha256) == (3, f"Undo: {edited.name}", revision.sha256)
    assert undo(editor.member, revision.timeline, 3).sha256 == saved.sha256


def test_what_cannot_be_undone_is_said(editor, viewer):
    timeline = stored(editor.member, rush()).timeline
    with pytest.raises(Problem, match="first revision"):
        undo(editor.member, timeline, 1)
    with pytest.raises(Forbidden):
        undo(viewer.member, timeline, 1)
    saved_over(editor.member, timeline, edits.shifted(target(rush()), 1_000_000), 1)
    with pytest.raises(Conflict, match="later revision"):
        undo(editor.member, timeline, 1)


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
