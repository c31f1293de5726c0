"""A frame: the verdict of every filter plugin and the scores of every score plugin for every node in one cycle.

Arrays are indexed by node-table row on their last axis; ``n_rows`` rows, some of them perhaps without a node. A frame
built from the engine's arrays refers to them, so it must be recorded before they change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.contracts.change_set import ChangeSet
from scheduler_core.framework.contracts.extending.recorded import is_extender
from scheduler_core.framework.contracts.filter_outcome import NOT_VISITED, PASSED, FilterOutcome
from scheduler_core.framework.contracts.normalizers import CUSTOM, normalize
from scheduler_core.framework.contracts.status import Status
from scheduler_core.framework.contracts.verdicts import Normalization
from scheduler_core.framework.runtime.score_phase import ScoreOutcome

Int64 = NDArray[np.int64]
_normalization_of = attrgetter("normalization")


class OverlayEntry(msgspec.Struct, frozen=True):
    """A row that the pass with nominated pods refused, by which plugin, with which code and reasons."""

    row: int
    plugin: str
    code: int
    reasons: tuple[str, ...] = ()


def overlay_entry(row: int, status: Status) -> OverlayEntry:
    """The entry of a row that the pass refused with this status."""
    return OverlayEntry(row, status.plugin, int(status.code), status.reasons)


class Overlay(Sequence[OverlayEntry]):
    """Entries in order of row, created on first access; ``statuses`` are the engine's own, by row."""

    def __init__(self, statuses: Mapping[int, Status]) -> None:
        self.statuses = statuses

    @cached_property
    def _entries(self) -> tuple[OverlayEntry, ...]:
        return tuple([overlay_entry(row, status) for row, status in sorted(self.statuses.items())])

    def __len__(self) -> int:
        return len(self.statuses)

    def __getitem__(self, index: Any) -> Any:
        return self._entries[index]


class Cell(StrEnum):
    """The kinds of cells in the filter matrix."""

    PASSED = "passed"
    DECISIVE = "refused_decisive"
    BEHIND = "refused_behind"
    NOT_EVALUATED = "not_evaluated"


class FilterVerdict(msgspec.Struct, frozen=True):
    """A cell with the plugin's code and reasons (0 and empty where it passed or was not asked)."""

    cell: Cell
    code: int = 0
    reasons: tuple[str, ...] = ()


class Frame(msgspec.Struct, eq=False):
    """One cycle's plugin x node results.

    ``codes`` uint8[p, n], ``reasons`` int32[p, n] (ids into ``reason_table``), both 0 on rows not visited; ``decisive``
    int16[n]: index of the first refusing filter plugin, PASSED or NOT_VISITED; ``raw`` int64[s, n], 0 where the row is
    not feasible (in a frame that was read back; the engine's may hold anything there). ``changes`` names the
    rows in which the arrays may differ from an earlier frame's (None: unknown). ``normalizations``: one per score
    plugin; those of kind custom hold their row as ``values`` int64[n].
    """

    cycle: int
    template: int
    n_rows: int
    filter_plugins: tuple[str, ...]
    codes: NDArray[np.uint8]
    reasons: NDArray[np.int32]
    decisive: NDArray[np.int16]
    overlay: Sequence[OverlayEntry]
    score_plugins: tuple[str, ...]
    weights: tuple[int, ...]
    normalizations: tuple[Normalization, ...]
    raw: Int64
    reason_table: Sequence[tuple[str, ...]]
    changes: ChangeSet | None = None

    @classmethod
    def from_cycle(cls, cycle: int, template: int, outcome: FilterOutcome, scores: ScoreOutcome | None = None) -> Frame:
        """The frame of a filter phase and, where there was one, of the score phase; refers to the outcome's arrays."""
        n = outcome.cluster.table.n_rows
        codes, reasons, decisive = _visited_only(outcome, n)
        return cls(
            cycle=cycle,
            template=template,
            n_rows=n,
            filter_plugins=outcome.plugins,
            codes=codes,
            reasons=reasons,
            decisive=decisive,
            overlay=Overlay(outcome.overlay) if outcome.overlay else (),
            score_plugins=scores.names if scores is not None else (),
            weights=scores.weights if scores is not None else (),
            normalizations=tuple(map(_normalization_of, scores.plugins)) if scores is not None else (),
            raw=scores.raw if scores is not None else np.zeros((0, n), dtype=np.int64),
            reason_table=outcome.reason_table.entries,
            changes=outcome.changes,
        )

    def feasible(self) -> Int64:
        """Feasible rows, ascending."""
        rows = np.flatnonzero(self.decisive == PASSED)
        if self.overlay:
            rows = rows[~np.isin(rows, [entry.row for entry in self.overlay])]
        return rows

    def normalized(self, index: int) -> Int64:
        """Normalised scores of the score plugin, int64[n]; 0 where the row is not feasible."""
        return self._normalized(index, self.feasible())

    def totals(self) -> Int64:
        """Weighted sums of the normalised scores, int64[n]; 0 where the row is not feasible."""
        rows = self.feasible()
        total = np.zeros(self.n_rows, dtype=np.int64)
        for i, weight in enumerate(self.weights):
            total += weight * self._normalized(i, rows)
        return total

    def verdict(self, plugin: str, row: int) -> FilterVerdict:
        """The filter plugin's verdict on the row. Raises KeyError for a plugin that did not run in this cycle.

        A refusal in the pass with nominated pods stands for its plugin's own verdict on that row. Extenders are not
        shown nodes that were refused before.
        """
        if plugin not in self.filter_plugins:
            raise KeyError(plugin)
        index, first = self.filter_plugins.index(plugin), int(self.decisive[row])
        if first == NOT_VISITED:
            return FilterVerdict(Cell.NOT_EVALUATED)
        over = self.overlay_at(row)
        if over is not None and over.plugin == plugin:
            return FilterVerdict(Cell.DECISIVE, over.code, over.reasons)
        code = int(self.codes[index, row])
        if code == 0:
            shown = first < 0 or first >= index or not is_extender(plugin)
            return FilterVerdict(Cell.PASSED if shown else Cell.NOT_EVALUATED)
        decisive = index == first and over is None
        return FilterVerdict(Cell.DECISIVE if decisive else Cell.BEHIND, code, self._reasons(index, row))

    def overlay_at(self, row: int) -> OverlayEntry | None:
        """The overlay entry of the row, if any."""
        return next((entry for entry in self.overlay if entry.row == row), None)

    def _reasons(self, index: int, row: int) -> tuple[str, ...]:
        return tuple(self.reason_table[int(self.reasons[index, row])])

    def _normalized(self, index: int, rows: Int64) -> Int64:
        kind = self.normalizations[index]
        if len(rows) == self.n_rows and kind.kind != CUSTOM:
            return np.array(normalize(kind, self.raw[index]))
        scores = np.zeros(self.n_rows, dtype=np.int64)
        scores[rows] = kind.values[rows] if kind.kind == CUSTOM else normalize(kind, self.raw[index, rows])
        return scores


