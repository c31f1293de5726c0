"""The heads of the matrix: score plugins with their weights, and how a click on each sorts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.debugger.labels import short_plugin

if TYPE_CHECKING:
    from dashboard.debugger.panels.matrix.cells import MatrixQuery
    from dashboard.debugger.panels.matrix.frame_view import FrameView


@dataclass(frozen=True)
class SortHead:
    """A head that sorts: the `sort` and `order` after a click, and its current `aria` (aria-sort)."""

    sort: str
    order: str
    aria: str

    @property
    def glyph(self) -> str:
        """Return the arrow: of the current order, else of the order after a click."""
        return "up" if self.aria == "ascending" or (not self.aria and self.sort == "node") else "arrowdown"


@dataclass(frozen=True)
class ScoreColumn:
    """A score plugin with its weight, the short name that fits a narrow head, and how its head sorts."""

    plugin: str
    short: str
    weight: int
    head: SortHead
    is_ahead: bool = False


def columns_of(view: FrameView, query: MatrixQuery) -> list[ScoreColumn]:
    """Return the score plugins with weights and short names; those not called at the cursor last."""
    pairs = zip(view.frame.score_plugins, view.frame.weights, strict=True)
    scored = [ScoreColumn(plugin, short_plugin(plugin), weight, _head(plugin, query)) for plugin, weight in pairs]
    ahead = [ScoreColumn(p, short_plugin(p), weight, _head(p, query), is_ahead=True) for p, weight in view.ahead_scores]
    return scored + ahead


def _head(plugin: str, query: MatrixQuery) -> SortHead:
    is_here = query.sort == plugin
    is_up = is_here and query.order == "asc"
    return SortHead(plugin, "asc" if is_here and not is_up else "", aria_sort(is_here, is_up))


def aria_sort(is_here: bool, is_up: bool) -> str:
    """Return aria-sort of a head: "" where the table is not sorted by it."""
    return ("ascending" if is_up else "descending") if is_here else ""
