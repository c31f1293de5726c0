"""Where the reader is when they search: a run at a cursor, a cluster at a revision or in a draft, or the workspace.

The page sends its own address; what it names is looked up as that page would, with the reader's rights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import QueryDict
from django.urls import Resolver404, resolve

from dashboard.clusters.revisions.page_context import PageContext, read_page_context
from dashboard.common.problems import Problem
from dashboard.debugger.cursor.cursor import Cursor, cursor_of
from dashboard.debugger.cursor.selection import opened
from dashboard.runs.actions import find_run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.accounts.access import Access
    from dashboard.runs.models import Run

# Addresses of pages whose moment other pages of a run understand.
MOMENT = ("cycle", "seq")


@dataclass(frozen=True)
class SearchPlace:
    """The run with the cursor that links keep (`cursor.is_plain`: the page names no moment), or the cluster; both None
    elsewhere in the workspace."""

    run: Run | None = None
    cursor: Cursor | None = None
    cluster: PageContext | None = None

    @property
    def label(self) -> str:
        """Return what is searched first for pods and nodes, for the field: "this run first"."""
        if self.run is not None:
            return "this run first"
        if self.cluster is None:
            return "workspace"
        return "this draft first" if self.cluster.draft else "this cluster first"


def place_of(access: Access, address: str) -> SearchPlace:
    """Return the place that a page's address names; the workspace where it names none that is there."""
    path, _, query_text = address.partition("#")[0].partition("?")
    try:
        view = resolve(path)
    except Resolver404:
        return SearchPlace()
    if view.kwargs.get("slug") != access.workspace.slug:
        return SearchPlace()
    query = QueryDict(query_text)
    try:
        if "number" in view.kwargs and view.namespace in ("debugger", "review", "search"):
            return _in_run(access, view.kwargs["number"], query, is_debugger=view.view_name == "debugger:run")
        if "cluster" in view.kwargs:
            return SearchPlace(cluster=read_page_context(access, view.kwargs["cluster"], query))
    except Problem:
        # The page itself says what is wrong with its address.
        return SearchPlace()
    return SearchPlace()


def _in_run(access: Access, number: int, query: QueryDict, is_debugger: bool) -> SearchPlace:
    run, slug = find_run(access.workspace, number), access.workspace.slug
    try:
        cursor = opened(run, slug, query) if is_debugger else cursor_of(run, slug, _moment(query))
    except Problem:
        cursor = cursor_of(run, slug, {})
    return SearchPlace(run, cursor)


def _moment(query: Mapping[str, str]) -> dict[str, str]:
    return {name: query[name] for name in MOMENT if name in query}
