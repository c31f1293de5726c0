"""What the frame of every page knows of reviews."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.functional import SimpleLazyObject

from dashboard.review.queries import waiting_for

if TYPE_CHECKING:
    from django.http import HttpRequest

INBOX_LIMIT = 100


def inbox(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `inbox`, the reviews that wait for the reader; asked for by templates with the frame only."""
    member = getattr(request, "member", None)
    if member is None:
        return {}
    return {"inbox": SimpleLazyObject(lambda: waiting_for(member, INBOX_LIMIT))}
