"""Problems that a person reads: raised anywhere below a view, shown as a page or, to htmx, as a toast's words.

The texts follow the house's rule: what is wrong, where, what to write; a failure adds what is safe.
"""

from __future__ import annotations

import logging
import secrets
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import Http404, HttpResponse
from django.template.loader import render_to_string

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest

log = logging.getLogger(__name__)

HEADER_LIMIT = 600


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


def problem_response(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Return the page of a problem, or for htmx a short fragment with the words in the X-Problem header."""
    part = request.headers.get("HX-Request") == "true"
    template = "common/_problem.html" if part else "common/problem.html"
    look = {"look": _look(request)}
    response = HttpResponse(render_to_string(template, {"problem": problem, **look}), status=problem.status)
    response["X-Problem"] = quote(problem.detail[:HEADER_LIMIT])
    return response


def _look(request: HttpRequest) -> dict[str, str]:
    from dashboard.common.pages.context import look_of

    return look_of(request)


class ProblemMiddleware:
    """Turns a Problem or Repeated that a view raised into its response; everything else goes on to Django."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Return the response of a Problem, the way to what a repeated form made, None for other exceptions."""
        if isinstance(exception, Repeated):
            from dashboard.common.http.htmx import go

            return go(request, exception.location)
        return problem_response(request, exception) if isinstance(exception, Problem) else None


def page_400(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Return the page for a request that Django itself refused: 413 where it was too large."""
    from dashboard.common.database.storage_problems import storage_problem

    if problem := storage_problem(exception):
        return problem_response(request, problem)
    if isinstance(exception, RequestDataTooBig | TooManyFieldsSent | TooManyFilesSent):
        return problem_response(request, TooLarge(_limit_words(exception)))
    return problem_response(
        request, Problem("The server could not make sense of what the browser sent.", title="Bad request")
    )


def _limit_words(exception: Exception) -> str:
    """Which of the limits on a form was passed, and what to do."""
    if isinstance(exception, TooManyFilesSent):
        limit = settings.DATA_UPLOAD_MAX_NUMBER_FILES
        return f"More than {limit} files were sent at once; the limit is {limit}. Send them in parts, or as one file."
    if isinstance(exception, TooManyFieldsSent):
        return f"The form has more than {settings.DATA_UPLOAD_MAX_NUMBER_FIELDS:,} fields. Choose fewer things at once."
    size = (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0) >> 20
    return f"The text in the form is larger than this installation takes ({size} MiB). Send it as a file."


def page_403(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Return the page for a refused request."""
    return problem_response(request, Forbidden(str(exception or "") or "You may not do this here."))


def page_404(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Return the page for an address that leads nowhere for this reader."""
    if isinstance(exception, NotFound):
        return problem_response(request, exception)
    return problem_response(
        request, NotFound("Nothing is here, or it is not shared with you. A link may be old or cut short.")
    )


def page_500(request: HttpRequest) -> HttpResponse:
    """Return the page for a failure of ours, with a number that stands in the log beside the traceback.

    A full disk or a database that is away has words of its own.
    """
    from dashboard.common.database.storage_problems import storage_problem

    error = sys.exc_info()[1]
    if problem := storage_problem(error):
        log.error("%s while building %s: %s", problem.title.lower(), request.path, error)
        return problem_response(request, problem)
    number = f"e-{secrets.token_hex(3)}"
    log.error("error %s while building %s", number, request.path, exc_info=True)
    words = f"Runs go on and nothing that was saved is lost. The log has this failure under the number {number}."
    return problem_response(request, Problem(words, title="The page could not be built", status=500))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return the page for a form without a valid CSRF token; `reason` goes to the log only."""
    log.warning("CSRF check failed on %s: %s", request.path, reason)
    words = "The page was open for long, or cookies are off. Load it again and send the form once more."
    return problem_response(request, Forbidden(words, title="The form has expired"))
