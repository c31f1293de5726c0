"""The map as a table: the same nodes in the same order, or by share, in pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.clusters.map.selection import node_amounts

if TYPE_CHECKING:
    from dashboard.clusters.map.cluster_map import ClusterMap
    from dashboard.clusters.map.selection import Amount
    from dashboard.clusters.revisions.object_rows import NodeRow

PAGE = 50
NODE_SORTS = ("group", "name", "share", "pods")


@dataclass(frozen=True)
class MapRow:
    """One node as a row: `amounts` has an entry per resource of the map, None if the node has none of it."""

    node: NodeRow
    group: str
    scarcest: str
    amounts: list[Amount | None]
    is_selected: bool


@dataclass(frozen=True)
class MapTable:
    """A page of the table; `before` and `after` are numbers of pages, 0 where there is none."""

    resources: list[str]
    lines: list[MapRow]
    first: int
    last: int
    total: int
    before: int
    after: int


def node_table(cluster_map: ClusterMap, grouping: str, sort: str, page: int, selected: str) -> MapTable:
    """Return a page of all nodes; page 0 is the one with the selected node, or the first."""
    order = _order(cluster_map, grouping, sort)
    if not page:
        place = cluster_map.place_of.get(selected)
        page = 1 if place is None else order.index(place) // PAGE + 1
    last_page = max(1, -(-len(order) // PAGE))
    page = min(page, last_page)
    low, high = (page - 1) * PAGE, min(page * PAGE, len(order))
    return MapTable(
        resources=[one.name for one in cluster_map.resources],
        lines=[_line(cluster_map, place, grouping, selected) for place in order[low:high]],
        first=low + 1 if order else 0,
        last=high,
        total=len(order),
        before=page - 1,
        after=page + 1 if page < last_page else 0,
    )


def _order(cluster_map: ClusterMap, grouping: str, sort: str) -> list[int]:
    if sort == "group":
        return cluster_map.ordered(grouping)
    places = list(range(len(cluster_map.nodes)))
    if sort == "share":
        places.sort(key=lambda place: -cluster_map.scarcest(cluster_map.nodes[place])[0])
    elif sort == "pods":
        places.sort(key=lambda place: -cluster_map.nodes[place].n_pods)
    return places


def _line(cluster_map: ClusterMap, place: int, grouping: str, selected: str) -> MapRow:
    node = cluster_map.nodes[place]
    amounts = {one.name: one for one in node_amounts(cluster_map, node)}
    values = cluster_map.groupings.get(grouping)
    return MapRow(
        node=node,
        group=values[place] or f"no {grouping}" if values else "",
        scarcest=cluster_map.scarcest(node)[1],
        amounts=[amounts.get(one.name) for one in cluster_map.resources],
        is_selected=node.name == selected,
    )
