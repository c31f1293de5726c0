"""The page about devices, of a cluster and of a run at a cursor, and the same as a table in text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpResponse
from django.urls import reverse

from dashboard.accounts.access import Access, workspace_view
from dashboard.answers.outcomes import Answer
from dashboard.answers.panel import OutcomePanel
from dashboard.answers.questions import DevicesAt, DevicesOf
from dashboard.clusters.revisions.page_context import NAME_LIMIT, read_page_context
from dashboard.common.http.htmx import render_page
from dashboard.common.http.params import choice_param, text_param
from dashboard.common.problems import Problem
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.state_views import run_bar
from dashboard.devices.asking import ask_of_cluster, ask_of_run
from dashboard.devices.panel import DevicesPanel
from dashboard.devices.side import DevicesPlace
from dashboard.runs import chosen
from dashboard.runs.actions import find_run
from scheduler_core.explain.devices import DeviceChoice
from scheduler_core.explain.devices.table import device_table, square_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

    from dashboard.answers.outcomes import Outcome
    from dashboard.clusters.revisions.page_context import PageContext
    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.runs.models import Run

LISTS = ("claims", "classes", "slices")


def choice_in(query: Mapping[str, str]) -> DeviceChoice:
    """Return what an address chooses."""
    names = {name: text_param(query, name, NAME_LIMIT) for name in ("driver", "claim", "node", "fits", "q")}
    return DeviceChoice(**names, list=choice_param(query, "list", LISTS, "claims"))  # type: ignore[arg-type]


# ---------------------------------------------------------------- of a cluster


@workspace_view()
def of_cluster(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the devices of a revision or draft, with the claims for them."""
    here = read_page_context(access, cluster, request.GET)
    outcome, more = _asked_of_cluster(here, request.GET)
    panel = DevicesPanel(outcome, _place_of_cluster(here), choice_in(request.GET), more)
    configuration = chosen.of_cluster(here.cluster)
    context = {"panel": panel, "followed": configuration.followed_text(here.revision)}
    return render_page(request, "devices/cluster.html", here.context("devices", **context))


@workspace_view()
def table_of_cluster(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return what the page shows as text, columns by tabs."""
    here = read_page_context(access, cluster, request.GET)
    return _table(_asked_of_cluster(here, request.GET)[0])


def _asked_of_cluster(here: PageContext, query: Mapping[str, str]) -> tuple[Outcome, dict[str, str]]:
    configuration = chosen.of_cluster(here.cluster)
    draft = {"draft": here.draft.pk, "version": here.draft.version} if here.draft else {}
    question = DevicesOf(choice_in(query), config=configuration.name, **draft)  # type: ignore[arg-type]
    return ask_of_cluster(here.revision, question, query)


def _place_of_cluster(here: PageContext) -> DevicesPlace:
    arguments = [here.access.workspace.slug, here.cluster.slug]
    draft = {"draft": str(here.draft.pk)} if here.draft else {}
    revision = {} if here.is_newest else {"r": str(here.revision.number)}
    return DevicesPlace(
        reverse("devices:page", args=arguments), reverse("devices:table", args=arguments), {**draft, **revision}
    )


# ---------------------------------------------------------------- of a run


@workspace_view()
def of_run(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the devices of a run as they are at a cursor, the head where the address names none."""
    run = find_run(access.workspace, number)
    cursor = cursor_or_head(run, access.workspace.slug, request.GET)
    outcome, more = ask_of_run(run, DevicesAt(choice_in(request.GET), cursor.seq), request.GET)
    arguments = [access.workspace.slug, number]
    moment = {name: request.GET[name] for name in ("seq", "cycle") if name in request.GET}
    place = DevicesPlace(
        reverse("devices:run", args=arguments), reverse("devices:run_table", args=arguments), moment, run
    )
    panel = DevicesPanel(outcome, place, choice_in(request.GET), more, cursor)
    context: dict[str, Any] = {"run": run, "cursor": cursor, "view": cursor.view, "panel": panel, **run_bar(run)}
    return render_page(
        request, "devices/run.html", {**context, "tab": "devices", "tab_seq": cursor.seq if moment else None}
    )


@workspace_view()
def table_of_run(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return what the page shows as text, columns by tabs."""
    run = find_run(access.workspace, number)
    cursor = cursor_or_head(run, access.workspace.slug, request.GET)
    return _table(ask_of_run(run, DevicesAt(choice_in(request.GET), cursor.seq), request.GET)[0])


def cursor_or_head(run: Run, slug: str, query: Mapping[str, str]) -> Cursor:
    """Return the cursor that an address names, the head of the run where it names none."""
    cursor = cursor_of(run, slug, query)
    return cursor_of(run, slug, {"seq": str(run.head.seq)}) if cursor.is_plain else cursor


def _table(outcome: Outcome) -> HttpResponse:
    if not isinstance(outcome, Answer):
        raise Problem(f"{OutcomePanel(outcome).text}. Try again in a moment.", title="The table is not there yet")
    page = outcome.value
    table = device_table(list(page.cards), page.row_attribute) if page.squares is None else square_table(page.squares)
    return HttpResponse(table, content_type="text/plain; charset=utf-8")
