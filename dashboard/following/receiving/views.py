"""The address to which collectors send: a token instead of a session, JSON instead of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponseNotAllowed, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from dashboard.accounts.tokens.checking import TokenRefused, require_scope, token_of
from dashboard.common.problems import Problem, TooLarge
from dashboard.following.receiving import taking
from dashboard.following.receiving.checked_pieces import MOST_SENT
from dashboard.following.receiving.scopes import SCOPE
from dashboard.following.receiving.taking import Received

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@csrf_exempt  # a token in a header is sent by no browser of its own accord
def collect(request: HttpRequest, slug: str, cluster: str) -> HttpResponse:
    """Take a piece of a collection: 200 with the number that is expected next, else what is wrong."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        return _answer(_received(request, slug, cluster))
    except TokenRefused as problem:
        return _answer(Received(problem.status, {"error": problem.detail}, problem.retry_after))
    except Problem as problem:
        return _answer(Received(problem.status, {"error": problem.detail}))


def _received(request: HttpRequest, slug: str, cluster: str) -> Received:
    token = token_of(request, slug)
    require_scope(token, f"{SCOPE}:{cluster}")
    length = request.headers.get("Content-Length", "0")
    # Who says the length is refused before anything is read.
    data = b"" if length.isdecimal() and int(length) > MOST_SENT else request.read(MOST_SENT + 1)
    if not data or len(data) > MOST_SENT:
        if data or int(length if length.isdecimal() else 0) > MOST_SENT:
            raise TooLarge(f"A piece has at most {MOST_SENT >> 20} MiB as it is sent. Send less at a time.")
        raise Problem("The request has no body. Send a piece of a bundle, gzipped.")
    return taking.take(token, taking.find_cluster(token, cluster), data)


def _answer(received: Received) -> HttpResponse:
    response = JsonResponse(received.body, status=received.status)
    if received.retry_after:
        response["Retry-After"] = str(received.retry_after)
    if received.status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response
