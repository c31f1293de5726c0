"""Messages that offer to undo what they tell of: a form that posts to an address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages

if TYPE_CHECKING:
    from django.http import HttpRequest

UNDO = "undo:"


def tell_with_undo(request: HttpRequest, text: str, url: str) -> None:
    """Leave a message for the next page; its button Undo posts to `url`, an address of ours without blanks."""
    messages.success(request, text, extra_tags=f"{UNDO}{url}")


def undo_url(tags: str | None) -> str:
    """Return the address that a message's extra tags hold, "" where it cannot be undone."""
    return tags.removeprefix(UNDO) if tags and tags.startswith(UNDO) else ""
