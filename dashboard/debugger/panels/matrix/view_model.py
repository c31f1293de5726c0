"""The plugin x node matrix of a page: one page of the rows that fit, and the groups of refused rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from dashboard.common.pages.names import ShortNames, short_names
from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.panels.matrix.cells import (
    Fold,
    MatrixQuery,
    OpenGroup,
    Row,
    ScoreCell,
    ScoreColumn,
    SortHead,
    aria_sort,
    score_columns,
)
from dashboard.debugger.panels.matrix.equals import Lines, folded, unfolded
from dashboard.debugger.panels.matrix.groups import VerdictGroup, verdict_groups, with_short_reasons
from dashboard.debugger.panels.missing import MissingOnNodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dashboard.debugger.panels.matrix.frame_view import FrameView

    Int64 = NDArray[np.int64]

PAGE = 20
"""Lines of nodes that fit on a page; a line may stand for many equal nodes."""
NAMES = 50
GROUPS = 40
HEATS = 5
FEW_COLUMNS, SOME_COLUMNS = 10, 13


@dataclass
class Matrix:
    """The contents of the page, with counts. `ahead` are the filters called after the cursor."""

    filters: list[str]
    columns: list[ScoreColumn]
    ahead: tuple[str, ...] = ()
    rows: list[Row] = field(default_factory=list)
    groups: list[VerdictGroup] = field(default_factory=list)
    n_nodes: int = 0
    visited: int = 0
    feasible: int = 0
    refused: int = 0
    unvisited: int = 0
    matched: int = 0
    matched_refused: int = 0
    n_groups: int = 0
    page: int = 1
    pages: int = 1
    first_place: int = 0
    last_place: int = 0
    rest: int = 0
    rest_high: int = 0
    rest_low: int = 0
    opened: OpenGroup | None = None
    names: ShortNames = field(default_factory=lambda: ShortNames())
    query: MatrixQuery = field(default_factory=lambda: MatrixQuery())

    @property
    def form_label(self) -> str:
        """Return the form of the scores in words."""
        return {"points": "weighted points", "norm": "0 to 100"}.get(self.query.values, "raw")

    @property
    def is_partial(self) -> bool:
        """Return whether totals lack scores of plugins that are called after the cursor."""
        return self.has_totals and any(column.is_ahead for column in self.columns)

    @property
    def has_totals(self) -> bool:
        """Return whether a score plugin was called at the cursor, so that nodes have a total."""
        return any(not column.is_ahead for column in self.columns)

    @property
    def by_node(self) -> SortHead:
        """Return how the head "Node" sorts: by name, the other way round where it does so already."""
        is_here = self.query.sort == "node"
        is_down = is_here and self.query.order == "desc"
        return SortHead("node", "desc" if is_here and not is_down else "", aria_sort(is_here, not is_down))

    @property
    def by_total(self) -> SortHead:
        """Return how the head "Total" sorts: the best first, the other way round where it does so already."""
        is_here = not self.query.sort
        is_up = is_here and self.query.order == "asc"
        return SortHead("", "asc" if is_here and not is_up else "", aria_sort(is_here, is_up))

    @property
    def count_text(self) -> str:
        """Return the text in the corner: how many nodes were looked at and fit, with a filter how many match."""
        if self.query.q:
            fit = grouped(self.matched - self.matched_refused)
            return f"{grouped(self.matched)} of {grouped(self.visited)} match, {fit} fit"
        return f"{grouped(self.visited)} looked at, {grouped(self.feasible)} {'left' if self.ahead else 'fit'}"

    @property
    def refused_text(self) -> str:
        """Return the head of the refused nodes: "27 of 1,500 refused" with a filter."""
        shown = f"{grouped(self.matched_refused)} of " if self.query.q else ""
        return f"{shown}{grouped(self.refused)} refused"

    @property
    def groups_text(self) -> str:
        """Return how the refused nodes are grouped."""
        more = f", the largest {grouped(GROUPS)} shown" if self.n_groups > GROUPS else ""
        return f"{plural(self.n_groups, 'group')} of equal verdicts{more}"

    @property
    def place_text(self) -> str:
        """Return which of the nodes that fit are on this page: "51 to 100 of 719 that fit"."""
        total = self.matched - self.matched_refused
        return f"{grouped(self.first_place)} to {grouped(self.last_place)} of {grouped(total)} that fit"

    @property
    def density(self) -> str:
        """Return the class for as many columns as there are: few of them have room for more."""
        if not self.columns:
            return "mx-plain"
        return "mx-few" if self.width <= FEW_COLUMNS else "mx-some" if self.width <= SOME_COLUMNS else ""

    @property
    def width(self) -> int:
        """Return the number of columns after the first."""
        return len(self.filters) + len(self.columns) + 1

    @property
    def max_total(self) -> int:
        """Return the highest total that the weights allow."""
        return 100 * sum(column.weight for column in self.columns)


def build(view: FrameView, query: MatrixQuery, missing: MissingOnNodes | None = None) -> Matrix:
    """Return one page of the matrix; `missing` has what refused nodes lack."""
    frame = view.frame
    filters = [*frame.filter_plugins, *view.ahead_filters]
    matrix = Matrix(filters, score_columns(view, query), view.ahead_filters, query=query)
    matrix.n_nodes = view.rows.n_present
    matrix.visited = int(view.visited.sum())
    matrix.feasible, matrix.refused = len(view.feasible), len(view.refused)
    matrix.unvisited = matrix.n_nodes - matrix.visited
    fits, refused = _matching(view, view.feasible, query.q), _matching(view, view.refused, query.q)
    matrix.matched, matrix.matched_refused = len(fits) + len(refused), len(refused)
    _fill_rows(matrix, view, query, fits)
    _fill_groups(matrix, view, query, refused, missing or MissingOnNodes())
    matrix.names = short_names([row.node for row in matrix.rows] + [group.first for group in matrix.groups])
    return matrix


def _matching(view: FrameView, rows: Int64, text: str) -> Int64:
    if not text or not len(rows):
        return rows
    matches = np.char.find(np.char.lower(view.array[rows]), text.lower()) >= 0
    return rows[matches]


def _fill_rows(matrix: Matrix, view: FrameView, query: MatrixQuery, rows: Int64) -> None:
    lines = _lines(view, query, rows)
    matrix.pages = max(1, -(-len(lines) // PAGE))
    matrix.page = min(query.page, matrix.pages)
    first = (matrix.page - 1) * PAGE
    shown = range(first, min(first + PAGE, len(lines)))
    rest = lines.ordered[lines.place(first + PAGE) :]
    matrix.rest, matrix.first_place, matrix.last_place = len(rest), lines.place(first) + 1, len(rows) - len(rest)
    if len(rest) and view.has_scores:
        matrix.rest_high, matrix.rest_low = int(view.totals[rest].max()), int(view.totals[rest].min())
    looks = _looks(view, query.values, rows)
    matrix.rows = [
        replace(_row(view, query, int(lines.ordered[lines.place(line)]), looks), fold=_fold(view, query, lines, line))
        for line in shown
    ]
    pinned = view.row_of.get(query.pinned)
    if pinned is not None and (rows == pinned).any() and all(row.node != query.pinned for row in matrix.rows):
        matrix.rows.append(_row(view, query, pinned, looks))


def _fold(view: FrameView, query: MatrixQuery, lines: Lines, line: int) -> Fold | None:
    rows = lines.folded(line)
    if not len(rows):
        return None
    key = f"equal-{int(rows[0])}"
    is_open = query.open == key
    names = [view.names[int(row)] for row in rows[:NAMES]] if is_open else []
    return Fold(key, len(rows), view.names[int(rows[0])], names, len(rows) - len(names), is_open)


def _lines(view: FrameView, query: MatrixQuery, rows: Int64) -> Lines:
    """Rows in the order asked for; equals by name, the winner before its equals. None are folded while searching."""
    ranks = view.rows.rank[rows]
    if query.sort == "node":
        order = np.argsort(ranks)
        return unfolded(rows[order[::-1] if query.order == "desc" else order])
    keys = np.zeros(len(rows), dtype=np.int64)
    if view.has_scores:
        keys = view.totals[rows]
        if query.sort in view.frame.score_plugins:
            keys = view.values(view.frame.score_plugins.index(query.sort), query.values)[rows]
        # Ranks are distinct, so winner and runner-up take places before all of them.
        for name, place in ((query.second, -1), (query.winner, -2)):
            ranks[rows == view.row_of.get(name, -1)] = place
    apart = [view.row_of[name] for name in (query.winner, query.second, query.pinned) if name in view.row_of]
    lines = folded(view, rows, keys if query.order == "asc" else -keys, ranks, apart)
    return unfolded(lines.ordered) if query.q else lines


Looks = list[tuple["Int64", int, int]]


def _looks(view: FrameView, form: str, rows: Int64) -> Looks:
    """(values, least, most) of each score column over the rows that fit."""
    if not view.has_scores or not len(rows):
        return []
    ranges = []
    for i in range(len(view.frame.score_plugins)):
        values = view.values(i, form)
        ranges.append((values, int(values[rows].min()), int(values[rows].max())))
    return ranges


def _row(view: FrameView, query: MatrixQuery, row: int, looks: Looks) -> Row:
    frame, name = view.frame, view.names[row]
    total = int(view.totals[row]) if view.has_scores else None
    mark = "win" if name == query.winner else "second" if name == query.second else ""
    rank, tied = (0, 1) if total is None else view.rank_of(total)
    best = view.totals[view.row_of[query.winner]] if query.winner in view.row_of else None
    scores = [
        ScoreCell(plugin, int(values[row]), _look(int(values[row]), low, high))
        for plugin, (values, low, high) in zip(frame.score_plugins if looks else (), looks, strict=True)
    ]
    scores += [ScoreCell(plugin, None, "ahead") for plugin, _ in view.ahead_scores]
    return Row(name, rank, mark, tied, view.cells(row), scores, total, is_equal=tied > 1 and total == best)


def _look(value: int, low: int, high: int) -> str:
    if low == high:
        return "same"
    level = round(HEATS * (value - low) / (high - low))
    return f"h{level}" if level else ""


def _fill_groups(matrix: Matrix, view: FrameView, query: MatrixQuery, rows: Int64, missing: MissingOnNodes) -> None:
    if not len(rows):
        return
    groups = verdict_groups(view, rows)
    matrix.n_groups = len(groups)
    matrix.groups = groups[:GROUPS]
    opened = next((group for group in groups if group.key == query.open), None)
    if opened is None and query.pinned:
        opened = next((group for group in groups if query.pinned in group.names), None)
    if opened is not None:
        names = opened.names[:NAMES]
        if query.pinned in opened.names and query.pinned not in names:
            names = [query.pinned, *names]
        matrix.opened = OpenGroup(opened.key, names, len(opened.names) - len(names))
        if opened not in matrix.groups:
            matrix.groups.append(opened)
    matrix.groups = with_short_reasons(matrix.groups, missing)
