"""The plugin x node matrix of a cycle as a page shows it: rows that fit, groups of equal refusals, reasons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dashboard.debugger.labels import CODE_WORDS
from scheduler_core.recording import Cell, Frame
from scheduler_core.recording.vocabulary import NOT_VISITED, Code

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dashboard.debugger.inputs.node_set import NodeRows

    Int64 = NDArray[np.int64]

PAGE = 50
GROUPS = 40
HEATS = 5


@dataclass(frozen=True)
class FilterCell:
    """One verdict: `look` is the class of the cell (ok, no, nores, hid, na), `words` what it says, `reason` why."""

    plugin: str
    look: str
    glyph: str
    words: str
    reason: str

    @property
    def title(self) -> str:
        """Return the sentence for pointer and reader."""
        reason = f", {self.reason}" if self.reason else ""
        return f"{self.plugin}: {self.words}{reason}"


@dataclass(frozen=True)
class ScoreCell:
    """One score in the chosen values; `heat` 0..5 tells how far above the column's least, "same" that all agree."""

    plugin: str
    value: int
    look: str


@dataclass(frozen=True)
class Row:
    """A node that fits; `mark` is win, second, tie or ""."""

    node: str
    rank: int
    mark: str
    tied: int
    filters: list[FilterCell]
    scores: list[ScoreCell]
    total: int


@dataclass(frozen=True)
class Group:
    """Nodes with the same verdicts, `key` names it in addresses."""

    key: str
    count: int
    first: str
    last: str
    names: list[str]
    filters: list[FilterCell]
    plugin: str
    meaning: str
    reason: str
    hidden: int


@dataclass(frozen=True)
class Column:
    """A score plugin with its weight and the short name that fits a narrow head."""

    plugin: str
    short: str
    weight: int


@dataclass
class Matrix:
    """What the page shows, and the counts behind it."""

    filters: list[str]
    columns: list[Column]
    rows: list[Row] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
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
    rest: int = 0
    rest_high: int = 0
    rest_low: int = 0
    opened: OpenGroup | None = None

    @property
    def width(self) -> int:
        """Return the number of columns behind the first."""
        return len(self.filters) + len(self.columns) + 1

    @property
    def max_total(self) -> int:
        """Return the best total that the weights allow."""
        return 100 * sum(column.weight for column in self.columns)


@dataclass(frozen=True)
class OpenGroup:
    """The nodes of the expanded group, one page of them."""

    key: str
    names: list[str]
    more: int


@dataclass(frozen=True)
class Wanted:
    """What to show: values (points, norm, raw), sort (plugin, "node" or "" for total), order, name filter, page, group.

    `winner` and `second` are nodes as the recording has them. `has_scores` is False where the cursor is before Score.
    """

    values: str = "points"
    sort: str = ""
    order: str = ""
    q: str = ""
    page: int = 1
    open: str = ""
    winner: str = ""
    second: str = ""
    has_scores: bool = True
    pinned: str = ""


class FrameView:
    """A frame with its node names and the arrays that several parts of the page need."""

    def __init__(self, frame: Frame, rows: NodeRows, has_scores: bool = True) -> None:
        self.frame = frame
        self.rows = rows
        self.names, self.array, self.present, self.row_of = rows.names, rows.array, rows.present, rows.row_of
        self.has_scores = has_scores and bool(frame.score_plugins)
        self.feasible: Int64 = frame.feasible()
        self.visited = self.present & (frame.decisive != NOT_VISITED)
        self.fits = np.zeros(frame.n_rows, dtype=bool)
        self.fits[self.feasible] = True
        self.refused: Int64 = np.flatnonzero(self.visited & ~self.fits)
        self._passed = [_passed(plugin) for plugin in frame.filter_plugins]
        self._norms: dict[int, Int64] = {}
        self.totals: Int64 = np.zeros(frame.n_rows, dtype=np.int64)
        for i, weight in enumerate(frame.weights if self.has_scores else ()):
            self.totals += weight * self.normalized(i)
        # The totals of the nodes that fit, ascending: a place among them is found by halving.
        self._ranked: Int64 = np.sort(self.totals[self.feasible])

    def standing(self, total: int) -> tuple[int, int]:
        """Return (rank, how many share it) of a total among the nodes that fit; 1 is the best."""
        low, high = np.searchsorted(self._ranked, total, "left"), np.searchsorted(self._ranked, total, "right")
        return 1 + len(self._ranked) - int(high), int(high - low)

    def normalized(self, index: int) -> Int64:
        """Return the normalised scores of a score plugin, kept."""
        if index not in self._norms:
            self._norms[index] = self.frame.normalized(index)
        return self._norms[index]

    def values(self, index: int, form: str) -> Int64:
        """Return a score plugin's values by row: raw, norm (0 to 100) or points (weighted)."""
        if form == "raw":
            return self.frame.raw[index]
        norm = self.normalized(index)
        return norm if form == "norm" else norm * self.frame.weights[index]

    def cells(self, row: int) -> list[FilterCell]:
        """Return the verdicts of a row in order of the filter plugins."""
        if self.fits[row]:
            return self._passed
        return [filter_cell(self.frame, plugin, row) for plugin in self.frame.filter_plugins]

    def group_ids(self, rows: Int64) -> tuple[Int64, Int64]:
        """Return (representative rows, group of each row): rows with the same verdicts, reasons and overlay."""
        frame = self.frame
        parts = [frame.decisive[rows][None, :].astype(np.int64), frame.codes[:, rows].astype(np.int64)]
        parts.append(frame.reasons[:, rows].astype(np.int64))
        if frame.overlay:
            parts.append(self._overlay_ids(rows)[None, :])
        ids, first = np.zeros(len(rows), dtype=np.int64), np.zeros(1, dtype=np.int64)
        for line in np.vstack(parts):
            if (line != line[0]).any():
                # Ids are dense and lines hold small numbers, so the product stays small.
                joined = ids * (int(line.max() - line.min()) + 1) + (line - line.min())
                _, first, ids = np.unique(joined, return_index=True, return_inverse=True)
        return rows[first], ids

    def _overlay_ids(self, rows: Int64) -> Int64:
        kinds: dict[tuple[Any, ...], int] = {}
        by_row = {e.row: kinds.setdefault((e.plugin, e.code, e.reasons), len(kinds) + 1) for e in self.frame.overlay}
        return np.array([by_row.get(int(row), 0) for row in rows], dtype=np.int64)


