"""What the frame of every page knows of reviews."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dashboard.review.queries import count_waiting

if TYPE_CHECKING:
    from django.http import HttpRequest

INBOX_LIMIT = 100


def inbox(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `inbox`, a function for templates with the frame: how many reviews wait for the reader."""
    member = getattr(request, "member", None)
    if member is None:
        return {}
    return {"inbox": partial(count_waiting, member, INBOX_LIMIT)}
