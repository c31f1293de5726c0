"""Threads on a change from all of its reviews, and what it says there now."""

from __future__ import annotations

from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import Edit, put_in
from dashboard.review import actions
from dashboard.review.deciding.subjects import subject_in
from dashboard.review.on_changes.actions import comment_on_change
from dashboard.review.on_changes.threads_there import as_shown, reviews_about, threads_about
from dashboard.review.pins.fields import FieldPin, says
from tests.dashboard.review.on_changes.test_actions import NODE, PIN, shown
from tests.dashboard.run_helpers import node

__all__ = ["shown"]


def test_threads_of_all_reviews_of_a_draft_stand_beside_it_the_open_ones_first(editor, reviewer, draft, shown):
    first = comment_on_change(editor.member, shown(), PIN, "32?")
    edits = [Edit(key, node("node-0", "64"), one.address) for key, one in OpenedDraft(draft).objects([NODE]).items()]
    put_in(editor.user, draft, "Grow", edits)
    second = comment_on_change(editor.member, shown(), PIN, "64?")
    member, subject = editor.member, shown()
    assert list(threads_about(member, subject)) == [first, second]
    assert [one.number for one in reviews_about(member, subject)] == [2, 1]
    now = says(member, as_shown(member, subject), PIN)
    assert (now == second.fact, now == first.fact) == (True, False)
    assert says(member, as_shown(member, subject), FieldPin("object:none")) == ""
    actions.resolve(editor.member, first)
    assert list(threads_about(member, subject)) == [second, first]


def test_another_difference_has_threads_of_its_own(editor, draft, shown):
    comment_on_change(editor.member, shown(), PIN, "32?")
    other = subject_in(editor.member, {"cluster": "drafted", "revision": "1", "base": "0"})
    assert not threads_about(editor.member, other)
