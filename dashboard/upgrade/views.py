"""What an upgrade changes on a cluster: the form with what was compared, a report, and its progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.shortcuts import redirect

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.revisions.page_context import read_page_context
from dashboard.common.http.htmx import go, render_page, wants_part
from dashboard.common.http.params import int_param, text_param
from dashboard.runs.actions import SEED_LIMIT
from dashboard.upgrade import actions
from dashboard.upgrade.form import UpgradeForm
from dashboard.upgrade.progress import ReportProgress
from dashboard.upgrade.queries import json_of, report_in, report_numbered, reports_of
from dashboard.upgrade.report_page import ReportPage
from dashboard.upgrade.timelines import newest_revision_of

if TYPE_CHECKING:
    from django.http import HttpRequest

GATES_LENGTH = 2000


@workspace_view()
def page(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the form for a revision, and the cluster's reports."""
    here = read_page_context(access, cluster, request.GET)
    listed = [ReportProgress(one) for one in reports_of(here.cluster)]
    is_going = any(one.is_going for one in listed)
    context = here.context("upgrade", form=UpgradeForm(here, request.GET), listed=listed, is_going=is_going)
    return render_page(request, "upgrade/page.html", context)


@workspace_view(Role.EDITOR, WRITE, doing=actions.DOING)
def start(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Ask for the report of what the form says, and lead to it."""
    given = request.POST
    here = read_page_context(access, cluster, {"r": text_param(given, "r", 12)} if given.get("r") else {})
    before, after = (
        actions.AskedVersion(text_param(given, name, 40), text_param(given, f"{name}_gates", GATES_LENGTH))
        for name in ("before", "after")
    )
    subject = actions.subject_of(
        here.revision,
        (before, after),
        text_param(given, "config", 80),
        newest_revision_of(access.workspace, text_param(given, "timeline", 120)),
        int_param(given, "seed", 0, low=0, high=SEED_LIMIT - 1),
    )
    row = actions.ask_upgrade(access.member, subject)
    return go(request, "upgrade:report", slug=access.workspace.slug, cluster=cluster, number=row.pk)


@workspace_view()
def report(request: HttpRequest, access: Access, cluster: str, number: int) -> HttpResponse:
    """Return a report, or how far it is."""
    row = report_numbered(access.workspace, cluster, number)
    here = read_page_context(access, cluster, {"r": str(row.revision.number)})
    stored = report_in(row)
    progress = ReportProgress(row)
    shown = None if stored is None else ReportPage(here, row, stored, request.GET)
    context = here.context("upgrade", row=row, progress=progress, shown=shown)
    if shown is not None and wants_part(request) and request.headers.get("HX-Target") == "upgrade-progress":
        # It was waited for; the whole page has other panes.
        return HttpResponse(headers={"HX-Redirect": progress.url})
    return render_page(request, "upgrade/report.html", context)


@workspace_view(Role.EDITOR, WRITE, doing=actions.DOING)
def cancel(request: HttpRequest, access: Access, cluster: str, number: int) -> HttpResponse:
    """Cancel a report, by anybody's request; leads to its page."""
    row = actions.cancel(access.member, cluster, number)
    return redirect("upgrade:report", access.workspace.slug, cluster, row.pk)


@workspace_view()
def download(request: HttpRequest, access: Access, cluster: str, number: int) -> HttpResponse:
    """Return the report as JSON, as `python -m scheduler_core upgrade --json` prints it."""
    row = report_numbered(access.workspace, cluster, number)
    name = f"upgrade-{cluster}-{row.before}-{row.after}.json"
    answer = HttpResponse(json_of(row), content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
