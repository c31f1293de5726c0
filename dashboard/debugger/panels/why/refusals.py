"""How many nodes fit, refuse, or were not looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.debugger.panels.matrix.frame_view import FrameView


@dataclass(frozen=True)
class Refusals:
    """How many nodes said what."""

    n_nodes: int
    n_refused: int
    feasible: int
    unvisited: int


def refusals(view: FrameView) -> Refusals:
    """Return how many nodes refuse."""
    n_nodes = view.rows.n_present
    return Refusals(n_nodes, len(view.refused), len(view.feasible), n_nodes - int(view.visited.sum()))
