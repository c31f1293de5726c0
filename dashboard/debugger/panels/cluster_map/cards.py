"""The map of small clusters: a card per node instead of a square, with its reason, its usage and its pods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import amount, grouped, percent, plural
from dashboard.debugger.inputs.grouping import bare
from dashboard.debugger.panels.cluster_map.node_states import NO_TOTAL, NodeState
from dashboard.debugger.panels.matrix.frame_view import filter_cell
from dashboard.debugger.panels.refused_node import REFUSING, RESOURCES, situations
from scheduler_core.explain import NodeSituation, explain_refusal, shortfalls

if TYPE_CHECKING:
    from dashboard.debugger.panels.cluster_map.node_states import MapSource, NodeStates
    from dashboard.debugger.panels.cluster_map.resources import MapResource, ResourceChoice
    from dashboard.debugger.panels.matrix.frame_view import FilterCell

CARDS = 60
METERS = 2
# A group with at least this many cards has rows of its own.
WIDE_GROUP = 4
GLYPHS = {
    NodeState.FITS: ("bound", "check"),
    NodeState.REFUSED: ("unsched", "x"),
    NodeState.UNRESOLVABLE: ("unres", "ban"),
    NodeState.NOT_LOOKED_AT: ("none", "dash"),
    NodeState.CANDIDATE: ("victim", "eject"),
    NodeState.NOMINATED: ("nomin", "diamond"),
}


@dataclass(frozen=True)
class PodTile:
    """A pod on a node: x and width in percent of what the node has of the resource; `look` is its class."""

    x: float
    width: float
    look: str


@dataclass(frozen=True)
class Meter:
    """The requested share of a node's resource in percent; `text` has both amounts."""

    label: str
    share: float
    percent: str
    text: str


@dataclass(frozen=True)
class NodeCardlet:
    """One node, `short` its name without the domain that all have.

    `look` are its classes, `meaning` and `glyph` its verdict, `reason` why, or its total.
    """

    name: str
    short: str
    look: str
    meaning: str
    glyph: str
    verdict: str
    reason: str
    meters: list[Meter]
    tiles: list[PodTile]


@dataclass(frozen=True)
class CardGroup:
    """The cards of a group with its head."""

    name: str
    note: str
    cards: list[NodeCardlet]

    @property
    def look(self) -> str:
        """Return the class that gives the group as much of a row as it has cards."""
        return f"of-{min(len(self.cards), WIDE_GROUP)}"


def card_groups(nodes: NodeStates, choice: ResourceChoice, groups: list[dict[str, object]]) -> list[CardGroup]:
    """Return the cards of all nodes; `groups` are those of the picture, with the same heads."""
    shown = [choice.chosen, *(one for one in choice.resources if not one.is_on)][:METERS]
    reasons, tiles = _reasons(nodes), _tiles(nodes)
    cards = [_card(nodes, place, shown, reasons, tiles[name]) for place, name in enumerate(nodes.names)]
    return [
        CardGroup(nodes.grouping.name(group), str(head["note"]), cards[group.start : group.end])
        for group, head in zip(nodes.grouping.groups, groups, strict=True)
    ]


def _card(
    nodes: NodeStates, place: int, shown: list[MapResource], reasons: dict[str, str], tiles: list[PodTile]
) -> NodeCardlet:
    name, state = nodes.names[place], NodeState(int(nodes.states[place]))
    meaning, glyph, look = *GLYPHS.get(state, ("none", "")), [f"is-{state.name.lower().replace('_', '-')}"]
    cycle = nodes.source.cycle
    if nodes.is_equal[place]:
        look.append("is-equal")
        meaning, glyph = "tie", "equal"
    if cycle is not None and name == cycle.winner:
        look.append("is-winner")
        meaning, glyph = "win", "star"
    if name == nodes.source.node:
        look.append("is-node")
    return NodeCardlet(
        name=name,
        short=nodes.short(name),
        look=" ".join(look),
        meaning=meaning,
        glyph=glyph,
        verdict=nodes.word(place),
        reason=reasons.get(name) or _standing(nodes, place, state),
        meters=[_meter(nodes.source, name, one) for one in shown],
        tiles=tiles,
    )


