"""Who may keep answers: nobody, except parts with an ETag, which a browser keeps and asks about each time.

Everything behind the sign-in is somebody's own, and after signing out the Back button must not bring it up again.
Static files are answered before this middleware and say for themselves how long they may be kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

KEPT_BY_NOBODY = "private, no-store"
ASKED_ABOUT = "private, no-cache"


class PrivateAnswersMiddleware:
    """Adds Cache-Control to answers that do not have it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not response.has_header("Cache-Control"):
            response.headers["Cache-Control"] = ASKED_ABOUT if response.has_header("ETag") else KEPT_BY_NOBODY
        return response
