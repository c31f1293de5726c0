"""Problems that a person reads: raised anywhere below a view, shown as a page or, to htmx, as a toast's words.

The texts follow the house's rule: what is wrong, where, what to write; a failure adds what is safe.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.http import Http404


@dataclass(frozen=True)
class WayOut:
    """A link that a problem page offers."""

    url: str
    label: str


class Problem(Exception):
    """Something that the person in front of the page can understand; carries status, title, detail and a way out."""

    status = 400
    title = "This cannot be done"

    def __init__(
        self, detail: str, *, title: str | None = None, status: int | None = None, way_out: WayOut | None = None
    ):
        super().__init__(detail)
        self.detail = detail
        self.title = title or self.title
        self.status = status or self.status
        self.way_out = way_out


class BadQuery(Problem):
    """A part of the address or a field has a value that cannot be right."""

    title = "The address asks for something that cannot be"


class NotFound(Problem, Http404):
    """The thing does not exist, or not for this reader. Also an Http404, so Django's own handling agrees."""

    status = 404
    title = "Not found"


class Forbidden(Problem, PermissionDenied):
    """The reader may see the place but not do this."""

    status = 403
    title = "Your role does not allow this"


class Conflict(Problem):
    """Somebody else was faster, or the state does not allow it any more."""

    status = 409
    title = "It has changed meanwhile"


class TooLarge(Problem):
    """More was sent than the limits allow."""

    status = 413
    title = "Too much to take in"


class Repeated(Exception):
    """A form was sent again that has made its thing; `location` is the address of that thing."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location
