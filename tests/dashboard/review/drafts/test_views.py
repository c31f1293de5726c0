"""Drafts over HTTP: kept by the second button of each form, shown to their author alone, submitted with the verdict."""

from __future__ import annotations

from dashboard.review.models import Comment, CommentDraft
from tests.dashboard.review.pages import page

REVIEW = "/w/team/runs/1/review/"


def test_a_draft_is_kept_shown_edited_and_submitted(reviewer, owner, run, thread):
    new = {"cycle": "3", "text": "<b>Here</b> too", "keep": "draft"}
    assert reviewer.post(f"{REVIEW}threads/new", new).status_code == 302
    answer = reviewer.post(
        f"/w/team/threads/{thread.pk}/reply", {"text": "my answer", "keep": "draft"}, headers={"HX-Request": "true"}
    )
    assert (answer.status_code, answer["HX-Trigger"]) == (204, "threads-changed")
    mine = page(reviewer, REVIEW)
    assert "2 drafts of" in mine
    assert "2 drafts of" in page(reviewer, f"{REVIEW}parts")
    assert "&lt;b&gt;Here&lt;/b&gt; too" in mine
    assert "cycle 3, default/pod-3" in mine
    assert "Here" in page(reviewer, "/w/team/runs/1/cycles/3/threads/")
    assert "Here" not in page(reviewer, "/w/team/runs/1/cycles/1/threads/")
    others = page(owner, REVIEW)
    assert "Here" not in others
    assert "my answer" not in others

    draft = CommentDraft.objects.first()
    assert reviewer.post(f"/w/team/comment-drafts/{draft.pk}/edit", {"text": "There"}).status_code == 302
    assert owner.post(f"/w/team/comment-drafts/{draft.pk}/edit", {"text": "no"}).status_code == 404
    assert owner.post(f"/w/team/comment-drafts/{draft.pk}/discard").status_code == 404
    assert reviewer.post(f"{REVIEW}verdict", {"kind": "comment", "text": ""}).status_code == 302
    texts = Comment.objects.order_by("pk").values_list("text", flat=True)
    assert list(texts) == ["Why `node-1`?", "There", "my answer"]
    assert "There" in page(owner, REVIEW)


def test_a_draft_is_discarded(reviewer, run):
    reviewer.post(f"{REVIEW}threads/new", {"cycle": "3", "text": "x", "keep": "draft"})
    draft = CommentDraft.objects.get()
    assert reviewer.post(f"/w/team/comment-drafts/{draft.pk}/discard").status_code == 302
    assert not CommentDraft.objects.exists()
