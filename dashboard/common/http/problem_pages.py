"""Answers that show a problem: a page or, to htmx, the words of a toast; and the handlers of Django's own errors.

A database that does not answer and a full disk have words of their own.
"""

from __future__ import annotations

import logging
import secrets
import sys
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import DatabaseError
from django.http import HttpResponse
from django.template.loader import render_to_string

from dashboard.common.database.storage_problems import storage_problem
from dashboard.common.http.context import chosen_look
from dashboard.common.http.htmx import go, is_htmx
from dashboard.common.problems import Forbidden, NotFound, Problem, Repeated, TooLarge

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest

log = logging.getLogger(__name__)

HEADER_LIMIT = 600


def problem_response(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Return the page of a problem, or for htmx a short fragment with the words in the X-Problem header.

    A reader who is signed in keeps the bars of the pages around it, where the failure is not ours.
    """
    response = HttpResponse(_page(request, problem), status=problem.status)
    response["X-Problem"] = quote(problem.detail[:HEADER_LIMIT])
    return response


def _page(request: HttpRequest, problem: Problem) -> str:
    if is_htmx(request):
        return render_to_string("common/_problem.html", {"problem": problem})
    return _framed(request, problem) or _bare(request, problem)


def _framed(request: HttpRequest, problem: Problem) -> str:
    """Return the page inside of its workspace's bars; "" where these cannot be had."""
    user = getattr(request, "user", None)
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR or user is None or not user.is_authenticated:
        return ""
    try:
        return render_to_string("common/problem_framed.html", {"problem": problem}, request)
    except DatabaseError:
        log.warning("the bars of the page about %r could not be built", problem.title, exc_info=True)
        return ""


def _bare(request: HttpRequest, problem: Problem) -> str:
    return render_to_string("common/problem.html", {"problem": problem, "look": chosen_look(request)})


class ProblemMiddleware:
    """Turns a Problem or Repeated that a view raised into its response; everything else goes on to Django."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Return the page of a Problem; for a form sent twice, a redirect to what it made at first; else None."""
        if isinstance(exception, Repeated):
            return go(request, exception.location)
        return problem_response(request, exception) if isinstance(exception, Problem) else None


def page_400(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Return the page for a request that Django itself refused: 413 where it was too large."""
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
        limit = f"{settings.DATA_UPLOAD_MAX_NUMBER_FILES:,}"
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
    error = sys.exc_info()[1]
    if problem := storage_problem(error):
        log.error("%s while building %s: %s", problem.title.lower(), request.path, error)
        return problem_response(request, problem)
    number = f"e-{secrets.token_hex(3)}"
    log.error("error %s while building %s", number, request.path, exc_info=True)
    detail = f"Runs go on and nothing that was saved is lost. The log has this failure under the number {number}."
    return problem_response(request, Problem(detail, title="The page could not be built", status=500))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return the page for a form without a valid CSRF token; `reason` goes to the log only."""
    log.warning("CSRF check failed on %s: %s", request.path, reason)
    detail = "The page was open for long, or cookies are off. Load it again and send the form once more."
    return problem_response(request, Forbidden(detail, title="The form has expired"))
