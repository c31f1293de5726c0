"""What the real scheduler did: the page, and the run from the beginning of a bundle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpResponse
from django.urls import reverse

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.agreement.page import choices
from dashboard.agreement.reality import actions, computing
from dashboard.agreement.reality.page import RealityPage, address
from dashboard.clusters.revisions.page_context import PageContext, read_page_context
from dashboard.common.http.htmx import go, render_page
from dashboard.common.http.params import optional_int, text_param
from dashboard.common.problems import NotFound
from dashboard.documents.configurations import presets
from dashboard.runs import chosen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

    from dashboard.agreement.models import CollectedBundle
    from dashboard.runs.chosen import ChosenConfiguration

PAGE = "agreement/reality/page.html"
DOING = "compare clusters here"


@workspace_view()
def page(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the page about ?bundle= or the newest one, by ?config= or the configuration that the bundle has."""
    here = read_page_context(access, cluster, {})
    bundle = _bundle(here, request.GET)
    if bundle is None:
        return render_page(request, PAGE, here.context("agreement", bundle=None, page_url=address(here)))
    configuration = _configuration(access, bundle, request.GET)
    result = computing.ask(bundle, configuration)
    figures = computing.read_figures(result)
    more: dict[str, Any] = {
        "bundle": bundle,
        "asked_bundle": _asked(request.GET),
        "result": result,
        "configuration": configuration,
        "configurations": choices(here, configuration, presets.available()),
        "again_url": request.get_full_path(),
        "page_url": address(here),
    }
    if figures is not None:
        run = actions.find_free_run(bundle, configuration)
        decisions = computing.read_decisions(result)
        more["shown"] = RealityPage(here, bundle, figures, decisions, run, request.GET.dict())
    return render_page(request, PAGE, here.context("agreement", **more))


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def run(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Find or start the run from the beginning, and lead to it."""
    here, bundle = _kept(access, cluster, request.POST)
    configuration = _configuration(access, bundle, request.POST)
    figures = computing.read_figures(computing.ask(bundle, configuration))
    seconds = 0.0 if figures is None else figures.ended - figures.began
    started = actions.find_or_start_free_run(access.member, bundle, configuration, seconds)
    return go(request, reverse("debugger:run", args=[here.access.workspace.slug, started.number]))


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def again(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Compare again, and lead to the page."""
    here, bundle = _kept(access, cluster, request.POST)
    computing.ask_again(bundle, _configuration(access, bundle, request.POST))
    asked = _asked(request.POST)
    return go(request, f"{address(here)}?bundle={asked}" if asked else address(here))


def _asked(query: Mapping[str, str]) -> int | None:
    return optional_int(query, "bundle", low=1, high=2**63 - 1)


def _bundle(here: PageContext, query: Mapping[str, str]) -> CollectedBundle | None:
    """The bundle that the query names, else the newest, None where none is kept; raises NotFound."""
    pk = _asked(query)
    bundle = computing.find_bundle(here.cluster, pk)
    if bundle is None and pk is not None:
        raise NotFound("This bundle is not kept any more. The newest ones of a cluster are.")
    return bundle


def _kept(access: Access, cluster: str, query: Mapping[str, str]) -> tuple[PageContext, CollectedBundle]:
    here = read_page_context(access, cluster, {})
    bundle = _bundle(here, query)
    if bundle is None:
        raise NotFound("No bundle is kept of this cluster. Import one that was collected.")
    return here, bundle


def _configuration(access: Access, bundle: CollectedBundle, query: Mapping[str, str]) -> ChosenConfiguration:
    name = text_param(query, "config", 80)
    return chosen.named(access.workspace, name) if name else computing.of_bundle(bundle)
