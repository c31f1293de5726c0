"""The parts of the matrix: cells, rows, folded rows, the open group, and the query."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.debugger.panels.matrix.frame_view import FilterCell


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