def _visited_only(outcome: FilterOutcome, n: int) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int16]]:
    """Codes, reasons and first refusals of the first n rows, cleared on rows that this cycle did not visit.

    Caches hold verdicts for these rows, too."""
    codes, reasons, decisive = outcome.codes, outcome.reasons, outcome.decisive
    if len(decisive) != n:
        codes, reasons, decisive = codes[:, :n], reasons[:, :n], decisive[:n]
    if len(outcome.visited) == n:
        return codes, reasons, decisive
    visited = decisive != NOT_VISITED
    return np.where(visited, codes, np.uint8(0)), np.where(visited, reasons, np.int32(0)), decisive


_encode = msgspec.msgpack.Encoder().encode


class NodesByName:
    """Nodes in the order of their names: the encoded names and their rows, valid until a node comes or goes."""

    def __init__(self, nodes: Mapping[str, int]) -> None:
        by_name = sorted(nodes.items())
        self.names = _encode([name for name, _ in by_name])
        self.rows: Int64 = np.array([row for _, row in by_name], dtype=np.int64)
        self.in_order = bool(np.array_equal(self.rows, np.arange(len(by_name))))
        self.name_of = {row: name for name, row in by_name}


def matrix_digest(frame: Frame, nodes: NodesByName) -> str:
    """SHA-256 (hex) over the whole matrix: nodes by name, codes, reason texts, raw and normalised scores.

    Independent of row numbers, of rows without a node, of reason ids and of dtypes: raw scores are taken as int32 where
    all of a plugin's fit, normalised ones (0 to 100) as bytes.
    """
    # a slice makes views, which the usual order of nodes allows
    order = slice(0, len(nodes.rows)) if nodes.in_order else nodes.rows
    codes = frame.codes[:, order]
    refusing = codes != 0
    texts, ranks = _canonical_reasons(frame, frame.reasons[:, order][refusing])
    overlay = sorted((nodes.name_of[e.row], e.plugin, e.code, e.reasons) for e in frame.overlay)
    params = [(n.kind, n.params) for n in frame.normalizations]
    digest = sha256(nodes.names)
    digest.update(_encode((frame.filter_plugins, frame.score_plugins, frame.weights, params, texts, overlay)))
    digest.update(np.ascontiguousarray(frame.decisive[order], dtype="<i2").data)
    digest.update(np.ascontiguousarray(codes).data)
    digest.update(ranks.tobytes())
    feasible = frame.feasible()
    whole = len(feasible) == frame.n_rows
    for index, raw in enumerate(frame.raw):
        scores = raw
        if not whole:
            scores = np.zeros_like(raw)
            scores[feasible] = raw[feasible]
        narrow = scores[order].astype("<i4")
        digest.update((narrow if np.array_equal(narrow, scores[order]) else scores[order].astype("<i8")).data)
        digest.update(frame._normalized(index, feasible)[order].astype("u1").data)
    return digest.hexdigest()


def _canonical_reasons(frame: Frame, ids: NDArray[np.int32]) -> tuple[list[tuple[str, ...]], NDArray[np.int32]]:
    """The reasons used, sorted, and for each id its index among them (little-endian int32)."""
    table = frame.reason_table
    used = sorted((tuple(table[i]), i) for i in np.flatnonzero(np.bincount(ids, minlength=1)).tolist())
    ranks = np.zeros(len(table), dtype="<i4")
    for rank, (_, i) in enumerate(used):
        ranks[i] = rank
    return [text for text, _ in used], ranks[ids]
