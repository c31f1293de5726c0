"""The map as data for the script that paints it: groups, marks, and one byte per node and figure."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

from dashboard.common.pages.numbers import grouped, percent, plural
from dashboard.debugger.panels.cluster_map.node_states import NO_TOTAL, NodeState

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dashboard.debugger.inputs.grouping import LabelGroup
    from dashboard.debugger.panels.cluster_map.node_states import NodeStates
    from dashboard.debugger.panels.cluster_map.resources import MapResource, ResourceChoice

MARKED = 50
# The bit of a node's state for nodes among which the winner was drawn.
EQUAL = 8


def names_json(nodes: NodeStates) -> dict[str, Any]:
    """Return {version, names}: the names by place, the same for all cursors with this version."""
    return {"version": nodes.grouping.version, "names": nodes.names}


def picture_json(nodes: NodeStates, choice: ResourceChoice) -> dict[str, Any]:
    """Return the map at a cursor, with the seq, cycle, pod and node that it speaks of.

    `states` and `shares` are bytes in base64, one per node by place: the state is a NodeState, plus EQUAL; the share is
    what is requested of the resource in percent of what is allocatable, at most 255. `totals` are {values: the
    distinct totals, index: base64 of one (two, little-endian, from 255 totals on) bytes per node: 0 for none, else 1 +
    the place in values}, or None. `beside` are the shares of one more resource, or None: the first device where the map
    shows none, else the first that is no device.
    """
    source, resource, beside = nodes.source, choice.chosen, _beside(choice)
    return {
        "version": nodes.grouping.version,
        "seq": source.state.seq,
        "cycle": source.selection.cycle,
        "pod": source.pod_key,
        "node": source.node,
        "resource": resource.bare_name,
        "states": _bytes(nodes.states + EQUAL * nodes.is_equal.astype(np.uint8)),
        "shares": _shares(nodes.share),
        "beside": beside and {"resource": beside.bare_name, "shares": _shares(nodes.share_of(beside.name))},
        "totals": _totals(nodes),
        "groups": [_group(nodes, group, resource) for group in nodes.grouping.groups],
        "marks": _marks(nodes),
    }


def _beside(choice: ResourceChoice) -> MapResource | None:
    is_device = "/" in choice.chosen.name
    return next((one for one in choice.resources if ("/" in one.name) != is_device), None)


def _shares(share: NDArray[np.float64]) -> str:
    whole = 100 * share
    # A small request that rounds to 0 % is shown as 1 %.
    whole = np.where((whole > 0) & (whole < 1), 1, np.rint(whole))
    return _bytes(np.clip(whole, 0, 255).astype(np.uint8))


def _bytes(values: NDArray[Any]) -> str:
    return base64.b64encode(values.tobytes()).decode()


def _totals(nodes: NodeStates) -> dict[str, Any] | None:
    values, index = np.unique(nodes.totals, return_inverse=True)
    if len(values) == 0 or values[-1] == NO_TOTAL:
        return None
    if values[0] == NO_TOTAL:
        values = values[1:]
    else:
        index = index + 1
    packed = index.astype(np.uint8) if len(values) < 255 else index.astype(np.dtype("<u2"))
    return {"values": values.tolist(), "index": _bytes(packed)}


def _group(nodes: NodeStates, group: LabelGroup, resource: MapResource) -> dict[str, Any]:
    """A group with its head in words, and in fewer words for a group that shares its row."""
    at = slice(group.start, group.end)
    count, whole = group.end - group.start, int(nodes.whole[at].sum())
    notes, short = [plural(count, "node")], f"{grouped(count)}"
    if nodes.source.view is not None:
        fits = grouped(int((nodes.states[at] == NodeState.FITS).sum()))
        notes.append(f"{fits} fit")
        short = f"{fits}/{grouped(count)} fit"
    used = percent(int(nodes.used[at].sum()), whole)
    notes.append(f"{resource.bare_name} {used}" if whole else f"no {resource.bare_name}")
    name = nodes.grouping.name(group)
    return {"name": name, "note": " · ".join(notes), "short": short, "start": group.start, "end": group.end}


def _marks(nodes: NodeStates) -> dict[str, Any]:
    """The nodes that are labelled: {place, name}, the name without the domain that all nodes share."""
    cycle = nodes.source.cycle
    nominated = sorted(set(nodes.source.state.nominations.values()))[:MARKED]
    return {
        "winner": _mark(nodes, cycle.winner if cycle else ""),
        "selected": _mark(nodes, nodes.source.node),
        "nominated": [mark for name in nominated if (mark := _mark(nodes, name)) is not None],
    }


def _mark(nodes: NodeStates, name: str) -> dict[str, Any] | None:
    place = nodes.place_of.get(name)
    return None if place is None else {"place": place, "name": nodes.short(name)}
