"""The pane of the cluster map at a cursor; each part is computed only when it is used."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from dashboard.debugger.inputs.grouping import grouping_of
from dashboard.debugger.panels.cluster_map import cards, legend, node_card, node_table, picture
from dashboard.debugger.panels.cluster_map.node_states import NodeStates
from dashboard.debugger.panels.cluster_map.resources import resource_choice

if TYPE_CHECKING:
    from dashboard.debugger.cursor.cursor import View
    from dashboard.debugger.inputs.grouping import Grouping
    from dashboard.debugger.panels.cluster_map.node_card import PodPage
    from dashboard.debugger.panels.cluster_map.node_states import MapSource
    from dashboard.debugger.panels.cluster_map.resources import ResourceChoice


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
    def legend(self) -> list[legend.LegendEntry]:
        """The legend."""
        return legend.map_legend(self.nodes, self.choice.chosen)

    @property
    def in_words(self) -> str:
        """Return the description of the map for screen readers."""
        return legend.in_words(self.nodes, self.legend)

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
