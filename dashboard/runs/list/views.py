"""The list of runs, and what its buttons do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.urls import reverse

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.models import Cluster
from dashboard.common.http.htmx import go, render_page, wants_part
from dashboard.common.http.params import bool_param, choice_param, text_param
from dashboard.common.http.redirects import own_address
from dashboard.common.pages.pagination import paginate
from dashboard.common.problems import NotFound
from dashboard.runs import actions, queries
from dashboard.runs.branches.lineage import branch_tree
from dashboard.runs.lifecycle import quotas
from dashboard.runs.list.lines import run_lines
from dashboard.runs.models import State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access
    from dashboard.runs.branches.lineage import TreeLine
    from dashboard.runs.list.lines import RunLine

LIST = "runs/list.html"
SIZE = 25
STATES = ("live", *(state.value for state in State if state != State.DELETING))
# htmx stops polling on this status.
STOP_POLLING = 286


@workspace_view(Role.VIEWER)
def run_list(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the runs, newest first; `state`, `cluster` (its address) and `q` narrow the list."""
    state = choice_param(request.GET, "state", STATES, "")
    text, slug = text_param(request.GET, "q"), text_param(request.GET, "cluster")
    clusters = list(Cluster.objects.filter(workspace=access.workspace, revisions__runs__isnull=False).distinct())
    runs = queries.list_runs(access.workspace, state, text)
    tree: list[TreeLine] = []
    if slug:
        chosen = _cluster(access, slug)
        runs = runs.filter(revision__cluster=chosen)
        tree = branch_tree(chosen)
    page = paginate(runs, request.GET, size=SIZE)
    lines = run_lines(page.items)
    context = {
        "page": page,
        "lines": lines,
        "tree": tree,
        "state": state,
        "states": STATES,
        "q": text,
        "cluster": slug,
        "clusters": clusters,
        "live": any(line.run.is_live for line in lines),
        "used_bytes": quotas.used_bytes(access.workspace),
    }
    return render_page(request, LIST, context, poll_status(request, lines))


def poll_status(request: HttpRequest, lines: Iterable[RunLine]) -> int:
    """Return 200, or the status that ends htmx's polling if nothing on the page changes any more."""
    return 200 if not wants_part(request) or any(line.run.is_live for line in lines) else STOP_POLLING


def _cluster(access: Access, slug: str) -> Cluster:
    cluster = Cluster.objects.filter(workspace=access.workspace, slug=slug).first()
    if cluster is None:
        raise NotFound("This cluster does not exist in this workspace.")
    return cluster


# ---------------------------------------------------------------- verbs


@workspace_view(Role.EDITOR, WRITE, doing="pause runs here")
def pause(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Pause the run at the end of a cycle."""
    actions.pause_run(access.member, actions.find_run(access.workspace, number))
    messages.success(request, f"Run {number} pauses at the end of its cycle")
    return _back(request, access)


@workspace_view(Role.EDITOR, WRITE, doing="resume runs here")
def resume(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Let the run go on."""
    actions.resume_run(access.member, actions.find_run(access.workspace, number))
    messages.success(request, f"Run {number} goes on")
    return _back(request, access)


@workspace_view(Role.EDITOR, WRITE, doing="cancel runs here")
def cancel(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """End the run where it is."""
    actions.cancel_run(access.member, actions.find_run(access.workspace, number))
    messages.success(request, f"Run {number} ends here; what it recorded stays")
    return _back(request, access)


@workspace_view(Role.EDITOR, WRITE, doing="delete runs here")
def delete(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Delete the run with its recording."""
    actions.delete_run(access.member, actions.find_run(access.workspace, number))
    messages.success(request, f"Run {number} is deleted")
    return _back(request, access)


@workspace_view(Role.EDITOR, WRITE, doing="keep runs here")
def keep(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Exclude the run from the retention rule, or include it again."""
    is_kept = bool_param(request.POST, "kept")
    actions.keep_run(access.member, actions.find_run(access.workspace, number), is_kept)
    messages.success(request, f"Run {number} is {'kept' if is_kept else 'no longer kept'}")
    return _back(request, access)


@workspace_view(Role.EDITOR, WRITE, doing="rename runs here")
def rename(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Give the run another name."""
    actions.rename_run(access.member, actions.find_run(access.workspace, number), text_param(request.POST, "name", 120))
    messages.success(request, "Saved")
    return _back(request, access)


def _back(request: HttpRequest, access: Access) -> HttpResponse:
    """Redirect to the page of the button; addresses of other sites are not followed."""
    runs = reverse("runs:list", kwargs={"slug": access.workspace.slug})
    return go(request, own_address(request, request.POST.get("next", ""), runs))
