"""The address of the page: a cycle and the nodes that are compared."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.common.http.params import text_param
from dashboard.debugger.cursor.cursor import NAME_LIMIT, Cursor
from dashboard.debugger.cursor.selection import opened
from dashboard.debugger.why.address import WhyCursor

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dashboard.runs.models import Run

MOST = 3
FIELDS = ("node1", "node2", "node3")


@dataclass(frozen=True)
class RivalsCursor(WhyCursor):
    """A cursor on the page; `nodes` are those that the address names, none for the winner and the next."""

    nodes: tuple[str, ...] = ()

    def url(self, **changes: Any) -> str:
        """Return the address with some fields changed, as `WhyCursor.url`; another moment compares its own nodes."""
        nodes = changes.pop("nodes", () if {"seq", "cycle"} & changes.keys() else self.nodes)
        address = super().url(**changes)
        return (
            address if not nodes or "tab" in changes else f"{address}&{urlencode({'nodes': ','.join(nodes)}, safe=',')}"
        )

    @cached_property
    def _address(self) -> str:
        return reverse("debugger:why_node", kwargs={"slug": self.slug, "number": self.run.number})


def rivals_url(slug: str, number: int, cycle: int, nodes: Iterable[str] = ()) -> str:
    """Return the address that compares nodes in a cycle; without nodes the winner and the next."""
    query = {"cycle": str(cycle)} | ({"nodes": ",".join(nodes)} if nodes else {})
    address = reverse("debugger:why_node", kwargs={"slug": slug, "number": number})
    return f"{address}?{urlencode(query, safe=',')}"


def rivals_cursor(run: Run, slug: str, query: Mapping[str, str]) -> RivalsCursor:
    """Return the cursor that an address names; `nodes=a,b`, or one field for each as the page's form has them."""
    found = opened(run, slug, query)
    named = text_param(query, "nodes", MOST * (NAME_LIMIT + 1)).split(",")
    named += [text_param(query, field, NAME_LIMIT) for field in FIELDS]
    nodes = tuple(dict.fromkeys(name.strip() for name in named if name.strip()))[:MOST]
    kept = {one.name: getattr(found, one.name) for one in fields(Cursor)}
    return RivalsCursor(**kept | {"is_plain": False}, nodes=nodes)
