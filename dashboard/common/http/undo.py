"""Messages that offer more: to undo what they tell of, by a form that posts to an address, or a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages

if TYPE_CHECKING:
    from django.http import HttpRequest

UNDO = "undo:"
LINK = "open:"


def tell_with_undo(request: HttpRequest, text: str, url: str) -> None:
    """Leave a message for the next page; its button Undo posts to `url`, an address of ours without blanks."""
    messages.success(request, text, extra_tags=f"{UNDO}{url}")


def undo_url(tags: str | None) -> str:
    """Return the address that a message's extra tags hold, "" where it cannot be undone."""
    return tags.removeprefix(UNDO) if tags and tags.startswith(UNDO) else ""


def tell_with_link(request: HttpRequest, text: str, url: str, label: str) -> None:
    """Leave a message for the next page with a link to `url`, an address of ours without blanks."""
    messages.success(request, text, extra_tags=f"{LINK}{url} {label}")


def message_link(tags: str | None) -> tuple[str, str]:
    """Return address and label of the link that a message's extra tags hold, "" and "" where they hold none."""
    if not tags or not tags.startswith(LINK):
        return "", ""
    url, _, label = tags.removeprefix(LINK).partition(" ")
    return url, label
