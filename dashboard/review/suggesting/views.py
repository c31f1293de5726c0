"""The effect of a suggested branch, as the part of its comment that is fetched when somebody sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.http.params import int_param
from dashboard.common.problems import NotFound
from dashboard.review.findings.asked import MOST_TURNS
from dashboard.review.queries import find_comment
from dashboard.review.suggesting.effect import effect_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@workspace_view()
def effect(request: HttpRequest, access: Access, comment_id: int) -> HttpResponse:
    """Return what the branch of a comment would change; one that still computes asks again with the next ?turn=."""
    comment = find_comment(access.workspace, comment_id)
    branch = comment.suggested
    if branch is None:
        raise NotFound("This comment suggests no branch, or it has been deleted.")
    turn = int_param(request.GET, "turn", default=0, low=0, high=MOST_TURNS)
    return render(
        request, "review/_effect.html", {"comment": comment, "effect": effect_of(access.member, branch, turn)}
    )
