"""The score cache by numpy: where there is no kernel, and for plugins that the kernel cannot normalise.

Idea, invariant and an example: incremental/score_cache.py. Raw scores of static and node-local plugins are there for
all rows, others for feasible ones at least. Thresholds choose between gathering some rows and passing over all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.change_set import FEW_ROWS, RAW
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.normalizers import CUSTOM, normalize
from scheduler_core.framework.contracts.plugin import ScorePlugin
from scheduler_core.framework.contracts.plugin_errors import raised
from scheduler_core.framework.contracts.verdicts import IDENTITY, MAX_NODE_SCORE, Rows, Scores, check_scores
from scheduler_core.framework.incremental.dirty_rows import DirtyRows
from scheduler_core.framework.incremental.filter_cache import FilterCache
from scheduler_core.framework.incremental.numpy.score_row import ScoreRow
from scheduler_core.framework.incremental.score_cache import NARROW_PENALTY, OutOfRange, are_narrow
from scheduler_core.framework.incremental.verdict_table import Mask
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.framework.runtime.score_phase import (
    ScoreOutcome,
    StatusOfPlugin,
    spread_out,
    total_without_scores,
)
from scheduler_core.framework.topology.domain_rows import NO_ROWS

_MANY_ROWS = 256
"""From this many rows on, a pass over the whole line is cheaper than gathering and spreading these rows."""


class NumpyScores:
    """All score plugins on all rows, for one pod class and one set of active plugins."""

    def __init__(
        self, framework: Framework, plugins: Sequence[ScorePlugin[Any]], filters: FilterCache, skipped: set[str]
    ) -> None:
        n = len(filters.feasible)
        weights = [framework.points.weights[p.name] for p in plugins]
        narrow = are_narrow(weights)
        self.skipped = skipped
        self._dtype: type[Any] = np.int16 if narrow else np.int64
        self._penalty = NARROW_PENALTY if narrow else -(1 << 62)
        raw = np.zeros((len(plugins), n), dtype=np.int64)
        norm = np.zeros((len(plugins), n), dtype=self._dtype)
        self._lines = [ScoreRow(p, w, raw[j], norm[j]) for j, (p, w) in enumerate(zip(plugins, weights, strict=True))]
        self._final = [(j, line) for j, line in enumerate(self._lines) if line.final and not line.static]
        self._framework = framework
        self._filters = filters
        self._changes = filters.changes
        self._feasible: Mask = np.zeros(n, dtype=bool)
        self._all_feasible = False
        self._version = -1
        self._position: int | None = None
        totals = np.full(n, self._penalty + total_without_scores(framework), dtype=self._dtype)
        self._totals = totals
        self._outcome = ScoreOutcome(filters.rows, [line.scores for line in self._lines], raw, totals, [])

    def update(self, cycle: CycleState, pod: PodInfo, pre_score: list[StatusOfPlugin]) -> ScoreOutcome:
        """The outcome on the rows that are feasible now; its arrays change with the next call. Raises OutOfRange and
        PluginRaised, and is then good for nothing any more."""
        first_time = self._position is None
        dirty = self._filters.dirty_rows_since(self._position)
        self._position = dirty.end
        flipped = self._version != self._filters.version
        if flipped:
            self._take_feasible(first_time)
        states = cycle.score_state
        for j, line in enumerate(self._lines):
            if first_time or line.across_nodes:
                changed = self._score_all(j, line, states.get(line.plugin.name), pod)
            elif line.final:
                continue
            else:
                changed = bool(dirty.n) and not line.static
                changed = changed and self._score_dirty(j, line, states.get(line.plugin.name), pod, dirty.array)
            if changed or (flipped and line.normalized) or first_time:
                self._normalize(line, states.get(line.plugin.name), pod, changed or first_time)
        if dirty.n and self._final and not first_time:
            self._score_final(states, pod, dirty)
        outcome = self._outcome
        outcome.rows, outcome.pre_score = self._filters.rows, pre_score
        n = len(outcome.rows)
        for line in self._lines:
            line.summarise(n)
        return outcome

    # --- feasibility -------------------------------------------------------------------------------------------------
    def _take_feasible(self, first_time: bool) -> None:
        """Rows that became feasible count from now on, others no more."""
        feasible, filters = self._filters.feasible, self._filters
        rows = (feasible != self._feasible).nonzero()[0]
        if len(rows) == 1:
            gained, lost = (rows, NO_ROWS) if feasible[rows[0]] else (NO_ROWS, rows)
        else:
            fits = feasible.take(rows)
            gained, lost = rows.compress(fits), rows.compress(~fits)
        if len(rows) < _MANY_ROWS:
            for some, penalty in ((gained, self._penalty), (lost, -self._penalty)):
                if len(some):
                    self._totals[some] -= penalty
        else:
            change = feasible.view(np.int8) - self._feasible.view(np.int8)
            self._totals -= change * self._dtype(self._penalty)
        self._feasible[:] = feasible
        self._version = filters.version
        self._all_feasible = len(filters.rows) == len(feasible)
        if first_time:
            return
        for line in self._lines:
            line.flip(gained, lost)

    # --- raw scores --------------------------------------------------------------------------------------------------
    def _score_all(self, j: int, line: ScoreRow, state: Any, pod: PodInfo) -> bool:
        """Ask for all rows, or for those that changed; whether anything changed."""
        filters, raw, rows = self._filters, line.scores.raw, self._filters.order
        if not line.across_nodes:
            found = self._ask(line, state, pod, rows)
            line.same_everywhere = line.static and not np.count_nonzero(found != found[0])
        else:
            try:
                with self._framework.durations.measure("Score", line.plugin.name):
                    some, found = line.plugin.score_delta(state, pod, filters.rows, line.cache)
                check_scores(found, len(filters.rows if some is None else some))
            except Exception as problem:
                raise raised(line.plugin.name, "Score", problem) from problem
            if some is not None and some is not filters.order:
                return self._take_scores(j, line, some, found)
            rows = filters.rows if some is None else some
        if line.raws is not None:
            all_count = self._all_feasible or rows is filters.rows
            line.raws.fill(found if all_count else found.compress(self._feasible.take(rows)))
        whole = len(rows) == len(raw) and filters.in_order
        if np.array_equal(raw if whole else raw[rows], found):
            return False
        raw[slice(None) if whole else rows] = found
        self._changes.whole[RAW, j] = None
        line.moved = None
        return True

    def _ask(self, line: ScoreRow, state: Any, pod: PodInfo, rows: Rows) -> Scores:
        """The plugin's raw scores; timed, which a look at single nodes is too short for."""
        try:
            with self._framework.durations.measure("Score", line.plugin.name):
                found = line.plugin.score(state, pod, rows)
            check_scores(found, len(rows))
            return found
        except Exception as problem:
            raise raised(line.plugin.name, "Score", problem) from problem

    def _score_dirty(self, j: int, line: ScoreRow, state: Any, pod: PodInfo, rows: Rows) -> bool:
        """Ask for the dirty rows; whether anything changed."""
        return self._take_scores(j, line, rows, self._ask(line, state, pod, rows))

    def _take_scores(self, j: int, line: ScoreRow, rows: Rows, found: Scores) -> bool:
        """Take raw scores of some rows; whether any is another than before."""
        if not len(rows):
            return False
        raw = line.scores.raw
        before = raw.take(rows)
        if line.raws is not None and self._all_feasible:
            if not line.raws.move(before, found):
                return False
        elif not np.count_nonzero(before != found):
            return False
        elif line.raws is not None:
            fits = self._feasible.take(rows)
            line.raws.change(before[fits], -1)
            line.raws.change(found[fits], 1)
        raw[rows] = found if found.strides != (0,) else found[0]
        self._changes.rows(rows, (RAW, j))
        line.moved = rows
        return True

    # --- scores without normaliser -----------------------------------------------------------------------------------
    def _score_final(self, states: Mapping[str, Any], pod: PodInfo, dirty: DirtyRows) -> None:
        """Ask the plugins without normaliser for the dirty rows; totals follow."""
        rows, views = dirty.array, None
        if dirty.n <= FEW_ROWS:
            views = [self._filters.cluster.view(row) for row in dirty.rows]
        feasible = None if self._all_feasible else self._feasible.take(rows).tolist()
        gained, moved = [0] * dirty.n, []
        for j, line in self._final:
            state, plugin = states.get(line.plugin.name), line.plugin
            if views is not None:
                try:
                    after = [int(plugin.score_node(state, pod, view)) for view in views]
                except Exception as problem:
                    raise raised(plugin.name, "Score", problem) from problem
            else:
                after = self._ask(line, state, pod, rows).tolist()
            if self._take_final(line, rows, after, gained, feasible):
                moved.append((RAW, j))
        if moved:
            self._totals[rows] += np.array(gained, dtype=self._dtype)
            self._changes.rows(rows, *moved)

    def _take_final(
        self, line: ScoreRow, rows: Rows, after: list[int], gained: list[int], feasible: list[bool] | None
    ) -> bool:
        """Take final scores of some rows, adding what they gain in total; whether any is another than before."""
        raw, weight = line.scores.raw, line.scores.weight
        before = raw.take(rows).tolist()
        if before == after:
            return False
        if min(after) < 0 or max(after) > MAX_NODE_SCORE:
            raise OutOfRange
        raw[rows] = line.scores.norm[rows] = after
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            gained[i] += weight * (new - old)
        line.count(before, after, feasible, len(self._filters.rows))
        return True

    # --- normalised scores and totals --------------------------------------------------------------------------------
    def _normalize(self, line: ScoreRow, state: Any, pod: PodInfo, changed: bool) -> None:
        by_table = line.raws is not None
        if line.raws is not None and line.raws.stale:
            line.raws.fill(line.scores.raw if self._all_feasible else line.scores.raw.take(self._filters.rows))
        if by_table and line.normalize_by_table(self._totals, changed=changed):
            return
        scores, rows, raw = line.scores, self._filters.rows, line.scores.raw
        whole = self._filters.in_order and len(rows) == len(raw)
        feasible = raw if whole else raw.take(rows)
        try:
            normalization = line.plugin.normalize(state, pod, rows, feasible) if line.normalized else IDENTITY
            if normalization.kind == CUSTOM:
                check_scores(normalize(normalization, feasible), len(rows))
        except Exception as problem:
            raise raised(line.plugin.name, "NormalizeScore", problem) from problem
        if not by_table and normalization.kind != CUSTOM and normalization == scores.normalization:
            if not changed:
                return
            if line.moved is not None:
                self._normalize_rows(line, line.moved)
                return
        found = normalize(normalization, feasible)
        if int(found.view(np.uint64).max()) > MAX_NODE_SCORE:
            raise OutOfRange
        scores.normalization = spread_out(normalization, rows, len(raw))
        everywhere = found if whole else normalize(scores.normalization, raw).clip(0, MAX_NODE_SCORE)
        norm = everywhere.astype(self._dtype)
        difference = norm - scores.norm
        difference *= scores.weight
        self._totals += difference
        scores.norm[:] = norm
        lowest = int(norm[0])
        line.constant = None if np.count_nonzero(norm != lowest) else lowest
        if line.constant is None:
            line.counts.fill(found)

    def _normalize_rows(self, line: ScoreRow, rows: Rows) -> None:
        """Normalise some rows anew, where the parameters stay as they were."""
        scores = line.scores
        found, before = normalize(scores.normalization, scores.raw.take(rows)), scores.norm.take(rows)
        feasible = None if self._all_feasible else self._feasible.take(rows)
        told = found if feasible is None else found[feasible]
        if len(told) and int(told.view(np.uint64).max()) > MAX_NODE_SCORE:
            raise OutOfRange
        norm = (found if feasible is None else found.clip(0, MAX_NODE_SCORE)).astype(self._dtype)
        differences = norm - before
        if not np.count_nonzero(differences):
            return
        scores.norm[rows] = norm
        differences *= scores.weight
        self._totals[rows] += differences
        fits = None if feasible is None else feasible.tolist()
        line.count(before.tolist(), norm.tolist(), fits, len(self._filters.rows))
