"""Addresses that come from outside (a form's `next` and `back`, the page that htmx names): which may be gone to.

`redirect` of Django takes a text first for the name of a view, and raises where a text without a slash names none. So
no address of a form or a header goes there before `own_address` has looked at it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from django.utils.http import url_has_allowed_host_and_scheme

if TYPE_CHECKING:
    from django.http import HttpRequest

# Django refuses to redirect to longer ones.
LONGEST_ADDRESS = 2_000
_BEGINNINGS = ("/", "http://", "https://")
# Browsers take what follows for a host, also where there is nothing, which Django allows.
_OTHER_HOST = ("//", "/\\")
_NOWHERE = SplitResult("", "", "", "", "")


def own_address(request: HttpRequest, address: str, otherwise: str, below: str = "") -> str:
    """Return the address if it is whole and one of this site, below the path `below`; `otherwise` if it is not.

    Whole is a path from the root on, or one with scheme and host: "foo" and "?page=2" depend on the page they stand on.
    """
    is_own = (
        len(address) <= LONGEST_ADDRESS
        and address.startswith(below or _BEGINNINGS)
        and not address.startswith(_OTHER_HOST)
        and url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    )
    return address if is_own else otherwise


def current_page(request: HttpRequest) -> SplitResult:
    """Return the address of the page that htmx asks from, in parts, which are empty where it names none."""
    return split_address(request.headers.get("HX-Current-URL", ""))


def split_address(address: str) -> SplitResult:
    """Return the parts of an address from outside, empty ones where it cannot be read."""
    try:
        return urlsplit(address)
    except ValueError:
        return _NOWHERE
