"""The editor of a draft: its page, and the parts of it that follow the filter and the selection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from dashboard.accounts.access import workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.drafts.actions import draft_of
from dashboard.clusters.drafts.changes import changes_of
from dashboard.clusters.editor.draft_forms import SELECTING
from dashboard.clusters.editor.views import object_context
from dashboard.clusters.editor.written import written_text
from dashboard.clusters.map.cluster_map import cluster_map_of
from dashboard.clusters.map.panel import map_panel
from dashboard.clusters.map.selection import selection_of
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.page_context import key_in, page_context_of
from dashboard.clusters.workbench.tree import PAGE_PARAM, tree_of
from dashboard.common.http.htmx import wants_part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

    from dashboard.accounts.access import Access
    from dashboard.clusters.revisions.page_context import PageContext

TREE = ("q", "at", PAGE_PARAM)


@workspace_view(Role.VIEWER)
def edit(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return the editor of a draft: the tree of its objects, its map, and the selected object."""
    page = _page(access, cluster, draft_id)
    query = {name: str(value) for name, value in request.GET.items() if value}
    context = page.context(
        "edit",
        tree=_tree(page, query),
        map=map_panel(page, query),
        place=urlencode(query),
        **_selected(page, query),
        **_addresses(page),
    )
    return render(request, "clusters/workbench/page.html", context)


@workspace_view(Role.VIEWER)
def tree(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return the tree as a part of the editor whose address htmx names; without htmx, lead to the editor."""
    page = _page(access, cluster, draft_id)
    addresses = _addresses(page)
    asked = {name: request.GET[name] for name in TREE if request.GET.get(name)}
    shown = urlsplit(request.headers.get("HX-Current-URL", "")).query
    query = {name: value for name, value in parse_qsl(shown) if name not in TREE} | asked
    if not wants_part(request):
        return HttpResponse(status=303, headers={"Location": f"{addresses['edit_url']}?{urlencode(query)}"})
    # A script writes it into the address: the history that htmx keeps loads pages anew, and texts would be lost.
    address = f"{addresses['edit_url']}?{urlencode(query)}"
    context = page.context("edit", tree=_tree(page, query), tree_address=address, **addresses)
    return render(request, "clusters/workbench/_tree.html", context)


@workspace_view(Role.VIEWER)
def selected(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return the selected object as a part of the editor."""
    page = _page(access, cluster, draft_id)
    shown = urlsplit(request.headers.get("HX-Current-URL", "")).query
    other_parameters = {name: value for name, value in parse_qsl(shown) if name not in SELECTING}
    context = page.context(
        "edit", place=urlencode(other_parameters), **_selected(page, request.GET), **_addresses(page)
    )
    return render(request, "clusters/workbench/_selected.html", context)


def _page(access: Access, cluster: str, draft_id: int) -> PageContext:
    return page_context_of(access, cluster, {"draft": str(draft_id)})


def _tree(page: PageContext, query: Mapping[str, str]) -> Any:
    draft = draft_of(page.access.member, page.cluster, page.draft.pk if page.draft else 0)
    changed = {one.key: one.what for one in changes_of(draft)}
    return tree_of(page.contents, changed, query)


def _selected(page: PageContext, query: Mapping[str, str]) -> dict[str, Any]:
    """Return the selected object with its YAML, and the card of a node or pod: what is requested, where it is."""
    selection = selection_of(cluster_map_of(page.contents), query)
    key = key_in(query)
    if selection.pod_card is not None:
        key = selection.pod_card.row.source
    elif selection.node_card is not None:
        key = Key("Node", "", selection.node)
    raw = page.contents.by_key.get(key) if key else None
    if key is None or raw is None:
        unknown = selection.unknown or (key.label if key else "")
        return {"selection": selection, "key": None, "unknown": unknown}
    return {"selection": selection, "unknown": "", **object_context(page, key, written_text(page, key, raw).text)}


def _addresses(page: PageContext) -> dict[str, str]:
    kwargs = {"slug": page.access.workspace.slug, "cluster": page.cluster.slug}
    kwargs |= {"draft_id": str(page.draft.pk if page.draft else 0)}
    names = {"edit_url": "draft_edit", "tree_url": "draft_tree", "selected_url": "draft_selected"}
    return {name: reverse(f"clusters:{view}", kwargs=kwargs) for name, view in names.items()}
