"""The editor of a draft: its page, and the parts of it that follow the filter, the selection and edits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from dashboard.accounts.access import workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.by_hand.catalogue import ACTIONS
from dashboard.clusters.drafts.node_changes import EFFECTS
from dashboard.clusters.drafts.page import draft_on
from dashboard.clusters.editor.draft_forms import SELECTING
from dashboard.clusters.editor.object_text import written_text
from dashboard.clusters.editor.views import object_context
from dashboard.clusters.forms.kinds import forms
from dashboard.clusters.forms.page import form_from_text, stored_form
from dashboard.clusters.forms.starters import starter_text
from dashboard.clusters.forms.views import form_context
from dashboard.clusters.map.cluster_map import build_cluster_map
from dashboard.clusters.map.panel import map_panel
from dashboard.clusters.map.selection import read_selection
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.page_context import key_in, read_page_context
from dashboard.clusters.workbench.tree import PAGE_PARAM, build_tree, opened_at_selected
from dashboard.common.http.htmx import wants_part
from dashboard.common.http.params import choice_param
from dashboard.common.http.redirects import current_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

    from dashboard.accounts.access import Access
    from dashboard.clusters.revisions.page_context import PageContext


SHOWS = ("both", "form", "yaml")
LABELS = {"form": "Form", "both": "Both", "yaml": "YAML"}


class SideChoice(NamedTuple):
    """One way to show the object, and the address of the page that shows it so."""

    name: str
    label: str
    url: str


@dataclass(frozen=True)
class SideShow:
    """The way in which the object is shown, and all ways that its kind has."""

    show: str
    choices: tuple[SideChoice, ...] = ()

    @property
    def has_form(self) -> bool:
        """Return whether the form is shown."""
        return self.show != "yaml"


def shown_side(kind: str, query: Mapping[str, str]) -> SideShow:
    """Return how the address wants an object of this kind to be shown; without a form there is its YAML alone."""
    show = choice_param(query, "show", SHOWS, SHOWS[0])
    if kind not in forms():
        return SideShow("yaml")
    choices = [SideChoice(name, label, f"?{urlencode({**query, 'show': name})}") for name, label in LABELS.items()]
    return SideShow(show, tuple(choices))


TREE = ("q", "at", PAGE_PARAM)


@workspace_view(Role.VIEWER)
def edit(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return the editor of a draft: the tree of its objects, its map, and the selected object."""
    page = _page(access, cluster, draft_id)
    query = {name: str(value) for name, value in request.GET.items() if value}
    opened = opened_at_selected(page.contents, query)
    addresses = _addresses(page)
    context = page.context(
        "edit",
        tree=_tree(page, opened),
        tree_address=f"{addresses['edit_url']}?{urlencode(opened)}" if opened != query else "",
        map=map_panel(page, query),
        place=urlencode(query),
        hand_actions=ACTIONS,
        zones=sorted({row.zone for row in page.contents.rows.nodes if row.zone}),
        **({"effects": EFFECTS} | _selected(page, query)),
        **addresses,
    )
    return render(request, "clusters/workbench/page.html", context)


@workspace_view(Role.VIEWER)
def tree(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return the tree as a part of the editor whose address htmx names; without htmx, lead to the editor."""
    page = _page(access, cluster, draft_id)
    addresses = _addresses(page)
    asked = {name: request.GET[name] for name in TREE if request.GET.get(name)}
    query = {name: value for name, value in _shown_query(request).items() if name not in TREE} | asked
    if not wants_part(request):
        return HttpResponse(status=303, headers={"Location": f"{addresses['edit_url']}?{urlencode(query)}"})
    # A script writes it into the address: the history that htmx keeps reloads pages, and texts would be lost.
    address = f"{addresses['edit_url']}?{urlencode(query)}"
    context = page.context("edit", tree=_tree(page, query), tree_address=address, **addresses)
    return render(request, "clusters/workbench/_tree.html", context)


@workspace_view(Role.VIEWER)
def selected(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return the selected object as a part of the editor."""
    page = _page(access, cluster, draft_id)
    others = {name: value for name, value in _shown_query(request).items() if name not in SELECTING}
    chosen = {name: request.GET[name] for name in SELECTING if request.GET.get(name)}
    query = others | chosen
    context = page.context("edit", place=urlencode(others), **_selected(page, query), **_addresses(page))
    return render(request, "clusters/workbench/_selected.html", context)


@workspace_view(Role.VIEWER)
def panel(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return the map's panel as a part of the editor, as the draft is now; the picture reads its data by itself."""
    page = _page(access, cluster, draft_id)
    query = _shown_query(request)
    context = page.context("edit", map=map_panel(page, query), **_addresses(page))
    return render(request, "clusters/workbench/_panel.html", context)


def _shown_query(request: HttpRequest) -> dict[str, str]:
    """Return the query of the editor's page that asks for a part of it."""
    return dict(parse_qsl(current_page(request).query))


def _page(access: Access, cluster: str, draft_id: int) -> PageContext:
    return read_page_context(access, cluster, {"draft": str(draft_id)})


def _tree(page: PageContext, query: Mapping[str, str]) -> Any:
    changed = {one.key: one.what for one in draft_on(page).changes}
    return build_tree(page.contents, changed, query)


def _selected(page: PageContext, query: Mapping[str, str]) -> dict[str, Any]:
    """Return the selected object with its YAML, and the card of a node or pod: what is requested, where it is."""
    selection = read_selection(build_cluster_map(page.contents), query)
    kind = choice_param(query, "new", tuple(forms()), "")
    if kind:
        side, text = shown_side(kind, query), starter_text(kind)
        context = {"selection": selection, "key": None, "new_kind": kind, "side": side}
        if not side.has_form:
            return context | object_context(page, None, text)
        return context | form_context(page, form_from_text(draft_on(page), kind, None, text))
    key = key_in(query)
    if selection.pod_card is not None:
        key = selection.pod_card.row.source
    elif selection.node_card is not None:
        key = Key("Node", "", selection.node)
    raw = page.contents.by_key.get(key) if key else None
    if key is None or raw is None:
        unknown = selection.unknown or (key.label if key else "")
        return {"selection": selection, "key": None, "unknown": unknown}
    side = shown_side(key.kind, query)
    context = {"selection": selection, "unknown": "", "side": side}
    if side.has_form:
        context |= form_context(page, stored_form(draft_on(page), key))
    return context | object_context(page, key, written_text(page, key, raw).text)


def _addresses(page: PageContext) -> dict[str, str]:
    kwargs = {"slug": page.access.workspace.slug, "cluster": page.cluster.slug}
    kwargs |= {"draft_id": str(page.draft.pk if page.draft else 0)}
    names = {"edit_url": "draft_edit", "tree_url": "draft_tree", "selected_url": "draft_selected"}
    names |= {"panel_url": "draft_panel", "act_url": "draft_act", "picked_url": "draft_picked"}
    names |= {"progress_url": "draft_progress"}
    return {name: reverse(f"clusters:{view}", kwargs=kwargs) for name, view in names.items()}
