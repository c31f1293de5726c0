"""The pane of the cluster map at a cursor; each part is computed only when it is used."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.inputs.grouping import grouping_of
from dashboard.debugger.panels.cluster_map import cards, node_card, node_table, picture
from dashboard.debugger.panels.cluster_map.node_states import NodeState, NodeStates
from dashboard.debugger.panels.cluster_map.resources import resource_choice

if TYPE_CHECKING:
    from dashboard.debugger.cursor.cursor import View
    from dashboard.debugger.inputs.grouping import Grouping
    from dashboard.debugger.panels.cluster_map.node_card import PodPage
    from dashboard.debugger.panels.cluster_map.node_states import MapSource
    from dashboard.debugger.panels.cluster_map.resources import MapResource, ResourceChoice


@dataclass(frozen=True)
class LegendEntry:
    """One colour: `swatch` names how it is drawn, `title` says what it means."""

    swatch: str
    label: str
    count: int
    title: str


def map_legend(nodes: NodeStates, resource: MapResource) -> list[LegendEntry]:
    """Return the entries of the legend; those without nodes are left out, except "fits"."""
    if nodes.source.view is None:
        return _without_verdicts(nodes, resource)
    entries = [
        _entry(nodes, "nominated", NodeState.NOMINATED, "preemption nominated the pod to this node"),
        _entry(nodes, "candidate", NodeState.CANDIDATE, "preemption could make room here by evicting pods"),
        _entry(nodes, "fits", NodeState.FITS, "passed all filters"),
        _entry(nodes, "refused", NodeState.REFUSED, "a filter refused it; other pods leaving, or a change, may help"),
        _unresolvable(nodes, resource),
        _entry(nodes, "not looked at", NodeState.NOT_LOOKED_AT, "enough nodes had been found before its turn"),
    ]
    places = {nodes.place_of[node] for node in nodes.source.state.nominations.values() if node in nodes.place_of}
    held = [place for place in places if nodes.states[place] != NodeState.NOMINATED]
    entries.append(LegendEntry("held", "held", len(held), "other pods are nominated to these and count there"))
    equal = int(nodes.is_equal.sum())
    if equal:
        title = "the same highest total; the winner was drawn from these (underlined where they are many and small)"
        entries.append(LegendEntry("equal", "equal", equal, title))
    return [entry for entry in entries if entry.count or entry.swatch == "fits"]


def _entry(nodes: NodeStates, label: str, state: NodeState, title: str) -> LegendEntry:
    return LegendEntry(label.replace(" ", "-"), label, nodes.count(state), title)


def _unresolvable(nodes: NodeStates, resource: MapResource) -> LegendEntry:
    is_so = nodes.states == NodeState.UNRESOLVABLE
    count, without = int(is_so.sum()), int((is_so & nodes.has_none).sum())
    title = "refused, and no pod leaving would help"
    if count and without == count:
        return LegendEntry("unresolvable", f"no {resource.bare_name}", count, f"have none of {resource.name}")
    if without:
        title = f"{title}; {plural(without, 'of them has', 'of them have')} no {resource.bare_name}"
    return LegendEntry("unresolvable", "unresolvable", count, title)


def _without_verdicts(nodes: NodeStates, resource: MapResource) -> list[LegendEntry]:
    without = nodes.count(NodeState.UNRESOLVABLE)
    entries = [LegendEntry("refused", "nodes", len(nodes.names), "this cursor knows no verdicts")]
    if without:
        title = f"have none of {resource.name}"
        entries.append(LegendEntry("unresolvable", f"no {resource.bare_name}", without, title))
    return entries


def in_words(nodes: NodeStates, entries: list[LegendEntry]) -> str:
    """Return the description of the map for screen readers."""
    parts = [f"{grouped(entry.count)} {entry.label}" for entry in entries]
    winner = nodes.source.cycle.winner if nodes.source.cycle else ""
    text = f"{plural(len(nodes.names), 'node')} by {nodes.grouping.kind or 'name'}: {', '.join(parts)}"
    return f"{text}. Winner {winner}" if winner else text


class MapPanel:
    """The pane. Its properties raise BadQuery if the address names a resource that no pod requests."""

    def __init__(self, source: MapSource, view: View) -> None:
        self.source, self.view = source, view

    @cached_property
    def choice(self) -> ResourceChoice:
        """The resources that can be shown, and which one is."""
        return resource_choice(self.view.map, self.source.pod, self.source.facts, self.source.usage)

    @cached_property
    def grouping(self) -> Grouping:
        """The nodes in groups."""
        return grouping_of(self.source.facts, self.source.state, self.source.pod)

    @cached_property
    def nodes(self) -> NodeStates:
        """How each node stands."""
        return NodeStates(self.source, self.grouping, self.choice.chosen.name)

    @cached_property
    def picture(self) -> dict[str, Any]:
        """The data of the squares."""
        return picture.picture_json(self.nodes, self.choice)

    @property
    def names(self) -> dict[str, Any]:
        """The names of the squares."""
        return picture.names_json(self.nodes)

    @property
    def has_cards(self) -> bool:
        """Whether there are so few nodes that each gets a card."""
        return 0 < len(self.nodes.names) < cards.CARDS

    @cached_property
    def card_groups(self) -> list[cards.CardGroup]:
        """The cards."""
        return cards.card_groups(self.nodes, self.choice, self.picture["groups"])

    @cached_property
    def legend(self) -> list[LegendEntry]:
        """The legend."""
        return map_legend(self.nodes, self.choice.chosen)

    @property
    def in_words(self) -> str:
        """Return the description of the map for screen readers."""
        return in_words(self.nodes, self.legend)

    @cached_property
    def node_card(self) -> node_card.NodeCard | None:
        """The card of the selected node, the winner or the nominated node."""
        return node_card.node_card(self.nodes, self.choice)

    @cached_property
    def table(self) -> node_table.NodeTablePage:
        """The map as a table."""
        view = self.view
        return node_table.node_table(self.nodes, self.choice.chosen, view.table_sort or "group", view.table_page)

    def pods_on(self, node: str, page: int) -> PodPage:
        """Return a page of the pods on a node."""
        return node_card.pod_page(self.source, node, self.choice.chosen.name, page)
