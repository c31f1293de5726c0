""" "Why?" on a pending pod of a cluster: starts or finds the run that answers it, and leads to the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.shortcuts import render
from django.urls import reverse

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.agreement import decided_runs, why_actions
from dashboard.clusters.importing.views import save_and_lead
from dashboard.clusters.revisions.page_context import NAME_LIMIT, find_cluster, read_page_context
from dashboard.common.http.htmx import framed, go
from dashboard.common.http.params import text_param
from dashboard.common.problems import NotFound
from dashboard.runs.actions import find_run
from dashboard.runs.models import STANDING, Cycle, State

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Cluster, Revision
    from dashboard.clusters.revisions.contents import Contents
    from dashboard.runs.models import Run


@workspace_view(Role.EDITOR, WRITE, doing="start runs here")
def ask(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Find or start the run that answers why ?pod= of the cluster waits, and lead to its answer."""
    page = read_page_context(access, cluster, request.POST)
    pod = text_param(request.POST, "pod", NAME_LIMIT)
    why_actions.check_waits({f"{row.namespace}/{row.name}": row.status for row in page.contents.rows.pods}, pod)
    run = why_actions.find_or_start_run(access.member, page.revision, pod)
    return go(request, answer_or_progress(run, pod))


@workspace_view(Role.EDITOR, WRITE, doing="import clusters")
def ask_of_import(request: HttpRequest, access: Access, draft_id: int) -> HttpResponse:
    """Save an import as its form says, start the run that answers why ?pod= of it waits, and lead to its answer."""
    return save_and_lead(request, access, draft_id, "why", text_param(request.POST, "pod", NAME_LIMIT))


def prepare_answer(member: Member, cluster: Cluster | None, contents: Contents, pod: str) -> Callable[[Revision], str]:
    """Return what makes the run that answers why the pod of an import waits, and gives the address of its answer.

    `cluster` gets the import as a revision, None for a new one.
    """
    statuses = {f"{row.namespace}/{row.name}": row.status for row in contents.rows.pods}
    if statuses.get(pod) not in ("pending", "gated"):
        # A pod that the file names by generateName only has its name since a moment ago.
        return lambda revision: reverse("clusters:detail", args=[member.workspace.slug, revision.cluster.slug])
    make = why_actions.prepare_new_run(member, cluster, contents, pod)
    return lambda revision: following(make(revision), pod)


@workspace_view()
def follow(request: HttpRequest, access: Access, cluster: str, number: int) -> HttpResponse:
    """How far the run is that answers why ?pod= waits; leads to the answer once the pod was tried."""
    shown_cluster, run = find_cluster(access, cluster), find_run(access.workspace, number)
    if run.revision.cluster_id != shown_cluster.pk:
        raise NotFound(f"Run {number} is not of this cluster.")
    pod = text_param(request.GET, "pod", NAME_LIMIT)
    if _is_known(run, pod):
        return go(request, _found(run, pod))
    context = {
        "run": run,
        "pod": pod,
        "cluster": shown_cluster,
        "here": following(run, pod),
        "run_url": reverse("debugger:run", args=[access.workspace.slug, number]),
        "is_anew": decided_runs.decided_by(run) == pod,
        "stopped": run.has_ended or run.state in STANDING,
        **framed(request),
    }
    return render(request, "agreement/follow.html", context)


def _is_known(run: Run, pod: str) -> bool:
    """Whether the pod was tried, or nothing more will come."""
    return run.state == State.FINISHED or Cycle.objects.filter(run=run, pod=pod).exists()


def _found(run: Run, pod: str) -> str:
    """The pod's matrix in a run that decided it again, else why it waits."""
    if decided_runs.decided_by(run) != pod:
        return _answer(run, pod)
    return decided_runs.cycle_address(run, pod) or reverse("debugger:run", args=[run.workspace.slug, run.number])


def answer_or_progress(run: Run, pod: str) -> str:
    """Return the address of the answer why the pod waits, or of the page that waits for it."""
    return _answer(run, pod) if _is_known(run, pod) else following(run, pod)


def _answer(run: Run, pod: str) -> str:
    return f"{reverse('debugger:why', args=[run.workspace.slug, run.number])}?{urlencode({'pod': pod}, safe='/')}"


def following(run: Run, pod: str) -> str:
    """Return the address of the page that waits until the run tried the pod."""
    where = [run.workspace.slug, run.revision.cluster.slug, run.number]
    return f"{reverse('agreement:follow', args=where)}?{urlencode({'pod': pod}, safe='/')}"
