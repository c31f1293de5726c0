"""Who may keep answers: nobody, except parts with an ETag, which a browser keeps and asks about each time.

Everything behind the sign-in is somebody's own, and after signing out the Back button must not bring it up again.
Static files are answered before this middleware and say for themselves how long they may be kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.cache import get_conditional_response, patch_vary_headers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from django.http import HttpRequest, HttpResponse
    from django.http.response import HttpResponseBase

ASKED_ABOUT_EACH_TIME = "private, max-age=0, must-revalidate"
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


def answer_once(
    request: HttpRequest, etag: str, make: Callable[[], HttpResponse], vary: Sequence[str] = ()
) -> HttpResponse:
    """Return 304 where the browser has the answer with this ETag, otherwise the answer that `make` gives.

    If-None-Match may name several tags, weak ones (a proxy that compresses makes them so) and `*`, as RFC 9110 says.
    `vary` are the headers beside Cookie that the answer depends on.
    """
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = make()
    response["ETag"] = etag
    response["Cache-Control"] = ASKED_ABOUT_EACH_TIME
    patch_vary_headers(response, ["Cookie", *vary])
    return response