def _passed(plugin: str) -> FilterCell:
    return FilterCell(plugin, "ok", "check", "passed", "")


def filter_cell(frame: Frame, plugin: str, row: int) -> FilterCell:
    """Return the cell of one plugin and row."""
    verdict = frame.verdict(plugin, row)
    reason = ", ".join(verdict.reasons)
    if verdict.cell == Cell.PASSED:
        return _passed(plugin)
    if verdict.cell == Cell.NOT_EVALUATED:
        return FilterCell(plugin, "na", "dash", "not looked at", "")
    if verdict.cell == Cell.BEHIND:
        return FilterCell(plugin, "hid", "hid", "would refuse too, behind the first refusal", reason)
    if verdict.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
        return FilterCell(plugin, "nores", "ban", "unresolvable", reason)
    if verdict.code == Code.ERROR:
        return FilterCell(plugin, "no", "alert", "error", reason)
    return FilterCell(plugin, "no", "x", CODE_WORDS[verdict.code], reason)


def build(view: FrameView, wanted: Wanted) -> Matrix:
    """Return one page of the matrix."""
    frame = view.frame
    matrix = Matrix(list(frame.filter_plugins), columns(frame) if view.has_scores else [])
    matrix.n_nodes = view.rows.n_present
    matrix.visited = int(view.visited.sum())
    matrix.feasible, matrix.refused = len(view.feasible), len(view.refused)
    matrix.unvisited = matrix.n_nodes - matrix.visited
    fits, refused = _matching(view, view.feasible, wanted.q), _matching(view, view.refused, wanted.q)
    matrix.matched, matrix.matched_refused = len(fits) + len(refused), len(refused)
    _fill_rows(matrix, view, wanted, fits)
    _fill_groups(matrix, view, wanted, refused)
    return matrix


def columns(frame: Frame) -> list[Column]:
    """Return the score plugins with weights and short names."""
    pairs = zip(frame.score_plugins, frame.weights, strict=True)
    return [Column(plugin, plugin.replace("NodeResourcesBalanced", "Balanced"), weight) for plugin, weight in pairs]


def _matching(view: FrameView, rows: Int64, text: str) -> Int64:
    if not text or not len(rows):
        return rows
    found = np.char.find(np.char.lower(view.array[rows]), text.lower()) >= 0
    return rows[found]


