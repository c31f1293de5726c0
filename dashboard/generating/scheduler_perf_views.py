"""The page of test cases of scheduler_perf: choose files, choose a workload, make its cluster and timeline.

Nothing is kept between the two steps: the browser sends the files with the choice again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.shortcuts import render
from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import led_before
from dashboard.clusters.background.asking import JobRequest, answered
from dashboard.clusters.models import NAME_LENGTH
from dashboard.clusters.revisions.actions import DOING
from dashboard.clusters.uploads.sent_files import read_uploads, sent_files, unpacked_files
from dashboard.common.http.htmx import framed, is_htmx
from dashboard.common.http.params import text_param
from dashboard.common.problems import Forbidden, NotFound, Problem, TooLarge
from dashboard.generating import jobs
from dashboard.generating.scheduler_perf_files import BenchmarkFiles
from dashboard.generating.views import clusters_offered

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access

PAGE = "clusters/generating/scheduler_perf.html"
_MAX_CHOICE = 2_000
_MAX_PAUSE = 20
"""Characters."""


@workspace_view(Role.EDITOR, READ + WRITE, doing=DOING)
def choose(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the form for files, or the test cases of those that were sent."""
    if request.method != "POST":
        return render(request, PAGE, _context(access, into=text_param(request.GET, "cluster", 50)))
    context = _context(access, **_given(request))
    try:
        files = unpacked_files(read_uploads(sent_files(request)), objects_alone=False)
        context["configurations"] = BenchmarkFiles(files).configurations()
    except TooLarge:
        raise
    except Problem as problem:
        context["problem"] = problem
    return render(request, PAGE, {**context, **framed(request)})


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def make_case(request: HttpRequest, access: Access) -> HttpResponse:
    """Make a new cluster, or a draft of one (`into`), and a timeline of the workload; a worker makes large ones."""
    files = sent_files(request)
    arguments = {**_given(request), "case": text_param(request.POST, "case", _MAX_CHOICE)}
    asked = JobRequest(jobs.BENCHMARK, "Generate the cluster of a test case", arguments, files)
    try:
        jobs.parse_pause(arguments["pause"])
        is_small = BenchmarkFiles(unpacked_files(read_uploads(files), objects_alone=False)).is_small(arguments["case"])
        here = reverse("clusters:scheduler_perf", args=[access.workspace.slug])
        return answered(request, access, replace(asked, is_small=is_small), here)
    except Problem as problem:
        led_before(request)
        if isinstance(problem, NotFound | Forbidden | TooLarge) or is_htmx(request):
            raise
        return render(request, PAGE, _context(access, problem=problem, **_given(request)), status=422)


def _given(request: HttpRequest) -> dict[str, str]:
    return {
        "into": text_param(request.POST, "into", 50),
        "name": text_param(request.POST, "name", NAME_LENGTH),
        "pause": text_param(request.POST, "pause", _MAX_PAUSE),
    }


def _context(access: Access, **more: Any) -> dict[str, Any]:
    return {"clusters": clusters_offered(access), **more}
