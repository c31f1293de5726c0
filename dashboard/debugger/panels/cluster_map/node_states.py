"""The state of each node for the pod at the cursor: its verdict, its requested share, its total."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dashboard.debugger.inputs.layout import shares
from dashboard.debugger.panels.matrix.frame_view import verdict_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dashboard.debugger.cursor.selection import Selection
    from dashboard.debugger.inputs.facts import Facts, PodFacts
    from dashboard.debugger.inputs.grouping import Grouping
    from dashboard.debugger.inputs.layout import Usage
    from dashboard.debugger.panels.cycle.view_model import CycleView
    from dashboard.debugger.panels.matrix.frame_view import FrameView
    from dashboard.debugger.panels.refused_node import RefusalContext
    from dashboard.runs.models import Run
    from scheduler_core.recording.state import RunState

    Int64 = NDArray[np.int64]

NO_TOTAL = -1


class NodeState(IntEnum):
    """The state of a node for the pod, as the map draws it."""

    UNKNOWN = 0
    FITS = 1
    REFUSED = 2
    UNRESOLVABLE = 3
    NOT_LOOKED_AT = 4
    CANDIDATE = 5
    NOMINATED = 6


WORDS = {
    NodeState.UNKNOWN: "",
    NodeState.FITS: "fits",
    NodeState.REFUSED: "refused",
    NodeState.UNRESOLVABLE: "unresolvable",
    NodeState.NOT_LOOKED_AT: "not looked at",
    NodeState.CANDIDATE: "candidate for preemption",
    NodeState.NOMINATED: "nominated",
}


@dataclass(frozen=True)
class MapSource:
    """The data of the map. `cycle` and `view` are None if the cursor is before any verdicts.

    `pod` is the selected one (None: none, or one that no input has), `context` explains its refusals.
    """

    run: Run
    state: RunState
    facts: Facts
    usage: Usage
    cycle: CycleView | None
    view: FrameView | None
    pod: PodFacts | None
    selection: Selection
    context: RefusalContext | None

    @property
    def pod_key(self) -> str:
        """Return the selected pod, "" for none."""
        return self.selection.pod

    @property
    def node(self) -> str:
        """Return the selected node, "" for none."""
        return self.selection.node


class NodeStates:
    """Arrays by place on the map: `states` uint8 (NodeState), `is_equal` bool, `totals` int64, `share` float64."""

    def __init__(self, source: MapSource, grouping: Grouping, resource: str) -> None:
        self.source, self.grouping, self.resource = source, grouping, resource
        usage, order = source.usage, grouping.order
        self.names = grouping.names
        self.used, self.whole = usage.used(resource)[order], usage.whole(resource)[order]
        self.share = self.share_of(resource)
        self.has_none = self.whole == 0
        self.rows = self._rows()

    def share_of(self, resource: str) -> NDArray[np.float64]:
        """Return requested divided by allocatable of a resource, float64[nodes]; 0 where nothing is allocatable."""
        usage, order = self.source.usage, self.grouping.order
        return shares(usage.used(resource)[order], usage.whole(resource)[order])

    @property
    def place_of(self) -> dict[str, int]:
        """{name: place}."""
        return self.grouping.place_of

    def short(self, name: str) -> str:
        """Return a node's name without the domain that all nodes have, for narrow places."""
        return name.removesuffix(self.grouping.domain)

    def _rows(self) -> Int64:
        """The frame's row of each node, -1 for one that was not there when the cycle began."""
        view, layout, order = self.source.view, self.source.usage.layout, self.grouping.order
        if view is None:
            return np.full(len(order), -1, dtype=np.int64)
        if view.rows is layout.nodes.rows(view.frame.n_rows):
            return layout.node_rows[order]
        return np.array([view.row_of.get(name, -1) for name in self.names], dtype=np.int64)

    @cached_property
    def states(self) -> NDArray[np.uint8]:
        """The state of each node, uint8[nodes]. A refused node that has none of the resource counts as unresolvable."""
        view, there = self.source.view, self.rows >= 0
        codes = np.zeros(len(self.names), dtype=np.uint8)
        if view is not None:
            codes[:] = NodeState.NOT_LOOKED_AT
            codes[there] = verdict_codes(view)[self.rows[there]]
        codes[self.has_none & np.isin(codes, (NodeState.UNKNOWN, NodeState.REFUSED))] = NodeState.UNRESOLVABLE
        self._mark_candidates(codes)
        return codes

    def _mark_candidates(self, codes: NDArray[np.uint8]) -> None:
        preemption = self.source.cycle.preemption if self.source.cycle else None
        for one in preemption.candidates if preemption else ():
            if one.node in self.place_of:
                is_nominated = preemption is not None and one.node == preemption.nominated_node
                codes[self.place_of[one.node]] = NodeState.NOMINATED if is_nominated else NodeState.CANDIDATE

    @cached_property
    def totals(self) -> Int64:
        """The total of each node that fits, NO_TOTAL for the others and before the scores are known."""
        totals = np.full(len(self.names), NO_TOTAL, dtype=np.int64)
        view = self.source.view
        if view is not None and view.has_scores:
            fits = self.states == NodeState.FITS
            totals[fits] = view.totals[self.rows[fits]]
        return totals

    @cached_property
    def is_equal(self) -> NDArray[np.bool_]:
        """Which nodes had the same total as the winner, who was drawn among them; bool[nodes]."""
        cycle = self.source.cycle
        if cycle is None or cycle.selected is None or not cycle.is_tie:
            return np.zeros(len(self.names), dtype=bool)
        return (self.states == NodeState.FITS) & (self.totals == cycle.selected.total)

    def count(self, *states: NodeState) -> int:
        """Return the number of nodes in these states."""
        return int(np.isin(self.states, states).sum())

    def word(self, place: int) -> str:
        """Return a node's state in words."""
        state = NodeState(int(self.states[place]))
        if state == NodeState.UNRESOLVABLE and self.has_none[place]:
            return f"has no {self.resource.rpartition('/')[2]}"
        return WORDS[state]
