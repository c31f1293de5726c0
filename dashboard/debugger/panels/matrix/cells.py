"""The parts of the matrix: cells, rows, folded rows, the open group, the query, and the heads that sort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.debugger.labels import short_plugin

if TYPE_CHECKING:
    from dashboard.debugger.panels.matrix.frame_view import FilterCell, FrameView


@dataclass(frozen=True)
class ScoreCell:
    """One score in the chosen form, None after the cursor. `look` is h1 to h5 (how far above the column's minimum),
    "same" if all are equal, or "ahead".
    """

    plugin: str
    value: int | None
    look: str


@dataclass(frozen=True)
class Row:
    """A node that fits; `mark` is win, second or ""; `tied` is the number of nodes with its total, including itself.

    `is_equal`: the winner was drawn, and this node is among those it was drawn from. `fold` are the following nodes
    with the same verdicts and scores, None if each has a row.
    """

    node: str
    rank: int
    mark: str
    tied: int
    filters: list[FilterCell]
    scores: list[ScoreCell]
    total: int | None
    is_equal: bool = False
    fold: Fold | None = None


@dataclass(frozen=True)
class Fold:
    """Equal nodes in one line: `key` names them in addresses; `names` are those shown where it is open."""

    key: str
    count: int
    first: str
    names: list[str]
    more: int
    is_open: bool


@dataclass(frozen=True)
class OpenGroup:
    """The nodes of the expanded group, one page of them."""

    key: str
    names: list[str]
    more: int


@dataclass(frozen=True)
class MatrixQuery:
    """What to show: values (points, norm, raw), sort (plugin, "node" or "" for total), order, name filter, page, group.

    `winner` and `second` are nodes as the recording has them.
    """

    values: str = "points"
    sort: str = ""
    order: str = ""
    q: str = ""
    page: int = 1
    open: str = ""
    winner: str = ""
    second: str = ""
    pinned: str = ""


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


def score_columns(view: FrameView, query: MatrixQuery) -> list[ScoreColumn]:
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
