"""The map's panel: choices, totals of each resource, pods without a node, the selection, and the same as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dashboard.clusters.map.cluster_map import GROUPINGS, build_cluster_map
from dashboard.clusters.map.selection import node_amounts, read_selection, short_name
from dashboard.clusters.revisions.waiting import waiting_pods
from dashboard.common.http.params import choice_param, int_param, shown, text_param
from dashboard.common.pages.numbers import amount, grouped, percent
from dashboard.common.problems import BadQuery

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.clusters.map.cluster_map import ClusterMap, MissingNode, ResourceTotal
    from dashboard.clusters.map.selection import Amount, MapSelection
    from dashboard.clusters.revisions.object_rows import NodeRow
    from dashboard.clusters.revisions.page_context import PageContext
    from dashboard.clusters.revisions.waiting import WaitingPods

VIEWS = ("map", "table")
NAME_LIMIT = 600
GROUPS_SHOWN = 60
# Up to this many nodes fit into a lower pane.
FEW, SOME = 8, 40


@dataclass(frozen=True)
class MapQuery:
    """The map's parameters in the address; `resource` is "" for the scarcest of each node."""

    view: str
    resource: str
    grouping: str
    sort: str
    page: int

    def address(self, others: Mapping[str, str], **changes: str) -> str:
        """Return the query string with changed parameters; empty ones are left out."""
        asked = {**others, **changes}
        return "?" + urlencode({name: value for name, value in asked.items() if value})


@dataclass(frozen=True)
class ResourceTile:
    """A resource above the map: its sums in words, and the address that shows it."""

    name: str
    label: str
    title: str
    used: int
    whole: int
    share: str
    sums: str
    unbound: str
    over: str
    is_on: bool
    url: str


@dataclass(frozen=True)
class Choice:
    """One of several exclusive choices."""

    name: str
    label: str
    is_on: bool
    url: str


@dataclass(frozen=True)
class ClusterMapPanel:
    """All that the templates of the map show."""

    nodes: int
    bound: int
    finished: int
    size: str
    version: str
    tiles: list[ResourceTile]
    scarcest: Choice
    groupings: list[Choice]
    views: list[Choice]
    query: MapQuery
    unbound: int
    unbound_groups: list[WaitingPods]
    more_unbound: list[tuple[str, int]]
    missing: list[MissingNode]
    n_over: int
    selection: MapSelection
    table: MapTable | None

    @property
    def n_on_missing(self) -> int:
        """Return how many pods are bound to nodes that the cluster does not have."""
        return sum(len(node.pods) for node in self.missing)

    @property
    def text(self) -> str:
        """Return the description of the picture for screen readers."""
        over = f", {grouped(self.n_over)} over 100 %" if self.n_over else ""
        return f"{grouped(self.nodes)} nodes with {grouped(self.bound)} pods{over}"


def map_query(shown_map: ClusterMap, query: Mapping[str, str]) -> MapQuery:
    """Return the parameters in the address; raises BadQuery for a resource that nothing in the cluster requests."""
    resource = text_param(query, "resource", NAME_LIMIT)
    resources = [one.name for one in shown_map.resources]
    if resource and resource not in resources:
        raise BadQuery(f'"resource" must be one that pods request ({", ".join(resources)}), not "{shown(resource)}".')
    return MapQuery(
        view=choice_param(query, "view", VIEWS, "map"),
        resource=resource,
        grouping=choice_param(query, "group", GROUPINGS, shown_map.default_grouping),
        sort=choice_param(query, "sort", NODE_SORTS, "group"),
        page=int_param(query, "page", 0, low=0, high=100_000),
    )


def map_panel(page: PageContext, query: Mapping[str, str]) -> ClusterMapPanel:
    """Return the panel of a cluster at the shown revision."""
    cluster_map = build_cluster_map(page.contents)
    asked, others = map_query(cluster_map, query), dict(query.items())
    unbound_groups = waiting_pods(cluster_map.unbound)
    selection = read_selection(cluster_map, query)
    return ClusterMapPanel(
        nodes=len(cluster_map.nodes),
        bound=cluster_map.n_bound,
        finished=cluster_map.n_finished,
        size="few" if len(cluster_map.nodes) <= FEW else "some" if len(cluster_map.nodes) <= SOME else "many",
        version=page.version,
        tiles=[_tile(one, asked, others) for one in cluster_map.resources],
        scarcest=Choice("", "Scarcest", asked.resource == "", asked.address(others, resource="", page="")),
        groupings=_groupings(cluster_map, asked, others),
        views=[
            Choice(name, name.capitalize(), name == asked.view, asked.address(others, view=_unless(name, "map")))
            for name in VIEWS
        ],
        query=asked,
        unbound=len(cluster_map.unbound),
        unbound_groups=unbound_groups[:GROUPS_SHOWN],
        more_unbound=_left(unbound_groups[GROUPS_SHOWN:]),
        missing=cluster_map.missing_nodes,
        n_over=cluster_map.n_over,
        selection=selection,
        table=node_table(cluster_map, asked.grouping, asked.sort, asked.page, selection.node)
        if asked.view == "table"
        else None,
    )


def _left(groups: list[WaitingPods]) -> list[tuple[str, int]]:
    """(status, number of pods) in groups that are not shown."""
    counts = {status: sum(group.count for group in groups if group.status == status) for status in ("pending", "gated")}
    return [(status, count) for status, count in counts.items() if count]


def _unless(value: str, default: str) -> str:
    return "" if value == default else value


def _groupings(cluster_map: ClusterMap, asked: MapQuery, others: dict[str, str]) -> list[Choice]:
    """The groupings of the map and "none", as choices; [] if no node has a zone or pool."""
    names = [*cluster_map.groupings, "none"] if cluster_map.groupings else []
    return [
        Choice(name, name.capitalize(), name == asked.grouping, asked.address(others, group=name, page=""))
        for name in names
    ]


def _tile(one: ResourceTotal, asked: MapQuery, others: dict[str, str]) -> ResourceTile:
    used, whole = amount(one.requested, one.name), amount(one.allocatable, one.name)
    more = amount(one.unbound, one.name) if one.unbound else ""
    return ResourceTile(
        name=one.name,
        label=short_name(one.name),
        title=f"{one.name}: {used} requested of {whole} allocatable"
        + (f", {more} more by unbound pods" if more else ""),
        used=one.requested,
        whole=one.allocatable,
        share=percent(one.requested, one.allocatable) if one.allocatable else "no node has it",
        sums=f"{used} / {whole}",
        unbound=more,
        over=f"{grouped(one.n_over)} over" if one.n_over else "",
        is_on=one.name == asked.resource,
        url=asked.address(others, resource=one.name, page=""),
    )


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
