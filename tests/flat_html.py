"""Pages as tests read them: one layout whatever the templates' line breaks, so that a test asserts on markup alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

_TAG = re.compile(r"""<[a-zA-Z](?:"[^"]*"|'[^']*'|[^'">])*>""")
_AS_WRITTEN = re.compile(r"(<textarea\b.*?</textarea>|<pre\b.*?</pre>|<script\b.*?</script>)", re.DOTALL)
# One space between attributes: most tags.
_IN_LINE = re.compile(r"""<[^\s"'>]+(?: (?:[^\s"'>]|"[^"]*"|'[^']*')+)*(?<![ /])>""")
_QUOTED = re.compile(r"""("[^"]*"|'[^']*')""")


def flat_html(html: str) -> str:
    """Return the HTML with one space between attributes, and without the white space that only lays a template out.

    White space with a line break goes between two tags and at the ends of an element's text; elsewhere it becomes one
    space: '<p\\n  id="a"\\n>\\n  1\\n  pod\\n</p>' is '<p id="a">1 pod</p>'. Text areas stay as they are.
    """
    # Every second part is such text.
    parts = _AS_WRITTEN.split(html)
    parts[::2] = [_flat(part) for part in parts[::2]]
    parts[1::2] = [_TAG.sub(lambda tag: _flat_tag(tag[0]), part, count=1) for part in parts[1::2]]
    return "".join(parts)


def _flat(html: str) -> str:
    html = _TAG.sub(lambda tag: _flat_tag(tag[0]), html)
    html = re.sub(r">\s*\n\s*<", "><", html)
    html = re.sub(r"(<[a-zA-Z][^<>]*>)\s*\n\s*", r"\1", html)
    html = re.sub(r"\s*\n\s*(</)", r"\1", html)
    return re.sub(r"\s*\n\s*", " ", html)


def _flat_tag(tag: str) -> str:
    if _IN_LINE.fullmatch(tag):
        return tag
    parts = _QUOTED.split(tag)
    # Every second part is a quoted value, which stays as it is.
    parts[::2] = [re.sub(r"\s+", " ", part) for part in parts[::2]]
    return re.sub(r" (/?>)$", r"\1", "".join(parts))


class FlatHtmlMiddleware:
    """Lays out the pages that the test client reads; a browser gets them as they are."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the answer, laid out where it is a page."""
        response = self.get_response(request)
        is_page = response.headers.get("Content-Type", "").startswith("text/html") and not response.streaming
        if is_page and not response.has_header("Content-Encoding") and request.META.get("SERVER_NAME") == "testserver":
            response.content = flat_html(response.content.decode()).encode()
            if "Content-Length" in response.headers:
                response.headers["Content-Length"] = str(len(response.content))
        return response
