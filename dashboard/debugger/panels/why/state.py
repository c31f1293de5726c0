"""The state of the Why tab, one for each way in which a cycle can stand or end, and how many nodes fit or refuse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.debugger.panels.cycle.view_model import CycleView, PluginAnswer
    from dashboard.debugger.panels.matrix.frame_view import FrameView
    from dashboard.debugger.panels.why.waterfall import Waterfall


@dataclass(frozen=True)
class Refusals:
    """How many nodes said what."""

    n_nodes: int
    n_refused: int
    feasible: int
    unvisited: int


def node_counts(view: FrameView) -> Refusals:
    """Return how many nodes fit, refuse, or were not looked at."""
    n_nodes = view.rows.n_present
    return Refusals(n_nodes, len(view.refused), len(view.feasible), n_nodes - int(view.visited.sum()))


# Each has a partial of its name in templates/debugger/why/.
STATES = ("drawn", "decided", "nominated", "only", "rejected", "refused", "ended", "open")


def why_state(
    cycle: CycleView, waterfall: Waterfall | None, refusals: Refusals | None, rejected: PluginAnswer | None
) -> str:
    """Return the state: drawn among equals, decided by scores, taken without scores (nominated, only), rejected in
    PreFilter, refused by all nodes looked at, ended otherwise, or open where the cursor is before the answer."""
    if waterfall is not None:
        return "drawn" if waterfall.is_tie else "decided"
    if cycle.selected is not None:
        return "nominated" if cycle.filtered is not None and cycle.filtered.nominated_only else "only"
    if rejected is not None:
        return "rejected"
    if refusals is not None and not refusals.feasible:
        return "refused"
    return "ended" if cycle.is_done and cycle.row.outcome != "scheduled" else "open"