def _fill_rows(matrix: Matrix, view: FrameView, wanted: Wanted, rows: Int64) -> None:
    ordered = _sorted(view, wanted, rows)
    matrix.pages = max(1, -(-len(ordered) // PAGE))
    matrix.page = min(wanted.page, matrix.pages)
    at = (matrix.page - 1) * PAGE
    shown = ordered[at : at + PAGE]
    rest = ordered[at + PAGE :]
    matrix.rest = len(rest)
    if len(rest) and view.has_scores:
        matrix.rest_high, matrix.rest_low = int(view.totals[rest].max()), int(view.totals[rest].min())
    pinned = view.row_of.get(wanted.pinned)
    if pinned is not None and (rows == pinned).any() and not (shown == pinned).any():
        shown = np.append(shown, pinned)
    looks = _looks(view, wanted.values, rows)
    matrix.rows = [_row(view, wanted, int(row), looks) for row in shown]


def _sorted(view: FrameView, wanted: Wanted, rows: Int64) -> Int64:
    """Rows in the order asked for; equals by name, the winner before its equals."""
    if not len(rows):
        return rows
    ranks = view.rows.rank[rows]
    if wanted.sort == "node":
        order = np.argsort(ranks)
        return rows[order[::-1] if wanted.order == "desc" else order]
    if not view.has_scores:
        return rows[np.argsort(ranks)]
    keys = view.totals[rows]
    if wanted.sort in view.frame.score_plugins:
        keys = view.values(view.frame.score_plugins.index(wanted.sort), wanted.values)[rows]
    sign = 1 if wanted.order == "asc" else -1
    # Ranks are distinct, so winner and runner-up take places before all of them.
    for name, place in ((wanted.second, -1), (wanted.winner, -2)):
        ranks[rows == view.row_of.get(name, -1)] = place
    return rows[np.lexsort((ranks, sign * keys))]


Looks = list[tuple["Int64", int, int]]


def _looks(view: FrameView, form: str, rows: Int64) -> Looks:
    """(values, least, most) of each score column over the rows that fit."""
    if not view.has_scores or not len(rows):
        return []
    found = []
    for i in range(len(view.frame.score_plugins)):
        values = view.values(i, form)
        found.append((values, int(values[rows].min()), int(values[rows].max())))
    return found


def _row(view: FrameView, wanted: Wanted, row: int, looks: Looks) -> Row:
    frame, name = view.frame, view.names[row]
    total = int(view.totals[row])
    mark = "win" if name == wanted.winner else "second" if name == wanted.second else ""
    rank, tied = view.standing(total) if view.has_scores else (0, 1)
    scores = [
        ScoreCell(plugin, int(values[row]), _look(int(values[row]), low, high))
        for plugin, (values, low, high) in zip(frame.score_plugins if looks else (), looks, strict=True)
    ]
    return Row(name, rank, mark, tied, view.cells(row), scores, total)


def _look(value: int, low: int, high: int) -> str:
    if low == high:
        return "same"
    level = round(HEATS * (value - low) / (high - low))
    return f"h{level}" if level else ""


def _fill_groups(matrix: Matrix, view: FrameView, wanted: Wanted, rows: Int64) -> None:
    if not len(rows):
        return
    groups = groups_of(view, rows)
    matrix.n_groups = len(groups)
    matrix.groups = groups[:GROUPS]
    opened = next((group for group in groups if group.key == wanted.open), None)
    if opened is None and wanted.pinned:
        opened = next((group for group in groups if wanted.pinned in group.names), None)
    if opened is not None:
        names = opened.names[:PAGE]
        if wanted.pinned in opened.names and wanted.pinned not in names:
            names = [wanted.pinned, *names]
        matrix.opened = OpenGroup(opened.key, names, len(opened.names) - len(names))
        if opened not in matrix.groups:
            matrix.groups.append(opened)


def groups_of(view: FrameView, rows: Int64) -> list[Group]:
    """Return the groups of refused rows, largest first."""
    firsts, ids = view.group_ids(rows)
    order = np.argsort(ids, kind="stable")
    edges = np.searchsorted(ids[order], np.arange(len(firsts) + 1))
    groups = []
    for i, first in enumerate(firsts):
        names = np.sort(view.array[rows[order[edges[i] : edges[i + 1]]]]).tolist()
        groups.append(_group(view, int(first), names))
    return sorted(groups, key=lambda group: (-group.count, group.first))


def _group(view: FrameView, row: int, names: list[str]) -> Group:
    cells = view.cells(row)
    first = next((cell for cell in cells if cell.look in ("no", "nores")), None)
    over = view.frame.overlay_at(row)
    plugin, reason = (first.plugin, first.reason) if first else ("", "")
    if first is None and over is not None:
        plugin, reason = over.plugin, ", ".join(over.reasons)
    return Group(
        key=str(row),
        count=len(names),
        first=names[0],
        last=names[-1],
        names=names,
        filters=cells,
        plugin=plugin,
        meaning="unres" if first is not None and first.look == "nores" else "unsched",
        reason=reason or "refused without a reason",
        hidden=sum(cell.look == "hid" for cell in cells),
    )


def verdict_codes(view: FrameView) -> NDArray[np.uint8]:
    """Return per row: 0 no node, 1 fits, 2 refused and may change, 3 unresolvable, 4 not looked at."""
    frame = view.frame
    found = np.zeros(frame.n_rows, dtype=np.uint8)
    found[view.present] = 4
    rows = np.arange(frame.n_rows)
    decisive = frame.decisive
    by_filter = view.visited & (decisive >= 0)
    found[view.visited] = 1
    if by_filter.any():
        codes = frame.codes[decisive[by_filter].astype(np.int64), rows[by_filter]]
        found[by_filter] = np.where(codes == Code.UNSCHEDULABLE_AND_UNRESOLVABLE, 3, 2)
    for entry in frame.overlay:
        found[entry.row] = 3 if entry.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE else 2
    return found


REFUSALS = (Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE, Code.PENDING, Code.ERROR)
"""Codes that a filter refuses with."""
