"""The tour's forms: to a step, off the pages, to its end or done. Each step itself is an ordinary page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.common.http.htmx import is_htmx
from dashboard.common.http.params import int_param
from dashboard.common.http.redirects import own_address
from dashboard.home.tour import actions
from dashboard.home.tour.steps import STEPS, tour_run
from dashboard.runs.demo import TEACHING

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.accounts.access import Access


@workspace_view(Role.VIEWER, WRITE)
def step(request: HttpRequest, access: Access) -> HttpResponse:
    """Lead to a step's page; the tour ends where the run that it goes over is gone."""
    number = int_param(request.POST, "step", default=1, low=1, high=len(STEPS))
    over = tour_run(access.workspace)
    if over is None:
        messages.warning(
            request, f"The tour has ended: it goes over the run {TEACHING.run}, which is not there any more."
        )
        return _ended(access)
    actions.go_to(access.member, number)
    # The fragment moves the focus to the caption.
    return redirect(f"{STEPS[number - 1].address(over)}#tour")


@workspace_view(Role.VIEWER, WRITE)
def leave(request: HttpRequest, access: Access) -> HttpResponse:
    """Take the tour off the page that it is left on."""
    actions.leave(access.member)
    if is_htmx(request):
        return HttpResponse()
    return redirect(own_address(request, request.POST.get("next", ""), f"/w/{access.workspace.slug}/"))


@workspace_view(Role.VIEWER, WRITE)
def end(request: HttpRequest, access: Access) -> HttpResponse:
    """End the tour, and lead to the first page."""
    return _ended(access)


@workspace_view(Role.VIEWER, WRITE)
def finish(request: HttpRequest, access: Access) -> HttpResponse:
    """Mark the tour as done, and lead to the first page."""
    actions.finish(access.member)
    messages.success(request, "The tour is done. The first page offers it again.")
    return redirect("home:home", access.workspace.slug)


def _ended(access: Access) -> HttpResponse:
    actions.end(access.member)
    return redirect("home:home", access.workspace.slug)
