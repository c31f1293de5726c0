"""The map as a table: the same nodes, states and shares, sorted and in pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dashboard.common.pages.numbers import amount, grouped, percent
from dashboard.debugger.cursor.cursor import NODE_COLUMNS
from dashboard.debugger.panels.cluster_map.node_states import NO_TOTAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dashboard.debugger.panels.cluster_map.node_states import NodeStates
    from dashboard.debugger.panels.cluster_map.resources import MapResource

PAGE = 50
# The order of states: nominated, candidates, fitting, refused, unresolvable, not looked at.
RANKS = np.array([6, 2, 3, 4, 5, 1, 0])


@dataclass(frozen=True)
class NodeLine:
    """One node as a row."""

    name: str
    short: str
    group: str
    verdict: str
    total: str
    share: str
    free: str
    is_selected: bool
    is_winner: bool
    is_equal: bool


@dataclass(frozen=True)
class NodeColumn:
    """A column's head: `sort` is the order after a click, `aria` the current one, "" for none."""

    label: str
    sort: str
    aria: str
    is_number: bool


@dataclass(frozen=True)
class NodeTablePage:
    """A page of the table; `before` and `after` are numbers of pages, 0 where there is none."""

    columns: list[NodeColumn]
    lines: list[NodeLine]
    place: str
    before: int
    after: int


def node_table(nodes: NodeStates, resource: MapResource, sort: str, page: int) -> NodeTablePage:
    """Return a page of all nodes; a page beyond the last is the last. Page 0 is that of the selected node, or the
    first.
    """
    order, count = _order(nodes, sort), len(nodes.names)
    last = max(1, -(-count // PAGE))
    page = min(page or _page_of_selected(nodes, order), last)
    low, high = (page - 1) * PAGE, min(page * PAGE, count)
    groups = _group_names(nodes)
    return NodeTablePage(
        columns=_columns(resource, nodes.grouping.kind, sort),
        lines=[_line(nodes, int(place), groups[int(place)]) for place in order[low:high]],
        place=f"{grouped(low + 1)} to {grouped(high)} of {grouped(count)}" if count else "no nodes",
        before=page - 1,
        after=page + 1 if page < last else 0,
    )


def _page_of_selected(nodes: NodeStates, order: NDArray[np.int64]) -> int:
    place = nodes.place_of.get(nodes.source.node)
    return 1 if place is None else int(np.flatnonzero(order == place)[0]) // PAGE + 1


def _order(nodes: NodeStates, sort: str) -> NDArray[np.int64]:
    """Indexes of the nodes in the requested order; equal ones stay in the order of the map. Totals and shares are
    descending.
    """
    name = sort.removeprefix("-")
    keys = {
        "group": np.arange(len(nodes.names)),
        "node": nodes.grouping.order,
        "verdict": RANKS[nodes.states] if len(nodes.names) else np.zeros(0, dtype=np.int64),
        "total": -nodes.totals,
        "share": -nodes.share,
        "free": nodes.used - nodes.whole,
    }
    key = keys[name]
    return np.argsort(-key if sort.startswith("-") else key, kind="stable")


def _columns(resource: MapResource, group: str, sort: str) -> list[NodeColumn]:
    labels = ("Group" if not group else group.capitalize(), "Node", "Verdict", "Total", resource.bare_name, "free")
    columns = []
    for name, label in zip(NODE_COLUMNS, labels, strict=True):
        is_number, falls = name in ("total", "share", "free"), sort.startswith("-")
        aria = ""
        if sort.removeprefix("-") == name:
            aria = "ascending" if falls == is_number else "descending"
        columns.append(NodeColumn(label, f"-{name}" if sort == name else name, aria, is_number))
    return columns


def _group_names(nodes: NodeStates) -> list[str]:
    names: list[str] = []
    for group in nodes.grouping.groups:
        names.extend([nodes.grouping.name(group)] * (group.end - group.start))
    return names


def _line(nodes: NodeStates, place: int, group: str) -> NodeLine:
    name, total = nodes.names[place], int(nodes.totals[place])
    used, whole = int(nodes.used[place]), int(nodes.whole[place])
    cycle = nodes.source.cycle
    return NodeLine(
        name=name,
        short=nodes.short(name),
        group=group,
        verdict=nodes.word(place),
        total="" if total == NO_TOTAL else grouped(total),
        share=percent(used, whole) if whole else "none",
        free=amount(whole - used, nodes.resource),
        is_selected=name == nodes.source.node,
        is_winner=cycle is not None and name == cycle.winner,
        is_equal=bool(nodes.is_equal[place]),
    )
