"""The first page of a workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Max, OuterRef, Q, Subquery
from django.shortcuts import redirect, render

from dashboard.accounts.access import workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.models import Cluster, Revision
from dashboard.clusters.revisions.totals import read_totals
from dashboard.common.http.htmx import render_page, wants_part
from dashboard.debugger.cursor.cursor import Cursor
from dashboard.debugger.cursor.selection import entry_of
from dashboard.home.needs_look import looks
from dashboard.home.tour.context import tour_of
from dashboard.home.tour.steps import tour_run
from dashboard.review.links import about_line, review_url
from dashboard.review.queries import count_waiting, owner_of, waiting_for
from dashboard.runs import demo, queries
from dashboard.runs.lifecycle import quotas
from dashboard.runs.list.lines import run_line, run_lines
from dashboard.runs.list.views import poll_status
from dashboard.runs.models import Preemption, Run, State

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access
    from dashboard.accounts.models import Workspace
    from dashboard.runs.list.lines import RunLine

HOME = "home/home.html"
RUNS_SHOWN, CLUSTERS_SHOWN, RUNNING_SHOWN, LOOKS_SHOWN, WAITING_SHOWN = 10, 8, 5, 9, 5
WAITING_COUNTED = 1000


@workspace_view(Role.VIEWER)
def home(request: HttpRequest, access: Access) -> HttpResponse:
    """Return what runs, what needs a look, recent runs, clusters, what waits for the reader; to htmx its live part."""
    workspace = access.workspace
    lines = run_lines(queries.list_runs(workspace)[:RUNS_SHOWN])
    unfinished = queries.list_runs(workspace, "live")
    running = run_lines(unfinished[:RUNNING_SHOWN])
    clusters, n_clusters = _clusters(workspace)
    needs_look = looks(access)
    introduction, tour_lead = _demo_to_open(workspace), tour_of(access.member)
    context = {
        "lines": lines,
        "running": running,
        "n_running": unfinished.count() if len(running) == RUNNING_SHOWN else len(running),
        "looks": needs_look[:LOOKS_SHOWN],
        "n_looks": len(needs_look),
        "clusters": clusters,
        "n_clusters": n_clusters,
        **_waiting(access),
        "used_bytes": quotas.used_bytes(workspace),
        "demo": introduction,
        "demo_url": entry_of(introduction.run, workspace.slug) if introduction else "",
        "tour_lead": tour_lead,
        "may_begin_tour": not tour_lead and tour_run(workspace) is not None,
        "demo_scenes": _scenes(workspace) if introduction else [],
        "live": any(line.run.is_live for line in running),
    }
    return render_page(request, HOME, context, poll_status(request, [*running, *lines]))


@workspace_view(Role.VIEWER)
def waiting(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the part of the first page with what waits for the reader; to a browser the page."""
    if not wants_part(request):
        return redirect("home:home", access.workspace.slug)
    return render(request, "home/_waiting.html", _waiting(access))


def _waiting(access: Access) -> dict[str, Any]:
    """Return the reviews that wait for the reader: title, run, who asked, why, where to go; and how many wait."""
    waiting = waiting_for(access.member, WAITING_SHOWN)
    is_all = len(waiting) < WAITING_SHOWN
    lines = [
        {
            "title": one.review.title or one.review.subject,
            "about": about_line(one.review),
            "by": one.review.opened_by or owner_of(one.review),
            "reasons": one.reasons,
            "url": review_url(access.workspace.slug, one.review),
        }
        for one in waiting
    ]
    return {"waiting": lines, "n_waiting": len(lines) if is_all else count_waiting(access.member, WAITING_COUNTED)}


def _clusters(workspace: Workspace) -> tuple[list[tuple[Cluster, Revision | None, dict[str, object]]], int]:
    """Return the clusters last changed with newest revision and totals, and how many there are."""
    newest = Revision.objects.filter(cluster=OuterRef("pk")).order_by("-number").values("pk")[:1]
    visible = ~Q(revisions__runs__state=State.DELETING)
    clusters = Cluster.objects.filter(workspace=workspace, archived_at=None).annotate(
        newest=Subquery(newest),
        touched=Max("revisions__created_at"),
        last_run=Max("revisions__runs__number", filter=visible),
    )
    shown = list(clusters.order_by("-touched", "name")[:CLUSTERS_SHOWN])
    revisions = Revision.objects.select_related("cluster").in_bulk([one.newest for one in shown if one.newest])
    lines = [(one, revisions.get(one.newest)) for one in shown]
    return [(one, revision, read_totals(revision) if revision else {}) for one, revision in lines], clusters.count()


def _demo_to_open(workspace: Workspace) -> RunLine | None:
    """Return the demo run while the workspace has nothing of its own yet, so that a newcomer is led to it."""
    own = Run.objects.filter(workspace=workspace).exclude(revision__source=demo.SOURCE)
    own_clusters = Revision.objects.filter(cluster__workspace=workspace).exclude(source=demo.SOURCE)
    if own.exists() or own_clusters.exists():
        return None
    run = demo.find_demo_run(workspace, demo.TEACHING)
    return run_line(run) if run else None


def _scenes(workspace: Workspace) -> list[dict[str, str]]:
    """Return the other scenes of the demo: name of the run, what to look at, and the address where that begins."""
    runs = [(scene, run) for scene in demo.MORE_SCENES if (run := demo.find_demo_run(workspace, scene))]
    return [{"name": scene.run, "look": scene.look, "url": _preemption_in(run, workspace.slug)} for scene, run in runs]


def _preemption_in(run: Run, slug: str) -> str:
    """Return the address of the run's first preemption that took a pod; that of its entry where there is none yet."""
    decided = Preemption.objects.filter(run_id=run.pk, victims__gt=0).order_by("seq").first() if run.has_ended else None
    return Cursor(run, slug, 0, None).url(cycle=decided.cycle, tab="preemption") if decided else entry_of(run, slug)
