"""Scores kept from cycle to cycle of one pod class, brought up to date by what changed.

Raw scores of static and node-local plugins are known for all rows, others for feasible ones. A normalised row is made
anew only if its raw row or a parameter changed; totals follow by difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.cycle import Cycle
from scheduler_core.framework.interface import IDENTITY, MAX_NODE_SCORE, Memory, Rows, ScorePlugin, Scores
from scheduler_core.framework.kept import FEW_ROWS, RAW, KeptClass, RowLog
from scheduler_core.framework.kept_filters import KeptFilters, Mask
from scheduler_core.framework.normalize import CUSTOM, normalize
from scheduler_core.framework.runtime import Framework
from scheduler_core.framework.scoring import PluginScores, ScoreOutcome, run_pre_score, score_rows, spread_out
from scheduler_core.framework.status import Status

_N_SCORES = MAX_NODE_SCORE + 1
_NARROW_UP_TO = 8_000
"""The greatest total that int16 holds together with a penalty that no total outweighs."""


class OutOfRange(Exception):
    """A normalised score lies outside of 0..100: the plain engine says which, and whether it matters."""


class Line:
    """One score plugin: its raw and normalised row, and how many feasible rows have each normalised score.

    ``normalized`` tells plugins with a normaliser from those whose raw scores are final.
    """

    def __init__(self, plugin: ScorePlugin[Any], weight: int, raw: Scores, dtype: type[Any]) -> None:
        self.plugin = plugin
        self.memory = Memory()
        self.normalized = type(plugin).normalize is not ScorePlugin.normalize
        self.scores = PluginScores(plugin.name, weight, raw, np.zeros(len(raw), dtype=dtype), IDENTITY)
        self.counts = np.zeros(_N_SCORES, dtype=np.int64)
        self.sum = 0
        self._stale = True

    def count_all(self, norm: NDArray[Any]) -> None:
        """Take the normalised scores of the feasible rows as they are."""
        self.counts[:] = np.bincount(norm, minlength=_N_SCORES)
        self.sum = int(norm.sum(dtype=np.int64))
        self._stale = True

    def replace(self, before: NDArray[Any], found: NDArray[Any]) -> None:
        """Take new normalised scores of feasible rows for those before."""
        self.counts += np.bincount(found, minlength=_N_SCORES) - np.bincount(before, minlength=_N_SCORES)
        self.sum += int((found - before).sum())
        self._stale = True

    def count(self, score: int, amount: int) -> None:
        """One feasible row more (1) or less (-1) with that normalised score."""
        self.counts[score] += amount
        self.sum += amount * score
        self._stale = True

    def summarise(self, n: int) -> None:
        """Bring lowest, highest and mean up to date; there is a feasible row."""
        if self._stale:
            present = self.counts.nonzero()[0]
            self.scores.lowest, self.scores.highest = int(present[0]), int(present[-1])
            self._stale = False
        self.scores.mean = self.sum / n


class KeptScores:
    """All score plugins on all rows, for one pod class and one set of active plugins."""

    def __init__(self, framework: Framework, plugins: Sequence[ScorePlugin[Any]], filters: KeptFilters) -> None:
        n = len(filters.feasible)
        weights = [framework.points.weights[p.name] for p in plugins]
        narrow = MAX_NODE_SCORE * sum(weights) <= _NARROW_UP_TO
        self._dtype: type[Any] = np.int16 if narrow else np.int64
        self._penalty = -2 * _NARROW_UP_TO if narrow else -(1 << 62)
        self.names = [p.name for p in plugins]
        raw = np.zeros((len(plugins), n), dtype=np.int64)
        self._lines = [Line(p, w, raw[j], self._dtype) for j, (p, w) in enumerate(zip(plugins, weights, strict=True))]
        self._framework = framework
        self._filters = filters
        self._changes = filters.changes
        self._base = np.zeros(n, dtype=self._dtype)
        self._penalties = np.zeros(n, dtype=self._dtype)
        self._feasible: Mask = np.zeros(n, dtype=bool)
        self._all_feasible = False
        self._version = -1
        self._log: RowLog | None = None
        self._outcome = ScoreOutcome(
            filters.rows, [line.scores for line in self._lines], raw, np.zeros_like(self._base), []
        )

    def update(self, cycle: Cycle, pod: PodInfo, pre_score: list[tuple[str, Status]]) -> ScoreOutcome:
        """The outcome on the rows that are feasible now; its arrays change with the next call. Raises OutOfRange."""
        first_time = self._log is None
        if self._log is None:
            self._log = RowLog(self._filters.cluster)
        dirty = self._log.take()
        views: list[NodeView] = []
        flipped = self._version != self._filters.version
        if flipped:
            self._take_feasible(first_time)
        for j, line in enumerate(self._lines):
            traits, state = line.plugin.traits, cycle.score_state.get(line.plugin.name)
            if first_time or not (traits.static or traits.node_local):
                changed = self._score_all(j, line, state, pod)
            elif traits.static or not dirty:
                changed = False
            elif line.normalized:
                changed = self._score_dirty(j, line, state, pod, dirty)
            else:
                if len(dirty) > FEW_ROWS:
                    self._score_final(j, line, state, pod, dirty)
                else:
                    views = views or [self._filters.cluster.view(row) for row in dirty]
                    self._score_views(j, line, state, pod, views)
                continue
            if changed or (flipped and line.normalized) or first_time:
                self._normalize(line, state, pod, changed or first_time)
        return self._summed(pre_score)

    # --- feasibility -------------------------------------------------------------------------------------------------
    def _take_feasible(self, first_time: bool) -> None:
        """Rows that became feasible count from now on, others no more."""
        feasible = self._filters.feasible
        rows = np.flatnonzero(feasible != self._feasible)
        self._feasible[:] = feasible
        self._version = self._filters.version
        self._all_feasible = len(self._filters.rows) == len(feasible)
        self._penalties[:] = np.where(feasible, 0, self._penalty)
        if first_time:
            return
        if len(rows) > 8 * FEW_ROWS:
            for line in self._lines:
                line.count_all(line.scores.norm[feasible])
            return
        for row in rows.tolist():
            amount = 1 if feasible[row] else -1
            for line in self._lines:
                line.count(int(line.scores.norm[row]), amount)

    # --- raw scores --------------------------------------------------------------------------------------------------
    def _score_all(self, j: int, line: Line, state: Any, pod: PodInfo) -> bool:
        """Ask for all rows, or for the feasible ones that changed; whether anything changed."""
        traits, filters, raw = line.plugin.traits, self._filters, line.scores.raw
        if traits.static or traits.node_local:
            rows = filters.order
            found = self._ask(line, state, pod, rows)
        else:
            with self._framework.durations.measure("Score", line.plugin.name):
                some, found = line.plugin.score_since(state, pod, filters.rows, line.memory)
            if some is not None:
                return self._take_scores(j, line, some, found)
            rows = filters.rows
        if len(rows) == len(raw) and filters.in_order:
            if np.array_equal(raw, found):
                return False
            raw[:] = found
        else:
            if np.array_equal(raw[rows], found):
                return False
            raw[rows] = found
        self._changes.whole(RAW, j)
        return True

    def _ask(self, line: Line, state: Any, pod: PodInfo, rows: Rows) -> Scores:
        """The plugin's raw scores; timed, which a look at single nodes is too short for."""
        with self._framework.durations.measure("Score", line.plugin.name):
            return line.plugin.score(state, pod, rows)

    def _score_dirty(self, j: int, line: Line, state: Any, pod: PodInfo, dirty: list[int]) -> bool:
        """Ask for the dirty rows; whether anything changed."""
        rows = np.array(dirty, dtype=np.int64)
        return self._take_scores(j, line, rows, self._ask(line, state, pod, rows))

    def _take_scores(self, j: int, line: Line, rows: Rows, found: Scores) -> bool:
        """Take raw scores of some rows; whether any is another than before."""
        moved = (line.scores.raw[rows] != found).nonzero()[0]
        if not len(moved):
            return False
        rows, found = rows[moved], found[moved]
        line.scores.raw[rows] = found
        self._changes.rows(RAW, j, rows.tolist())
        return True

    def _score_final(self, j: int, line: Line, state: Any, pod: PodInfo, dirty: list[int]) -> None:
        """Ask a plugin without normaliser for the dirty rows; totals follow."""
        rows = np.array(dirty, dtype=np.int64)
        found, before = self._ask(line, state, pod, rows), line.scores.raw[rows]
        differences = found - before
        moved = differences.nonzero()[0]
        if not len(moved):
            return
        if found.min() < 0 or found.max() > MAX_NODE_SCORE:
            raise OutOfRange
        line.scores.raw[rows] = line.scores.norm[rows] = found
        self._base[rows] += (line.scores.weight * differences).astype(self._dtype)
        if not self._all_feasible:
            feasible = self._feasible[rows]
            before, found = before[feasible], found[feasible]
        line.replace(before, found)
        self._changes.rows(RAW, j, rows[moved].tolist())

    def _score_views(self, j: int, line: Line, state: Any, pod: PodInfo, views: list[NodeView]) -> None:
        """As ``_score_final``, one node at a time."""
        scores = line.scores
        for view in views:
            row = view.row
            found, before = line.plugin.score_node(state, pod, view), int(scores.raw[row])
            if found == before:
                continue
            if not 0 <= found <= MAX_NODE_SCORE:
                raise OutOfRange
            scores.raw[row] = scores.norm[row] = found
            self._base[row] += scores.weight * (found - before)
            if self._feasible[row]:
                line.count(before, -1)
                line.count(found, 1)
            self._changes.rows(RAW, j, (row,))

    # --- normalised scores and totals --------------------------------------------------------------------------------
    def _normalize(self, line: Line, state: Any, pod: PodInfo, changed: bool) -> None:
        scores, rows, raw = line.scores, self._filters.rows, line.scores.raw
        whole = self._filters.in_order and len(rows) == len(raw)
        feasible = raw if whole else raw[rows]
        normalization = line.plugin.normalize(state, pod, rows, feasible) if line.normalized else IDENTITY
        if not changed and normalization.kind != CUSTOM and normalization == scores.normalization:
            return
        found = normalize(normalization, feasible)
        if found.min() < 0 or found.max() > MAX_NODE_SCORE:
            raise OutOfRange
        scores.normalization = spread_out(normalization, rows, len(raw))
        everywhere = found if whole else normalize(scores.normalization, raw).clip(0, MAX_NODE_SCORE)
        norm = everywhere.astype(self._dtype)
        self._base += scores.weight * (norm - scores.norm)
        scores.norm[:] = norm
        line.count_all(found)

    def _summed(self, pre_score: list[tuple[str, Status]]) -> ScoreOutcome:
        outcome = self._outcome
        outcome.rows, outcome.pre_score = self._filters.rows, pre_score
        if self._all_feasible:
            outcome.totals[:] = self._base
        else:
            np.add(self._base, self._penalties, out=outcome.totals)
        if not self._lines:
            outcome.totals += 1
        for line in self._lines:
            line.summarise(len(outcome.rows))
        return outcome


def run_kept_scores(framework: Framework, cycle: Cycle, pod: PodInfo, kept: KeptClass) -> ScoreOutcome:
    """As run_scores on the rows that the kept filters let through. Raises ScoreError."""
    filters = kept.filters
    assert filters is not None
    pre_score = run_pre_score(framework, cycle, pod, filters.rows)
    plugins = [p for p in framework.points.score if p.name not in cycle.skip_score]
    if kept.scores is None or kept.scores.names != [p.name for p in plugins]:
        kept.scores = KeptScores(framework, plugins, filters)
        filters.changes.recorded(-1)
    try:
        return kept.scores.update(cycle, pod, pre_score)
    except OutOfRange:
        framework.kept.forget(pod)
        return score_rows(framework, cycle, pod, filters.rows, pre_score)
