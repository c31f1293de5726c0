"""The page of test cases of scheduler_perf: choose files, choose a workload, make its cluster and timeline.

Nothing is kept between the two steps: the browser sends the files with the choice again.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from django.shortcuts import render

from dashboard.accounts.access import READ, WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import led_before
from dashboard.clusters.generating import actions
from dashboard.clusters.generating.scheduler_perf_files import BenchmarkFiles
from dashboard.clusters.generating.views import clusters_offered, stored
from dashboard.clusters.importing.progress import reported_progress
from dashboard.clusters.importing.sent_files import sent_files
from dashboard.clusters.models import NAME_LENGTH, TOKEN_LENGTH
from dashboard.clusters.revisions.actions import DOING
from dashboard.clusters.revisions.page_context import cluster_of
from dashboard.common.http.htmx import Templates, go, is_htmx
from dashboard.common.http.params import text_param
from dashboard.common.problems import Forbidden, NotFound, Problem, TooLarge
from scheduler_core.manifests.model import LoadError
from scheduler_core.workloads.generator import fields
from scheduler_core.workloads.scheduler_perf.making import PAUSE

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access

PAGE = Templates("clusters/generating/scheduler_perf.html", "clusters/generating/_test_cases.html")
_MAX_CHOICE = 2_000
_MAX_PAUSE = 20
"""Characters."""


@workspace_view(Role.EDITOR, READ + WRITE, doing=DOING)
def choose(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the form for files, or the test cases of those that were sent."""
    if request.method != "POST":
        return render(request, PAGE.page, _context(access, into=text_param(request.GET, "cluster", 50)))
    context = _context(access, **_given(request))
    try:
        context["configurations"] = BenchmarkFiles(sent_files(request)).configurations()
    except TooLarge:
        raise
    except Problem as problem:
        context["problem"] = problem
    return render(request, PAGE.part if is_htmx(request) else PAGE.page, context)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def make_case(request: HttpRequest, access: Access) -> HttpResponse:
    """Make a new cluster, or a draft of one (`into`), and a timeline of the chosen workload."""
    try:
        location = _made(request, access)
    except Problem as problem:
        led_before(request)
        if isinstance(problem, NotFound | Forbidden | TooLarge) or is_htmx(request):
            raise
        return render(request, PAGE.page, _context(access, problem=problem, **_given(request)), status=422)
    return go(request, location)


def _made(request: HttpRequest, access: Access) -> str:
    given = _given(request)
    cluster = cluster_of(access, given["into"]) if given["into"] else None
    files = BenchmarkFiles(sent_files(request))
    choice = text_param(request.POST, "case", _MAX_CHOICE)
    with reported_progress(access.user, text_param(request.POST, "reading", TOKEN_LENGTH)) as report_progress:
        case = files.made(choice, _pause(given["pause"]), report_progress)
        parts = actions.checked_parts(case.benchmark.made, case.title)
    added = actions.added_objects(cluster, parts) if cluster is not None else None
    return stored(request, access, parts, added, given["name"] or case.title[:NAME_LENGTH])


def _pause(text: str) -> int:
    """Return microseconds; raises Problem."""
    try:
        return fields.duration_of(text or None, PAUSE)
    except LoadError as problem:
        raise Problem(f"{problem.message}.", title="The pause is no time") from problem


def _given(request: HttpRequest) -> dict[str, str]:
    return {
        "into": text_param(request.POST, "into", 50),
        "name": text_param(request.POST, "name", NAME_LENGTH),
        "pause": text_param(request.POST, "pause", _MAX_PAUSE),
    }


def _context(access: Access, **more: Any) -> dict[str, Any]:
    return {"clusters": clusters_offered(access), "token": secrets.token_hex(TOKEN_LENGTH // 2), **more}
