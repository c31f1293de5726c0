"""A frame for the panels, as far as plugins were called: verdicts and scores by row, with the names of the nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from dashboard.debugger.labels import CODE_WORDS
from scheduler_core.recording import Cell, Frame
from scheduler_core.recording.vocabulary import NOT_VISITED, PASSED, Code

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dashboard.debugger.inputs.node_set import NodeRows

    Int64 = NDArray[np.int64]


class CalledPlugins(NamedTuple):
    """The numbers of filter and score plugins of a frame that were called; None: all."""

    filters: int | None = None
    scores: int | None = None


def known_frame(frame: Frame, columns: CalledPlugins) -> Frame:
    """Return the frame restricted to the first n filter and score plugins.

    A row that only a later filter refused has passed those before it, and counts as fitting.
    """
    filters, scores = columns
    if filters is not None and filters < len(frame.filter_plugins):
        names = frame.filter_plugins[:filters]
        frame = msgspec.structs.replace(
            frame,
            filter_plugins=names,
            codes=frame.codes[:filters],
            reasons=frame.reasons[:filters],
            decisive=np.where(frame.decisive >= filters, np.int16(PASSED), frame.decisive),
            overlay=[entry for entry in frame.overlay if entry.plugin in names],
        )
    if scores is None or scores >= len(frame.score_plugins):
        return frame
    return msgspec.structs.replace(
        frame,
        score_plugins=frame.score_plugins[:scores],
        weights=frame.weights[:scores],
        normalizations=frame.normalizations[:scores],
        raw=frame.raw[:scores],
    )


ALL = CalledPlugins()


@dataclass(frozen=True)
class FilterCell:
    """One verdict: `look` is the class of the cell (ok, no, nores, hid, na; ahead: not called yet), `label` what it
    says, `reason` why."""

    plugin: str
    look: str
    glyph: str
    label: str
    reason: str

    @property
    def title(self) -> str:
        """Return the sentence for pointer and reader."""
        reason = f", {self.reason}" if self.reason else ""
        return f"{self.plugin}: {self.label}{reason}"


class FrameView:
    """A frame with node names and arrays that several parts of the page need.

    `frame` is what is known at the cursor; `ahead_filters` and `ahead_scores` are the plugins called after it, in
    order.
    """

    def __init__(self, frame: Frame, rows: NodeRows, columns: CalledPlugins = ALL) -> None:
        whole, frame = frame, known_frame(frame, columns)
        self.frame = frame
        self.rows = rows
        self.ahead_filters = whole.filter_plugins[len(frame.filter_plugins) :]
        first = len(frame.score_plugins)
        self.ahead_scores = list(zip(whole.score_plugins[first:], whole.weights[first:], strict=True))
        self.names, self.array, self.present, self.row_of = rows.names, rows.array, rows.present, rows.row_of
        self.has_scores = bool(frame.score_plugins)
        self.feasible: Int64 = frame.feasible()
        self.visited = self.present & (frame.decisive != NOT_VISITED)
        self.fits = np.zeros(frame.n_rows, dtype=bool)
        self.fits[self.feasible] = True
        self.refused: Int64 = np.flatnonzero(self.visited & ~self.fits)
        self._ahead = [FilterCell(plugin, "ahead", "", "not called yet", "") for plugin in self.ahead_filters]
        self._passed = [*(_passed(plugin) for plugin in frame.filter_plugins), *self._ahead]
        self._norms: dict[int, Int64] = {}
        self.totals: Int64 = np.zeros(frame.n_rows, dtype=np.int64)
        for i, weight in enumerate(frame.weights):
            self.totals += weight * self.normalized(i)
        # The totals of the nodes that fit, ascending, for binary search.
        self._ranked: Int64 = np.sort(self.totals[self.feasible])

    def rank_of(self, total: int) -> tuple[int, int]:
        """Return the rank of a total among the nodes that fit (1 is the best), and how many nodes share it."""
        low, high = np.searchsorted(self._ranked, total, "left"), np.searchsorted(self._ranked, total, "right")
        return 1 + len(self._ranked) - int(high), int(high - low)

    def normalized(self, index: int) -> Int64:
        """Return the normalised scores of a score plugin, cached."""
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
        """Return the verdicts of a row in order of the filter plugins, those ahead of the cursor without one."""
        if self.fits[row]:
            return self._passed
        return [*(filter_cell(self.frame, plugin, row) for plugin in self.frame.filter_plugins), *self._ahead]

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
        return FilterCell(plugin, "hid", "hid", "would refuse too, after the first refusal", reason)
    if verdict.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
        return FilterCell(plugin, "nores", "ban", "unresolvable", reason)
    if verdict.code == Code.ERROR:
        return FilterCell(plugin, "no", "alert", "error", reason)
    return FilterCell(plugin, "no", "x", CODE_WORDS[verdict.code], reason)


def verdict_codes(view: FrameView) -> NDArray[np.uint8]:
    """Return per row: 0 no node, 1 fits, 2 refused and may change, 3 unresolvable, 4 not looked at."""
    frame = view.frame
    verdicts = np.zeros(frame.n_rows, dtype=np.uint8)
    verdicts[view.present] = 4
    rows = np.arange(frame.n_rows)
    decisive = frame.decisive
    by_filter = view.visited & (decisive >= 0)
    verdicts[view.visited] = 1
    if by_filter.any():
        codes = frame.codes[decisive[by_filter].astype(np.int64), rows[by_filter]]
        verdicts[by_filter] = np.where(codes == Code.UNSCHEDULABLE_AND_UNRESOLVABLE, 3, 2)
    for entry in frame.overlay:
        verdicts[entry.row] = 3 if entry.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE else 2
    return verdicts
