"""The page of a review: findings at the left, evidence in the middle, threads at the right; its parts, its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.http.htmx import wants_part
from dashboard.common.http.origins import site_address
from dashboard.common.http.params import int_param
from dashboard.review.deciding.record import as_markdown
from dashboard.review.findings.asked import MOST_TURNS
from dashboard.review.findings.viewing import finding_walk
from dashboard.review.page import ReviewPage
from dashboard.review.place import ReviewPlace, place_of

if TYPE_CHECKING:
    from django.http import HttpRequest

MARKDOWN = "text/markdown; charset=utf-8"
VARY = ("HX-Request", "HX-Target")
# {target of htmx: the template that fills it}
THREADS = "review/_run_threads.html"
PARTS = {"evidence": "review/_chosen.html", "review-threads": THREADS}


@workspace_view()
def review(request: HttpRequest, access: Access, review: int) -> HttpResponse:
    """Return the review with this number; that of a run leads to the run's."""
    place = place_of(access, review=review)
    if place.page != request.path:
        query = request.GET.urlencode()
        return redirect(f"{place.page}?{query}" if query else place.page)
    return _page(request, access, place)


@workspace_view()
def run_review(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the review of a run, whether somebody asked for it or not."""
    return _page(request, access, place_of(access, number))


def _page(request: HttpRequest, access: Access, place: ReviewPlace) -> HttpResponse:
    """The whole page, or to htmx the chosen evidence or the threads. ?finding= or ?thread= is chosen."""
    page = ReviewPage(request, access, place)
    template = "review/run.html"
    if wants_part(request):
        template = PARTS.get(request.headers.get("HX-Target", ""), THREADS)
    response = render(request, template, page.context(is_part=template in PARTS.values(), has_all=template != THREADS))
    patch_vary_headers(response, VARY)
    return response


@workspace_view()
def parts(request: HttpRequest, access: Access, number: int | None = None, review: int | None = None) -> HttpResponse:
    """Return all that others can change on an open page, without its findings, evidence and threads."""
    page = ReviewPage(request, access, place_of(access, number, review))
    return render(request, "review/_parts.html", page.around())


@workspace_view()
def findings(
    request: HttpRequest, access: Access, number: int | None = None, review: int | None = None
) -> HttpResponse:
    """Return the list of findings; one that still computes asks for it again with the next ?turn=."""
    place = place_of(access, number, review)
    turn = int_param(request.GET, "turn", default=0, low=0, high=MOST_TURNS)
    context = {
        "urls": place.urls,
        "walk": finding_walk(access.member, place.of, turn),
        "chosen": request.GET.get("finding", ""),
    }
    return render(request, "review/_findings.html", context)


@workspace_view()
def record_file(
    request: HttpRequest, access: Access, number: int | None = None, review: int | None = None
) -> HttpResponse:
    """Return the record of a review as a Markdown file."""
    place = place_of(access, number, review)
    text = as_markdown(access.member, place.of, site_address(request))
    response = HttpResponse(text, content_type=MARKDOWN)
    name = f"review-of-run-{number}" if number is not None else f"review-{review}"
    response["Content-Disposition"] = f'attachment; filename="{name}.md"'
    return response
