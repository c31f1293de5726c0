"""The overview of a cluster with its map, and what the map asks for: data, the card of the selection, unbound pods."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from django.http import JsonResponse
from django.shortcuts import render

from dashboard.accounts.access import Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.map.cluster_map import build_cluster_map
from dashboard.clusters.map.map_data import map_etag, map_json, pod_names_json
from dashboard.clusters.map.panel import map_panel
from dashboard.clusters.map.selection import read_selection
from dashboard.clusters.revisions.page_context import read_page_context
from dashboard.clusters.revisions.reported_pods import reported_pods
from dashboard.clusters.revisions.totals import group_zones, node_totals, pod_parts
from dashboard.clusters.revisions.waiting import waiting_group
from dashboard.common.http.caching import answer_once
from dashboard.common.http.params import bool_param, text_param
from dashboard.common.pages.pagination import paginate
from scheduler_core.explain.doubts.answer import doubts_of_input

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

NAME_LIMIT = 600
UNBOUND_PAGE = 30
PENDING_SHOWN = 6
PRIORITY_CLASSES_SHOWN = 12


@workspace_view(Role.VIEWER)
def detail(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the overview: the map, states of pods, zones and pools with requested of allocatable."""
    page = read_page_context(access, cluster, request.GET)
    rows = page.contents.rows
    zones = group_zones(rows.nodes)
    by_class: dict[tuple[int, str], int] = {}
    for pod in rows.pods:
        by_class[pod.priority, pod.priority_class] = by_class.get((pod.priority, pod.priority_class), 0) + 1
    totals = page.figures
    shown = map_panel(page, request.GET)
    first = list(islice((pod for pod in rows.pods if pod.status == "pending"), PENDING_SHOWN))
    pending = reported_pods(page.revision, page.contents, first)
    context = page.context(
        "overview",
        zones=zones,
        total=node_totals(rows.nodes),
        parts=pod_parts(totals),
        classes=sorted(by_class.items(), reverse=True)[:PRIORITY_CLASSES_SHOWN],
        pending=pending,
        waiting=[pod.key for pod in pending],
        doubts=page.contents.loaded.warnings[:50],
        not_played=page.contents.ordered("doubts", "", lambda: list(doubts_of_input(page.contents.loaded))),
        kinds=sorted(page.counts.items(), key=lambda item: -item[1]),
        map=shown,
        fit_pod=text_param(request.GET, "fit", NAME_LIMIT) or shown.selection.waiting_pod,
    )
    return render(request, "clusters/revisions/overview.html", context)


@workspace_view(Role.VIEWER)
def data(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the map as JSON, or with ?names=1 the names of its pods; a browser that has it hears so."""
    page = read_page_context(access, cluster, request.GET)
    version = page.version
    names = bool_param(request.GET, "names")
    added = page.draft.added_nodes if page.draft and not names else frozenset()

    def make() -> HttpResponse:
        shown = build_cluster_map(page.contents)
        content = pod_names_json(shown, version) if names else map_json(shown, version, added)
        return JsonResponse(content, json_dumps_params={"separators": (",", ":"), "ensure_ascii": False})

    return answer_once(request, map_etag(version, "names" if names else "nodes", added), make)


@workspace_view(Role.VIEWER)
def selected(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the card of the node or pod that the address selects, as a part of the page."""
    page = read_page_context(access, cluster, request.GET)
    selection = read_selection(build_cluster_map(page.contents), request.GET)
    return render(request, "clusters/map/_selected.html", page.context("overview", selection=selection))


@workspace_view(Role.VIEWER)
def unbound(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return a page of the pods of one group without a node (ns, owner, status), as a part of the page."""
    page = read_page_context(access, cluster, request.GET)
    owner = (text_param(request.GET, "ns", NAME_LIMIT), text_param(request.GET, "owner", NAME_LIMIT))
    status = text_param(request.GET, "status", 20)
    pods = [pod for pod in build_cluster_map(page.contents).unbound if waiting_group(pod) == (*owner, status)]
    context = {"pods": paginate(pods, request.GET, size=UNBOUND_PAGE), "namespace": owner[0], "owner": owner[1]}
    return render(request, "clusters/map/_unbound_pods.html", page.context("overview", **context, status=status))
