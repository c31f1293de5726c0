"""The page "Capacity" of a cluster, one of its tiles, and the answer that is shown as a table in text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from dashboard.accounts.access import Access, workspace_view
from dashboard.capacity.asking import ask, question_of
from dashboard.capacity.choice import QUESTIONS, CapacityChoice, CapacityPlace
from dashboard.capacity.panel import AskedQuestion, CapacityPanel
from dashboard.capacity.text_table import text_table
from dashboard.clusters.revisions.page_context import read_page_context
from dashboard.common.http.htmx import render_page
from dashboard.common.problems import Problem
from dashboard.runs import chosen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

    from dashboard.clusters.revisions.page_context import PageContext


@workspace_view()
def page(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the answer to one of the questions, with the first line of the others."""
    here = read_page_context(access, cluster, request.GET)
    choice = CapacityChoice.read(request.GET)
    shown = _asked(here, choice, request.GET)
    tiles = [shown if show == choice.show else _asked(here, choice.but(show=show), {}, 0.0) for show in QUESTIONS]
    followed = chosen.of_cluster(here.cluster).followed_text(here.revision)
    panel = CapacityPanel(shown, tiles)
    return render_page(request, "capacity/page.html", here.context("capacity", panel=panel, followed=followed))


@workspace_view()
def tile(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return one tile, which asks again by itself until its answer is there."""
    here = read_page_context(access, cluster, request.GET)
    one = _asked(here, CapacityChoice.read(request.GET), request.GET)
    return render(request, "capacity/_tile.html", {"question": one})


@workspace_view()
def table(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return what the page shows as text, columns by tabs."""
    here = read_page_context(access, cluster, request.GET)
    one = _asked(here, CapacityChoice.read(request.GET), request.GET)
    if one.page is None:
        raise Problem(f"{one.state.text}. Try again in a moment.", title="The table is not there yet")
    return HttpResponse(text_table(one.page), content_type="text/plain; charset=utf-8")


def _asked(here: PageContext, choice: CapacityChoice, query: Mapping[str, str], patience: float = 1.0) -> AskedQuestion:
    outcome, more = ask(here, question_of(here, choice), query, patience)
    path = reverse("capacity:page", args=[here.access.workspace.slug, here.cluster.slug])
    query = {"draft": str(here.draft.pk)} if here.draft else {}
    if not here.is_newest:
        query["r"] = str(here.revision.number)
    return AskedQuestion(choice, CapacityPlace(path, query), outcome, more)
