"""What the forms of a member's own attention send: muting a review, its threads read or unread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.common.http.htmx import go
from dashboard.common.http.params import bool_param, optional_int
from dashboard.common.problems import Conflict
from dashboard.review.place import ReviewPlace, place_of
from dashboard.review.reading import attention

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.review.models import Review


@workspace_view(methods=WRITE)
def mute(request: HttpRequest, access: Access, number: int | None = None, review: int | None = None) -> HttpResponse:
    """Mute a review, or hear of it again: ?muted=."""
    place = place_of(access, number, review)
    attention.set_muted(access.member, _review_of(place), bool_param(request.POST, "muted"))
    return go(request, place.page)


@workspace_view(methods=WRITE)
def mark(request: HttpRequest, access: Access, number: int | None = None, review: int | None = None) -> HttpResponse:
    """Mark all threads as read, or one (?thread=, else that written in last) as unread, which leads to the list:
    on the page of the review it would be read again."""
    place = place_of(access, number, review)
    if bool_param(request.POST, "read"):
        attention.mark_all_read(access.member, _review_of(place))
        return go(request, place.page)
    attention.mark_unread(access.member, _review_of(place), optional_int(request.POST, "thread", low=1))
    return go(request, "review:list", slug=access.workspace.slug)


def _review_of(place: ReviewPlace) -> Review:
    review = place.review
    if review is None:
        raise Conflict("Nobody has commented on this run or asked for a review of it yet.")
    return review
