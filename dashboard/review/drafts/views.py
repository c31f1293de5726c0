"""What forms of one's drafts send: other words for one, or that it is thrown away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import redirect

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.common.http.htmx import is_htmx
from dashboard.review.drafts import actions
from dashboard.review.drafts.queries import find_draft
from dashboard.review.feed import threads_changed
from dashboard.review.place import ReviewPlace

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.review.models import CommentDraft


@workspace_view(Role.REVIEWER, WRITE, doing="comment")
def edit(request: HttpRequest, access: Access, draft_id: int) -> HttpResponse:
    """Change the words of one's draft."""
    draft = find_draft(access.member, draft_id)
    actions.edit_draft(access.member, draft, request.POST.get("text", ""))
    return _back(request, access, draft)


@workspace_view(Role.REVIEWER, WRITE, doing="comment")
def discard(request: HttpRequest, access: Access, draft_id: int) -> HttpResponse:
    """Throw one's draft away."""
    draft = find_draft(access.member, draft_id)
    actions.discard_draft(access.member, draft)
    return _back(request, access, draft)


def _back(request: HttpRequest, access: Access, draft: CommentDraft) -> HttpResponse:
    of = draft.run or draft.review
    assert of is not None
    return threads_changed() if is_htmx(request) else redirect(ReviewPlace(access.workspace.slug, of).page)
