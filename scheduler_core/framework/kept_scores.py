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
from scheduler_core.framework.kept import FEW_ROWS, RAW, Dirty, KeptClass
from scheduler_core.framework.kept_filters import KeptFilters, Mask
from scheduler_core.framework.normalize import CUSTOM, normalize
from scheduler_core.framework.runtime import Framework
from scheduler_core.framework.scoring import PluginScores, ScoreOutcome, run_pre_score, score_rows, spread_out
from scheduler_core.framework.status import Status

_N_SCORES = MAX_NODE_SCORE + 1
_EACH_SCORE = np.arange(_N_SCORES)
_NARROW_UP_TO = 8_000
"""The greatest total that int16 holds together with a penalty that no total outweighs."""


class OutOfRange(Exception):
    """A normalised score lies outside of 0..100: the plain engine says which, and whether it matters."""


class Line:
    """One score plugin: its raw and normalised row, and how many feasible rows have each normalised score.

    ``normalized`` tells plugins with a normaliser from those whose raw scores are final; ``final`` are those of the
    latter that are asked for changed rows only. ``counts`` int64[101]; ``constant`` is the normalised score of all
    rows where they have the same, None otherwise; then nothing is counted.
    """

    def __init__(self, plugin: ScorePlugin[Any], weight: int, raw: Scores, norm: NDArray[Any], counts: Scores) -> None:
        self.plugin = plugin
        self.memory = Memory()
        traits = plugin.traits
        self.normalized = type(plugin).normalize is not ScorePlugin.normalize
        self.final = not self.normalized and (traits.static or traits.node_local)
        self.scores = PluginScores(plugin.name, weight, raw, norm, IDENTITY)
        self.counts = counts
        self.sum = 0
        self.constant: int | None = None
        self.stale = True

    def count_all(self, norm: NDArray[Any]) -> None:
        """Take the normalised scores of the feasible rows as they are."""
        self.counts[:] = np.bincount(norm, minlength=_N_SCORES)
        self.sum = int(self.counts @ _EACH_SCORE)
        self.stale = True

    def count(self, score: int, amount: int) -> None:
        """One feasible row more (1) or less (-1) with that normalised score."""
        self.counts[score] += amount
        self.sum += amount * score
        self.stale = True

    def summarise(self, n: int) -> None:
        """Bring lowest, highest and mean up to date; there is a feasible row."""
        scores = self.scores
        if self.constant is not None:
            scores.lowest = scores.highest = self.constant
            scores.mean = float(self.constant)
            return
        if self.stale:
            present = self.counts.nonzero()[0]
            scores.lowest, scores.highest = int(present[0]), int(present[-1])
            self.stale = False
        scores.mean = round(self.sum / n, 3)


class FinalLines:
    """The lines that are asked for changed rows and have no normaliser, updated together.

    ``places`` int64[k, 1]: where the lines begin in the flat matrix of raw scores; ``bins`` likewise in that of counts.
    """

    def __init__(self, lines: Sequence[Line], n: int) -> None:
        numbered = [(j, line) for j, line in enumerate(lines) if line.final and line.plugin.traits.node_local]
        self.lines = [line for _, line in numbered]
        self.numbers = [j for j, _ in numbered]
        column = np.array(self.numbers, dtype=np.int64)[:, None]
        self.places, self.bins = column * n, np.arange(len(numbered))[:, None] * _N_SCORES
        weights = [line.scores.weight for line in self.lines]
        self.weights: Scores | None = None if set(weights) <= {1} else np.array(weights, dtype=np.int64)[:, None]


