"""Pages that browsers fetch ahead, when somebody points at a link, and what such a request may not do.

The header Speculation-Rules names the rules (`rules`), by which browsers that know them fetch runs, clusters and
reviews once the pointer rests on a link; others ignore it. Nobody may ever read what was fetched so. A request with
`Sec-Purpose: prefetch` therefore writes nothing, and asks no answer worker: what would is answered by 503, which
browsers throw away, and the page is fetched when the link is followed. Its answer sets no cookie, so a message waits
for the page that shows it.
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from django.db import connection
from django.http import HttpResponse, JsonResponse

from dashboard.common.http.htmx import is_htmx

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

ADDRESS = "speculation-rules.json"
ROOMS = ("runs", "clusters", "reviews")
RULES = {
    "prefetch": [
        {
            "where": {
                "and": [
                    {"href_matches": [f"/w/:workspace/{room}/{rest}" for room in ROOMS for rest in ("", ":one/")]},
                    {"not": {"selector_matches": "[download], [hx-get], [data-seek], [target=_blank]"}},
                ]
            },
            "eagerness": "moderate",
        }
    ]
}
# Browsers look at all links of a page again after each change of it, and the pages of a run change with every step.
_OF_A_RUN = re.compile(r"/w/[^/]+/(runs|compare)/.")
_WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE", "COPY")
_is_prefetch: ContextVar[bool] = ContextVar("is_prefetch", default=False)


class PrefetchRefused(Exception):
    """A page that is fetched ahead would write or ask somebody."""


def refuse_prefetch() -> None:
    """Raise PrefetchRefused where the page at hand is fetched ahead."""
    if _is_prefetch.get():
        raise PrefetchRefused


def rules(_request: HttpRequest) -> HttpResponse:
    """Return the rules, which are the same for everybody."""
    response = JsonResponse(RULES, content_type="application/speculationrules+json")
    response["Cache-Control"] = "public, max-age=86400"
    return response


class PrefetchMiddleware:
    """Names the rules on pages, and holds requests that fetch ahead to reading."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if "prefetch" not in request.headers.get("Sec-Purpose", ""):
            response = self.get_response(request)
            is_page = response.get("Content-Type", "").startswith("text/html") and not is_htmx(request)
            if is_page and not _OF_A_RUN.match(request.path):
                response["Speculation-Rules"] = f'"/{ADDRESS}"'
            return response
        token = _is_prefetch.set(True)
        try:
            with connection.execute_wrapper(_refuse_writes):
                response = self.get_response(request)
        finally:
            _is_prefetch.reset(token)
        response.cookies.clear()
        return response

    def process_exception(self, _request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return the answer for what a prefetch may not do."""
        return HttpResponse(status=503) if isinstance(error, PrefetchRefused) else None


def _refuse_writes(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    if sql.lstrip("( \n").upper().startswith(_WRITES):
        refuse_prefetch()
    return execute(sql, params, many, context)