def _meter(source: MapSource, name: str, resource: MapResource) -> Meter:
    at = source.usage.index[name]
    used, whole = int(source.usage.used(resource.name)[at]), int(source.usage.whole(resource.name)[at])
    text = f"{resource.bare_name}: {amount(used, resource.name)} of {amount(whole, resource.name)} requested"
    return Meter(resource.label, min(100 * used / whole, 100) if whole else 0, percent(used, whole), text)


def _standing(nodes: NodeStates, place: int, state: NodeState) -> str:
    """The text on the card of a node that no filter refused."""
    source, name = nodes.source, nodes.names[place]
    if state in (NodeState.CANDIDATE, NodeState.NOMINATED) and source.cycle and source.cycle.preemption:
        one = next(c for c in source.cycle.preemption.candidates if c.node == name)
        broken = f", {one.violations} PDB" if one.violations else ""
        return f"evict {plural(len(one.victims), 'pod')}{broken}"
    if state == NodeState.FITS:
        total = int(nodes.totals[place])
        return f"total {grouped(total)}" if total != NO_TOTAL else "fits"
    if state == NodeState.UNKNOWN:
        return plural(int(source.usage.pods[source.usage.index[name]]), "pod")
    return nodes.word(place)


# ---------------------------------------------------------------- reasons


def _reasons(nodes: NodeStates) -> dict[str, str]:
    """{node: reason} of the refused nodes: the first plugin that refused, with the missing amounts."""
    view, context = nodes.source.view, nodes.source.context
    if view is None:
        return {}
    refused = [
        name
        for place, name in enumerate(nodes.names)
        if nodes.states[place] in (NodeState.REFUSED, NodeState.UNRESOLVABLE) and nodes.rows[place] >= 0
    ]
    situations_by_node = situations(context, refused) if context is not None else {}
    reasons = {}
    for name in refused:
        row = view.row_of[name]
        cells = (filter_cell(view.frame, plugin, row) for plugin in view.frame.filter_plugins)
        cell = next((cell for cell in cells if cell.look in REFUSING), None)
        if cell is not None:
            reasons[name] = _reason(nodes.source, cell, situations_by_node.get(name))
    return reasons


def _reason(source: MapSource, cell: FilterCell, situation: NodeSituation | None) -> str:
    context = source.context
    if context is None or situation is None:
        return cell.reason
    if cell.plugin == RESOURCES:
        missing = shortfalls(context.requests, situation)
        amounts = [f"{amount(one.missing, one.resource)} {bare(one.resource)}" for one in missing if one.missing > 0]
        return f"short {', '.join(amounts)}" if amounts else cell.reason
    return "; ".join(explain_refusal(cell.plugin, context.object, situation, context.requests)) or cell.reason


# ---------------------------------------------------------------- pods


def _tiles(nodes: NodeStates) -> dict[str, list[PodTile]]:
    """{node: its pods}, each as wide as its share of the resource."""
    source, resource = nodes.source, nodes.resource
    flags, mine = _flags(source), source.pod_key
    whole = dict(zip(nodes.names, nodes.whole.tolist(), strict=True))
    at: dict[str, float] = dict.fromkeys(nodes.names, 0.0)
    tiles_by_node: dict[str, list[PodTile]] = {name: [] for name in nodes.names}
    for key, placement in source.state.placements.items():
        node = placement.node
        if not whole.get(node):
            continue
        pod = source.facts.pod(key, source.state)
        asked = 1 if resource == "pods" else pod.requests.get(resource, 0) if pod else 0
        width = min(100 * asked / whole[node], 100 - at[node])
        if width <= 0:
            continue
        leaves = "is-leaving" if key in source.state.terminating else ""
        look = "is-mine" if key == mine else flags.get((node, key), leaves)
        tiles_by_node[node].append(PodTile(at[node], max(width - 0.8, 0.4), look))
        at[node] += width
    return tiles_by_node


def _flags(source: MapSource) -> dict[tuple[str, str], str]:
    preemption = source.cycle.preemption if source.cycle else None
    flags = {}
    for one in preemption.candidates if preemption else ():
        flags.update({(one.node, pod): "is-victim" for pod in one.victims})
        flags.update({(one.node, pod): "is-spared" for pod in one.reprieved})
    return flags