class KeptScores:
    """All score plugins on all rows, for one pod class and one set of active plugins."""

    def __init__(
        self, framework: Framework, plugins: Sequence[ScorePlugin[Any]], filters: KeptFilters, skipped: set[str]
    ) -> None:
        n = len(filters.feasible)
        weights = [framework.points.weights[p.name] for p in plugins]
        narrow = MAX_NODE_SCORE * sum(weights) <= _NARROW_UP_TO
        self.skipped = skipped
        self._dtype: type[Any] = np.int16 if narrow else np.int64
        self._penalty = -2 * _NARROW_UP_TO if narrow else -(1 << 62)
        raw = np.zeros((len(plugins), n), dtype=np.int64)
        norm = np.zeros((len(plugins), n), dtype=self._dtype)
        counts = np.zeros((len(plugins), _N_SCORES), dtype=np.int64)
        self._lines = [
            Line(p, w, raw[j], norm[j], counts[j]) for j, (p, w) in enumerate(zip(plugins, weights, strict=True))
        ]
        self._flat_raw, self._flat_norm = raw.reshape(-1), norm.reshape(-1)
        self._final = FinalLines(self._lines, n)
        self._framework = framework
        self._filters = filters
        self._changes = filters.changes
        self._feasible: Mask = np.zeros(n, dtype=bool)
        self._all_feasible = False
        self._version = -1
        self._position: int | None = None
        totals = np.full(n, self._penalty + (0 if plugins else 1), dtype=self._dtype)
        self._totals = totals
        self._outcome = ScoreOutcome(filters.rows, [line.scores for line in self._lines], raw, totals, [])

    def update(self, cycle: Cycle, pod: PodInfo, pre_score: list[tuple[str, Status]]) -> ScoreOutcome:
        """The outcome on the rows that are feasible now; its arrays change with the next call. Raises OutOfRange."""
        first_time = self._position is None
        dirty = self._dirty()
        flipped = self._version != self._filters.version
        if flipped:
            self._take_feasible(first_time)
        for j, line in enumerate(self._lines):
            traits = line.plugin.traits
            if first_time or not (traits.static or traits.node_local):
                changed = self._score_all(j, line, cycle.score_state.get(line.plugin.name), pod)
            elif line.final:
                continue
            elif dirty.rows and not traits.static:
                changed = self._score_dirty(j, line, cycle.score_state.get(line.plugin.name), pod, dirty.array)
            else:
                changed = False
            if changed or (flipped and line.normalized) or first_time:
                self._normalize(line, cycle.score_state.get(line.plugin.name), pod, changed or first_time)
        if dirty.rows and not first_time:
            self._score_final(cycle, pod, dirty)
        outcome = self._outcome
        outcome.rows, outcome.pre_score = self._filters.rows, pre_score
        for line in self._lines:
            line.summarise(len(outcome.rows))
        return outcome

    def _dirty(self) -> Dirty:
        """Rows that changed since the last update, mostly those that the filters just looked at."""
        found = self._filters.dirty
        if found is None or self._position is None or found.start != self._position:
            found = Dirty(self._filters.cluster, -1 if self._position is None else self._position)
        self._position = found.end
        return found

    # --- feasibility -------------------------------------------------------------------------------------------------
    def _take_feasible(self, first_time: bool) -> None:
        """Rows that became feasible count from now on, others no more."""
        feasible, filters = self._filters.feasible, self._filters
        flipped = feasible != self._feasible
        self._feasible[:] = feasible
        self._version = filters.version
        self._all_feasible = len(filters.rows) == len(feasible)
        rows = flipped.nonzero()[0]
        self._totals[rows] -= np.where(feasible.take(rows), self._penalty, -self._penalty).astype(self._dtype)
        if first_time:
            return
        few = len(rows) <= 8 * FEW_ROWS
        for line in self._lines:
            if line.constant is not None:
                continue
            if not few:
                line.count_all(line.scores.norm.take(filters.rows))
                continue
            for row in rows.tolist():
                line.count(int(line.scores.norm[row]), 1 if feasible[row] else -1)

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
        self._changes.whole[RAW, j] = None
        return True

    def _ask(self, line: Line, state: Any, pod: PodInfo, rows: Rows) -> Scores:
        """The plugin's raw scores; timed, which a look at single nodes is too short for."""
        with self._framework.durations.measure("Score", line.plugin.name):
            return line.plugin.score(state, pod, rows)

    def _score_dirty(self, j: int, line: Line, state: Any, pod: PodInfo, rows: Rows) -> bool:
        """Ask for the dirty rows; whether anything changed."""
        return self._take_scores(j, line, rows, self._ask(line, state, pod, rows))

    def _take_scores(self, j: int, line: Line, rows: Rows, found: Scores) -> bool:
        """Take raw scores of some rows; whether any is another than before."""
        raw = line.scores.raw
        if not len(rows) or not np.count_nonzero(raw.take(rows) != found):
            return False
        raw[rows] = found
        self._changes.rows(rows, (RAW, j))
        return True

    # --- scores without normaliser -----------------------------------------------------------------------------------
    def _score_final(self, cycle: Cycle, pod: PodInfo, dirty: Dirty) -> None:
        """Ask the plugins without normaliser for the dirty rows; totals follow."""
        final = self._final
        if not final.lines:
            return
        states = [cycle.score_state.get(line.plugin.name) for line in final.lines]
        if len(dirty.rows) > FEW_ROWS:
            found = [self._ask(line, state, pod, dirty.array) for line, state in zip(final.lines, states, strict=True)]
            self._take_final(dirty.array, np.array(found))
            return
        views = [self._filters.cluster.view(row) for row in dirty.rows]
        moved = [j for j, line, state in zip(final.numbers, final.lines, states, strict=True)
                 if self._score_views(line, state, pod, views)]  # fmt: skip
        if moved:
            self._changes.rows(dirty.array, *[(RAW, j) for j in moved])

    def _take_final(self, rows: Rows, found: Scores) -> None:
        """Take final scores int64[k, len(rows)] of the final lines."""
        final = self._final
        places = final.places + rows
        before = self._flat_raw.take(places)
        differences = found - before
        if not np.count_nonzero(differences):
            return
        # seen as unsigned, what is below 0 is large
        if np.count_nonzero(found.view(np.uint64) > MAX_NODE_SCORE):
            raise OutOfRange
        self._flat_raw[places] = self._flat_norm[places] = found
        self._changes.rows(rows, *[(RAW, j) for j in final.numbers])
        weighted = differences if final.weights is None else differences * final.weights
        self._totals[rows] += np.add.reduce(weighted, axis=0, dtype=self._dtype)
        if not self._all_feasible:
            feasible = self._feasible.take(rows)
            before, found, differences = before[:, feasible], found[:, feasible], differences[:, feasible]
        k = len(final.lines)
        counts = np.bincount((found + final.bins).reshape(-1), minlength=k * _N_SCORES)
        counts -= np.bincount((before + final.bins).reshape(-1), minlength=k * _N_SCORES)
        by_line = counts.reshape(k, _N_SCORES)
        for i, (line, moved) in enumerate(zip(final.lines, np.add.reduce(differences, axis=1).tolist(), strict=True)):
            self._vary(line)
            line.counts += by_line[i]
            line.sum += moved
            line.stale = True

    def _score_views(self, line: Line, state: Any, pod: PodInfo, views: list[NodeView]) -> bool:
        """The same, one node at a time; whether any score is another than before."""
        scores, moved = line.scores, False
        for view in views:
            row = view.row
            found, before = line.plugin.score_node(state, pod, view), int(scores.raw[row])
            if found == before:
                continue
            if not 0 <= found <= MAX_NODE_SCORE:
                raise OutOfRange
            moved = True
            if line.constant is not None:
                self._vary(line)
            scores.raw[row] = scores.norm[row] = found
            self._totals[row] += scores.weight * (found - before)
            if self._feasible[row]:
                line.count(before, -1)
                line.count(found, 1)
        return moved

    def _vary(self, line: Line) -> None:
        """The rows no longer all have the same score: count them from now on."""
        if line.constant is not None:
            line.counts[:] = 0
            line.counts[line.constant] = len(self._filters.rows)
            line.sum = line.constant * len(self._filters.rows)
            line.constant, line.stale = None, True

    # --- normalised scores and totals --------------------------------------------------------------------------------
    def _normalize(self, line: Line, state: Any, pod: PodInfo, changed: bool) -> None:
        scores, rows, raw = line.scores, self._filters.rows, line.scores.raw
        whole = self._filters.in_order and len(rows) == len(raw)
        feasible = raw if whole else raw.take(rows)
        normalization = line.plugin.normalize(state, pod, rows, feasible) if line.normalized else IDENTITY
        if not changed and normalization.kind != CUSTOM and normalization == scores.normalization:
            return
        found = normalize(normalization, feasible)
        lowest, highest = int(found.min()), int(found.max())
        if lowest < 0 or highest > MAX_NODE_SCORE:
            raise OutOfRange
        scores.normalization = spread_out(normalization, rows, len(raw))
        everywhere = found if whole else normalize(scores.normalization, raw).clip(0, MAX_NODE_SCORE)
        norm = everywhere.astype(self._dtype)
        difference = norm - scores.norm
        difference *= scores.weight
        self._totals += difference
        scores.norm[:] = norm
        line.constant = None
        if lowest == highest and (whole or np.count_nonzero(everywhere != lowest) == 0):
            line.constant = lowest
        else:
            line.count_all(found)


def run_kept_scores(framework: Framework, cycle: Cycle, pod: PodInfo, kept: KeptClass) -> ScoreOutcome:
    """As run_scores on the rows that the kept filters let through. Raises ScoreError."""
    filters = kept.filters
    assert filters is not None
    pre_score = run_pre_score(framework, cycle, pod, filters.rows)
    if kept.scores is None or kept.scores.skipped != cycle.skip_score:
        plugins = [p for p in framework.points.score if p.name not in cycle.skip_score]
        kept.scores = KeptScores(framework, plugins, filters, cycle.skip_score.copy())
        filters.changes.recorded(-1)
    try:
        return kept.scores.update(cycle, pod, pre_score)
    except OutOfRange:
        framework.kept.forget(pod)
        return score_rows(framework, cycle, pod, filters.rows, pre_score)
