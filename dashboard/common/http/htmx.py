"""One view, two answers: the page, or only its part when htmx asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest


def is_htmx(request: HttpRequest) -> bool:
    """Return whether htmx sent the request, for a part of the page or for a whole one."""
    return request.headers.get("HX-Request") == "true"


def wants_part(request: HttpRequest) -> bool:
    """Return whether htmx asks for a part. Restored history needs the whole page, and so does a boosted link, unless an
    element with an id is its target, as the part of a page is."""
    headers = request.headers
    is_whole = headers.get("HX-Boosted") == "true" and not headers.get("HX-Target")
    return is_htmx(request) and not is_whole and headers.get("HX-History-Restore-Request") != "true"


def framed(request: HttpRequest) -> dict[str, str]:
    """Return the `frame` that a page extends where htmx asks for its part alone, else nothing.

    The page's block `part` is then all of the answer.
    """
    return {"frame": "common/part.html"} if wants_part(request) else {}


def render_page(request: HttpRequest, page: str, context: Mapping[str, Any], status: int = 200) -> HttpResponse:
    """Return the page of this template, or its part when htmx asks; caches keep the two apart by Vary."""
    response = render(request, page, {**context, **framed(request)}, status=status)
    patch_vary_headers(response, ["HX-Request", "HX-Boosted", "HX-Target", "HX-History-Restore-Request"])
    return response


def go(request: HttpRequest, to: str, **kwargs: Any) -> HttpResponse:
    """Return a redirect that works for forms and, by HX-Redirect, for htmx; `to` is a URL name, path or object."""
    response = redirect(to, **kwargs)
    if not is_htmx(request):
        return response
    answer = HttpResponse(status=204)
    answer["HX-Redirect"] = response["Location"]
    return answer
