"""What the cluster map requests after the page: its data while sizes are read, names of nodes, more pods of a node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.http.caching import answer_once
from dashboard.common.http.htmx import render_page
from dashboard.common.http.params import bool_param, int_param, text_param
from dashboard.common.problems import NotFound, Problem
from dashboard.debugger.cursor.cursor import NAME_LIMIT, cursor_of
from dashboard.debugger.inputs.facts import facts_of
from dashboard.debugger.page import CursorPage
from dashboard.debugger.views import VARY, etag_of, json_answer, unreadable
from dashboard.runs.actions import find_run
from dashboard.runs.inputs import InputError
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.debugger.panels.cluster_map.panel import MapPanel


@workspace_view()
def map_data(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the cluster map at a cursor as JSON, or with ?names=1 the names of its nodes; waits until
    sizes are read.
    """
    run = find_run(access.workspace, number)
    cursor = cursor_of(run, access.workspace.slug, request.GET)
    names = bool_param(request.GET, "names")
    etag = etag_of(run, cursor, names)
    return answer_once(
        request,
        etag,
        lambda: json_answer(_of_panel(cursor, lambda panel: panel.names if names else panel.picture)),
        VARY,
    )


@workspace_view()
def node_pods(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """One page of the pods on ?node= at the cursor, to be appended by htmx; a page of its own without scripts."""
    run = find_run(access.workspace, number)
    cursor = cursor_of(run, access.workspace.slug, request.GET)
    node = text_param(request.GET, "node", NAME_LIMIT)
    page = int_param(request.GET, "pods_page", default=1, low=1, high=100_000)

    def pods(panel: MapPanel) -> Any:
        if node not in panel.nodes.place_of:
            raise NotFound(f"There is no node {node[:80]} at this cursor.", title="No such node")
        return panel.pods_on(node, page), panel.choice.chosen

    pod_page, resource = _of_panel(cursor, pods)
    context = {"run": run, "view": cursor.view, "cursor": cursor, "pods": pod_page, "resource": resource.bare_name}
    return render_page(request, "debugger/map/node_pods.html", context)


def _of_panel(cursor: Cursor, read: Callable[[MapPanel], Any]) -> Any:
    try:
        panel = CursorPage(cursor, facts_of).map
        # It waited for the sizes, so the panel is there.
        return None if panel is None else read(panel)
    except RecordingError as error:
        raise unreadable(cursor.run, error) from error
    except InputError as error:
        raise Problem(str(error), title="The inputs of this run cannot be read") from error
