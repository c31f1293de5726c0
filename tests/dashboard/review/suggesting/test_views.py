"""A suggested branch over HTTP: named by a comment's form, its effect a part of the thread."""

from __future__ import annotations

from dashboard.review.models import Comment
from dashboard.runs import execution
from dashboard.runs.branches.actions import Branching, branch_run
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.review.pages import page
from tests.dashboard.run_helpers import node

ROOM = {"action": "put", "object": node("room", "128")}


def test_a_suggestion_is_made_seen_and_taken(execute, editor, reviewer, viewer):
    origin = execute(scene(), schedule="pending")
    branch = branch_run(editor.member, origin, Branching(0, [ROOM]))
    while execution.work():
        pass
    review = f"/w/team/runs/{origin.number}/review/"
    form = page(reviewer, f"{review}?suggest={branch.number}")
    assert f'value="{branch.number}" selected' in " ".join(form.split())
    assert f"{review}?suggest={branch.number}" in page(reviewer, f"/w/team/runs/{branch.number}/?cycle=1")
    sent = {"cycle": "1", "text": "So it fits", "suggest": str(branch.number)}
    assert reviewer.post(f"{review}threads/new", sent).status_code == 302
    comment = Comment.objects.get()
    assert comment.suggested_number == branch.number
    assert f"/comments/{comment.pk}/effect/" in page(viewer, review)
    assert f"Suggests the branch run {branch.number}." in page(viewer, f"{review}record.md")
    for _ in range(50):
        effect = page(viewer, f"/w/team/comments/{comment.pk}/effect/")
        if "Newly placed" in effect:
            break
    assert "Newly placed" in effect
    assert "Node room put" in effect
    assert f'data-topic="branch:{branch.pk}"' in effect
    assert "/keep/" not in effect
    assert f"/runs/{branch.number}/keep/" in page(editor, f"/w/team/comments/{comment.pk}/effect/")
    refused = reviewer.post(f"{review}threads/new", {"cycle": "1", "text": "x", "suggest": str(origin.number)})
    assert refused.status_code == 400
    assert reviewer.post(f"{review}threads/new", {"cycle": "1", "text": "x", "suggest": "99"}).status_code == 404


def test_a_comment_without_a_branch_has_no_effect(viewer, thread):
    assert viewer.get(f"/w/team/comments/{thread.comments.get().pk}/effect/").status_code == 404
