"""Drafts: seen by their author alone, comments once they are submitted with a verdict, in one transaction with it."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.common.problems import Conflict, Forbidden, NotFound, Problem
from dashboard.review import actions, queries
from dashboard.review.deciding import verdicts
from dashboard.review.drafts import actions as drafting
from dashboard.review.drafts.queries import draft_lines, drafts_of, find_draft
from dashboard.review.findings.gathering import gathered
from dashboard.review.models import Comment, CommentDraft, Review, Thread, Verdict
from dashboard.review.pins.fields import FieldPin
from dashboard.review.pins.pin import Pin


@pytest.fixture
def drafts(reviewer, run, thread):
    """Ravi's three: a reply, a thread on a cycle, a thread on a finding."""
    finding = gathered(reviewer.member, run).findings[0]
    return [
        drafting.keep_reply(reviewer.member, thread, "And *this*, @asha?"),
        drafting.keep_thread(reviewer.member, run, Pin(3), "Here too"),
        drafting.keep_field_thread(reviewer.member, run, FieldPin(finding.key), "What of that?"),
    ]


def test_drafts_are_nobody_elses_and_no_trace_of_them_is_left(drafts, run, reviewer, owner, thread):
    assert Comment.objects.count() == 1
    assert list(drafts_of(owner.member, run)) == []
    assert [line.about for line in draft_lines(reviewer.member, run)] == [
        "",
        "cycle 3, default/pod-3",
        "a finding",
    ]
    with pytest.raises(NotFound):
        find_draft(owner.member, drafts[0].pk)
    assert not AuditEntry.objects.filter(action="review.replied").exists()
    assert queries.unread_mentions(owner.member) == {}


def test_a_draft_alone_makes_no_review(run, reviewer):
    drafting.keep_thread(reviewer.member, run, Pin(1), "Hm")
    assert not Review.everything.exists()


def test_a_verdict_takes_them_along(drafts, run, reviewer, owner, thread):
    verdict = drafting.submit(reviewer.member, run, "comment", "")
    assert (verdict.kind, verdict.text) == ("comment", "")
    assert not CommentDraft.objects.exists()
    assert list(thread.comments.values_list("text", flat=True)) == ["Why `node-1`?", "And *this*, @asha?"]
    texts = {one.kind: one.comments.get().text for one in Thread.objects.exclude(pk=thread.pk)}
    assert texts == {"cycle": "Here too", "field": "What of that?"}
    assert queries.unread_mentions(owner.member) == {thread.review_id: 1}


def test_a_record_holds_what_was_submitted_with_its_decision(drafts, run, reviewer):
    drafting.submit(reviewer.member, run, "approve", "")
    assert "Here too" in Review.objects.get().records.get().text


def test_what_is_refused_leaves_drafts_and_verdicts_as_they_were(drafts, run, reviewer, owner):
    Review.everything.update(is_asked=True)
    verdicts.close(owner.member, run, "overtaken")
    with pytest.raises(Conflict):
        drafting.submit(reviewer.member, run, "approve", "")
    assert CommentDraft.objects.count() == 3
    assert Comment.objects.count() == 1
    assert not Verdict.objects.exists()


def test_a_comment_without_words_needs_a_draft(run, reviewer):
    with pytest.raises(Problem, match="empty"):
        drafting.submit(reviewer.member, run, "comment", "")


def test_others_drafts_stay_where_they_are(drafts, run, editor):
    drafting.keep_thread(editor.member, run, Pin(2), "mine")
    drafting.submit(editor.member, run, "approve", "")
    assert CommentDraft.objects.count() == 3


def test_a_thread_that_is_full_refuses_the_whole(drafts, run, reviewer, thread, monkeypatch):
    monkeypatch.setattr(actions, "COMMENTS_PER_THREAD", 1)
    with pytest.raises(Conflict, match="1 comments"):
        drafting.submit(reviewer.member, run, "approve", "")
    assert CommentDraft.objects.count() == 3


def test_drafts_are_edited_and_discarded_and_bounded(drafts, run, reviewer, viewer, monkeypatch):
    assert drafting.edit_draft(reviewer.member, drafts[1], "Better").text == "Better"
    with pytest.raises(Problem, match="empty"):
        drafting.edit_draft(reviewer.member, drafts[1], " ")
    drafting.discard_draft(reviewer.member, drafts[0])
    assert CommentDraft.objects.count() == 2
    monkeypatch.setattr(drafting, "DRAFTS_OF_A_REVIEW", 2)
    with pytest.raises(Conflict, match="2 drafts"):
        drafting.keep_thread(reviewer.member, run, Pin(1), "One more")
    with pytest.raises(Forbidden):
        drafting.keep_thread(viewer.member, run, Pin(1), "x")


def test_a_draft_cannot_name_a_run_of_another_workspace(foreign_run, reviewer):
    with pytest.raises(NotFound):
        drafting.keep_thread(reviewer.member, foreign_run, Pin(1), "x")
