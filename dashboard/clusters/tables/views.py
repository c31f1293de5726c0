"""The pages of nodes, pods and other objects of a revision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.accounts.access import workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.drafts.node_changes import EFFECTS
from dashboard.clusters.revisions.object_rows import status_counts
from dashboard.clusters.revisions.page_context import read_page_context
from dashboard.clusters.tables import query as tables
from dashboard.common.http.htmx import render_page

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access


NODES = "clusters/tables/nodes.html"
PODS = "clusters/tables/pods.html"
OBJECTS = "clusters/tables/objects.html"


@workspace_view(Role.VIEWER)
def nodes(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the table of nodes."""
    page = read_page_context(access, cluster, request.GET)
    table = tables.node_table(page.contents, request.GET)
    has = tables.node_columns_in_use(page.contents)
    table.headings = [head for head in table.headings if has.get(head.name, True)]
    zones = sorted({row.zone for row in page.contents.rows.nodes if row.zone})
    context = page.context("nodes", table=table, has=has, zones=zones, states=tables.NODE_STATES, effects=EFFECTS)
    return render_page(request, NODES, context)


@workspace_view(Role.VIEWER)
def pods(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the table of pods, those that workloads stand for included."""
    page = read_page_context(access, cluster, request.GET)
    table = tables.pod_table(page.contents, request.GET)
    table.counts = dict(status_counts(page.contents.rows.pods))
    states = [(state, table.counts.get(state, 0)) for state in tables.POD_STATES[1:] if table.counts.get(state)]
    return render_page(
        request,
        PODS,
        page.context("pods", table=table, states=states, has=tables.pod_columns_in_use(page.contents)),
    )


@workspace_view(Role.VIEWER)
def objects(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the table of everything that is neither node nor pod."""
    page = read_page_context(access, cluster, request.GET)
    return render_page(request, OBJECTS, page.context("objects", table=tables.object_table(page.contents, request.GET)))
