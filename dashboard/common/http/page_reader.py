"""Who reads which page in this request: answer workers take turns between people, and between the pages of one."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from dashboard.common.http.redirects import split_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest


@dataclass(frozen=True)
class PageReader:
    """The user's id, 0 for nobody in particular, and a short name of the page, "" for none."""

    user: int = 0
    page: str = ""


NOBODY = PageReader()
_reader: ContextVar[PageReader] = ContextVar("page_reader", default=NOBODY)


def page_reader() -> PageReader:
    """Return who reads, as the view that is running knows it."""
    return _reader.get()


@contextmanager
def reading(request: HttpRequest, user: int) -> Iterator[None]:
    """Within the block this user reads the page of the request."""
    token = _reader.set(PageReader(user, page_name(request)))
    try:
        yield
    finally:
        _reader.reset(token)


def page_name(request: HttpRequest) -> str:
    """Return a short name of the page that sent the request: all parts of one page at one address have the same."""
    address = _shown_address(request)
    parts = split_address(address or request.get_full_path())
    return sha256(f"{parts.path}?{parts.query}".encode()).hexdigest()[:16]


def _shown_address(request: HttpRequest) -> str:
    """The address of the page that fetches a part of it, by htmx or by itself; "" for a request for a whole page."""
    headers = request.headers
    if headers.get("HX-Boosted") == "true" or "text/html" in headers.get("Accept", ""):
        return ""
    return headers.get("HX-Current-URL") or headers.get("Referer", "")
