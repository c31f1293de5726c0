"""The overview of a cluster with its map, and what the map asks for: data, the card of the selection, unbound pods."""

from __future__ import annotations

import base64
import re
import zlib
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from django.http import JsonResponse
from django.shortcuts import render

from dashboard.accounts.access import Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.map.cluster_map import build_cluster_map, requested_amount
from dashboard.clusters.map.panel import map_panel
from dashboard.clusters.map.selection import read_selection
from dashboard.clusters.revisions.page_context import arriving_pods, read_page_context
from dashboard.clusters.revisions.reported_pods import reported_pods
from dashboard.clusters.revisions.totals import group_zones, node_totals, pod_parts
from dashboard.clusters.revisions.waiting import waiting_group
from dashboard.common.http.caching import answer_once
from dashboard.common.http.params import bool_param, text_param
from dashboard.common.pages.numbers import amount
from dashboard.common.pages.pagination import paginate
from scheduler_core.explain.doubts.answer import doubts_of_input

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from django.http import HttpRequest, HttpResponse

    from dashboard.clusters.map.cluster_map import ClusterMap
    from dashboard.clusters.revisions.object_rows import PodRow
    from dashboard.clusters.revisions.page_context import PageContext

# A part of the ETag: a browser must not use cached data of another format.
FORMAT = 3


def map_json(shown: ClusterMap, version: str, added: Collection[str] = ()) -> dict[str, Any]:
    """Return the map of all nodes, in natural order of their names; indexes refer to this order.

    `added` are the names of the nodes that are new in a draft; they are sent as indexes, as cordoned ones are.
    `allocatable` and `requested` have one column (`column`) per resource, in the core's integers, with `words`.
    `taints` is a column of what each node's taints are in one text, "" where it has none.
    `groups` are columns of the names of zones and pools, `orders` the indexes of nodes in the order of each grouping.
    `pods` are the tiles: `counts` is the number of pods of each node, `requests` one column over all pods, node by
    node, whose values are lists of amounts by resource.
    """
    names = [one.name for one in shown.resources]
    nodes = shown.nodes
    pods = [pod for node in nodes for pod in shown.pods_on(node.name)]
    return {
        "version": version,
        "nodes": [node.name for node in nodes],
        "added": [place for place, node in enumerate(nodes) if node.name in added],
        "cordoned": [place for place, node in enumerate(nodes) if node.is_cordoned],
        "taints": column([", ".join(node.taints) for node in nodes]),
        "resources": [
            {
                "name": one.name,
                "requested": one.requested,
                "allocatable": one.allocatable,
                "words": f"{amount(one.requested, one.name)} of {amount(one.allocatable, one.name)}",
            }
            for one in shown.resources
        ],
        "allocatable": [_amounts([node.allocatable.get(name, 0) for node in nodes], name) for name in names],
        "requested": [_amounts([requested_amount(node, name) for node in nodes], name) for name in names],
        "orders": {name: packed(shown.ordered(name)) for name in (*shown.groupings, "none")},
        "groups": {name: column(values) for name, values in shown.groupings.items()},
        "pods": {
            "counts": column([len(shown.pods_on(node.name)) for node in nodes]),
            "requests": _tiles(pods, names),
        },
    }


def pod_names_json(shown: ClusterMap, version: str) -> dict[str, Any]:
    """Return the namespace/name of each tile's pod, in the order of the tiles: {"version", "pods"}."""
    return {
        "version": version,
        "pods": [f"{pod.namespace}/{pod.name}" for node in shown.nodes for pod in shown.pods_on(node.name)],
    }


def _amounts(values: Sequence[int], resource: str) -> dict[str, Any]:
    """A column of amounts with `words`: each distinct amount as Kubernetes writes it."""
    distinct = column(values)
    return {**distinct, "words": [amount(value, resource) for value in distinct["values"]]}


def _tiles(pods: Sequence[PodRow], names: Sequence[str]) -> dict[str, Any]:
    # Most pods request the same as another one: comparing a dict is many times faster than looking up its resources.
    requests_of: dict[tuple[tuple[str, int], ...], tuple[int, ...]] = {}
    amounts = []
    for pod in pods:
        written = tuple(pod.requests.items())
        if written not in requests_of:
            requests_of[written] = _requests(pod, names)
        amounts.append(requests_of[written])
    distinct = column(amounts)
    texts = [
        ", ".join(
            f"{amount(value, name)} {name}" for name, value in zip(names, one, strict=True) if value and name != "pods"
        )
        for one in distinct["values"]
    ]
    return {**distinct, "words": texts}


def _requests(pod: PodRow, names: Sequence[str]) -> tuple[int, ...]:
    return tuple([1 if name == "pods" else pod.requests.get(name, 0) for name in names])


def column(values: Sequence[Hashable]) -> dict[str, Any]:
    """Return {values: distinct values, index: base64 of little-endian integers, bytes: 1, 2 or 4 for each}."""
    place_of: dict[Hashable, int] = {}
    index = [place_of.setdefault(value, len(place_of)) for value in values]
    return {"values": list(place_of), **packed(index)}


def packed(numbers: Sequence[int]) -> dict[str, Any]:
    """Return {index: base64 of little-endian unsigned integers, bytes: 1, 2 or 4 for each}."""
    most = max(numbers, default=0)
    size = 1 if most < 1 << 8 else 2 if most < 1 << 16 else 4
    return {"index": base64.b64encode(np.array(numbers, dtype=np.dtype(f"<u{size}")).tobytes()).decode(), "bytes": size}


def map_etag(version: str, part: str, added: Collection[str] = ()) -> str:
    """Return the ETag of a response: the same as long as the objects, and those of them that are new, are the same."""
    new = f"-{zlib.crc32(','.join(sorted(added)).encode()):x}" if added else ""
    return f'"map-{FORMAT}-{re.sub(r"[^A-Za-z0-9-]", "", version)}-{part}{new}"'


NAME_LIMIT = 600
UNBOUND_PAGE = 30
PENDING_SHOWN = 6
PRIORITY_CLASSES_SHOWN = 12


def _lacks_devices(page: PageContext) -> bool:
    """Return whether pods claim devices, and none were kept: imports dropped them before they were read."""

    def claiming() -> list[str]:
        pods = page.contents.loaded.objects.pods
        return [pod.key for pod in pods if pod.resource_claims and not pod.is_terminal]

    return not page.counts.get("ResourceSlice") and bool(page.contents.ordered("pods that claim devices", "", claiming))


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
        lacks_devices=_lacks_devices(page),
        kinds=sorted(page.counts.items(), key=lambda item: -item[1]),
        map=shown,
        arriving=arriving_pods(page.revision) if not page.draft and _awaits_pods(page) else None,
        fit_pod=text_param(request.GET, "fit", NAME_LIMIT) or shown.selection.waiting_pod,
    )
    return render(request, "clusters/revisions/overview.html", context)


def _awaits_pods(page: PageContext) -> bool:
    """Return whether it is to be said which pods come in a run: here are none, or a description made both."""
    return not page.figures["pods"] or page.revision.source == "generated"


@workspace_view(Role.VIEWER)
def data(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the map as JSON, or with ?names=1 the names of its pods; 304 for a browser that has it."""
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
