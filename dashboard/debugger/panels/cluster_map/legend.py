"""The legend of the map: the meanings of its colours, with numbers of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.panels.cluster_map.node_states import NodeState

if TYPE_CHECKING:
    from dashboard.debugger.panels.cluster_map.node_states import NodeStates
    from dashboard.debugger.panels.cluster_map.resources import MapResource


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
