"""Scores of all rows for one pod class, updated with what changed instead of recomputed.

Idea. Few raw scores change between two cycles of a class, and few of these change a parameter of a normaliser (the
lowest or highest raw score). So the cache holds raw scores, normalised scores and totals of all rows, takes new raw
scores for changed rows only, and applies each difference to the totals.

Invariant, after ``update``, for plugins j with weight w[j] and every feasible row r:

    raw[j, r]  = plugin j's raw score of r
    norm[j, r] = normalize(params[j], raw[j, r]),  params[j] = normalizer({raw[j, s] : s feasible})
    totals[r]  = base + sum over j of w[j] * norm[j, r]              base = total_without_scores

and for a row that is not feasible totals[r] = that sum + a penalty below -(the greatest sum), so it is negative and the
best total is that of a feasible row. Each step keeps it by a difference:

    raw of some rows changed, params[j] as before:  totals[r] += w[j] * (norm now - norm before), these rows only
    params[j] changed:                              the same for all rows; few different raw scores make a table
    a row became feasible, or no longer is:         totals[r] -= or += penalty; its raw scores join or leave the set

Lowest, highest and mean of norm[j] over the feasible rows come from counts: how many of them have each raw score.

Cost. O(changed rows) for each plugin whose scores may change, O(all rows) for one whose parameters changed.

Example. One plugin of weight 1, normalised by its greatest raw score; three feasible rows:
    raw [2, 4, 4] -> params 4, norm [50, 100, 100], totals [50, 100, 100]
    a pod came to row 0, raw [3, 4, 4]:  params 4 as before, row 0 alone: norm 75, totals[0] += 25
    rows 1 and 2 are full:               params 3, so all rows: norm [100, ...], totals [100, < 0, < 0]

The kernel keeps it in one pass over the changed rows (score_table.c). It knows the normalisers by name; a profile with
another one is scored again in every cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scheduler_core.columns.pods import PodInfo
from scheduler_core.compiled import interface, needed_kernel
from scheduler_core.framework.contracts import normalizers as normalize
from scheduler_core.framework.contracts.change_set import RAW, should_reuse_rows
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.plugin import PluginCache, ScorePlugin
from scheduler_core.framework.contracts.verdicts import IDENTITY, MAX_NODE_SCORE, Normalization, Rows, Scores
from scheduler_core.framework.incremental.filter_cache import FilterCache
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.framework.runtime.plugin_calls import ask_score, ask_score_delta
from scheduler_core.framework.runtime.score_phase import (
    PluginScores,
    ScoreOutcome,
    StatusOfPlugin,
    total_without_scores,
)

_KINDS: dict[Callable[[Scores], Normalization] | None, tuple[int, str, int]] = {
    None: (interface.IDENTITY, normalize.IDENTITY, 0),
    normalize.default: (interface.DEFAULT, normalize.DEFAULT, 1),
    normalize.default_reversed: (interface.DEFAULT_REVERSED, normalize.DEFAULT_REVERSED, 1),
    normalize.spread: (interface.SPREAD, normalize.SPREAD, 2),
    normalize.min_max: (interface.MIN_MAX, normalize.MIN_MAX, 2),
}
"""The kernel's number of each normaliser, the recording's name for it, and how many parameters it has."""


_GREATEST_TOTAL = 32_000
_PENALTY = -32_700
"""Makes the total of a row that is not feasible negative; int16 holds it with and without."""


class OutOfRange(Exception):
    """A normalised score lies outside of 0..100. The plain engine then finds out which, and whether it is an error."""


def can_be_cached(framework: Framework, plugins: Sequence[ScorePlugin[Any]], pod: PodInfo) -> bool:
    """Whether the kernel knows these plugins' normalisers and can hold their totals, and scores of the class hold."""
    greatest = MAX_NODE_SCORE * sum(framework.points.weights[p.name] for p in plugins)
    return greatest <= _GREATEST_TOTAL and all(
        p.normalizer in _KINDS and type(p).normalize is ScorePlugin.normalize and p.keeps_scores(pod) for p in plugins
    )


class _ScoreRow:
    """One score plugin: which rows it is asked about, and how its scores are normalised."""

    __slots__ = ("across_nodes", "cache", "kind", "n_params", "normalized", "plugin", "scores", "static")

    def __init__(self, plugin: ScorePlugin[Any], scores: PluginScores) -> None:
        traits = plugin.traits
        self.plugin = plugin
        self.scores = scores
        self.cache = PluginCache()
        self.static = traits.static
        self.across_nodes = traits.across_nodes
        self.normalized = plugin.normalizer is not None
        _, self.kind, self.n_params = _KINDS[plugin.normalizer]


class ScoreCache:
    """All score plugins on all rows, for one pod class and one set of active plugins.

    ``skipped`` names the plugins that PreScore left out.
    """

    def __init__(
        self, framework: Framework, plugins: Sequence[ScorePlugin[Any]], filters: FilterCache, skipped: set[str]
    ) -> None:
        n_rows, weights = len(filters.feasible), tuple([framework.points.weights[p.name] for p in plugins])
        raw, norm = np.zeros((len(plugins), n_rows), dtype=np.int64), np.zeros((len(plugins), n_rows), dtype=np.int16)
        totals = np.full(n_rows, _PENALTY + total_without_scores(framework), dtype=np.int16)
        kinds = tuple([_KINDS[p.normalizer][0] for p in plugins])
        self._table = needed_kernel().ScoreTable(raw, norm, totals, kinds, weights, _PENALTY)
        scores = [
            PluginScores(p.name, w, raw[j], norm[j], IDENTITY)
            for j, (p, w) in enumerate(zip(plugins, weights, strict=True))
        ]
        lines = self._all = list(enumerate([_ScoreRow(p, s) for p, s in zip(plugins, scores, strict=True)]))
        self._across = [(j, line) for j, line in lines if line.across_nodes]
        self._moving = [(j, line) for j, line in lines if not line.static]
        self._still = [(j, line) for j, line in lines if line.normalized and not line.across_nodes]
        self.skipped = skipped
        self._durations = framework.durations
        self._filters = filters
        self._changes = filters.changes
        self._version = -1
        self._position: int | None = None
        self._outcome = ScoreOutcome(filters.rows, scores, raw, totals, [], self._table)

    def update(self, cycle: CycleState, pod: PodInfo, pre_score: list[StatusOfPlugin]) -> ScoreOutcome:
        """The outcome on the rows that are feasible now; the next call overwrites its arrays.

        Raises OutOfRange and PluginRaised; the cache is unusable after either."""
        filters, table = self._filters, self._table
        first_time = self._position is None
        dirty = filters.dirty_rows_since(self._position)
        self._position = dirty.end
        flipped = self._version != filters.version
        try:
            if flipped:
                self._version = filters.version
                table.take_feasible(filters.feasible)
            rows = filters.order if first_time else dirty.array
            for j, line in self._all if first_time else self._moving if dirty.n else self._across:
                self._score(j, line, cycle, pod, rows)
            if first_time:
                self._leave_final_ones()
            if flipped and not first_time:
                for j, line in self._still:
                    if table.settle(j):
                        self._take_params(j, line)
        except OverflowError as error:
            raise OutOfRange from error
        outcome, n = self._outcome, len(filters.rows)
        outcome.rows, outcome.pre_score = filters.rows, pre_score
        for j, lowest, highest, total in table.sums():
            scores = outcome.plugins[j]
            scores.lowest, scores.highest, scores.mean = lowest, highest, round(total / n, 3)
        return outcome

    def _leave_final_ones(self) -> None:
        """Ask no more for what its plugin has answered for good; its parameters still follow the feasible rows."""
        final = [(j, line) for j, line in self._across if line.cache.is_final]
        self._across = [one for one in self._across if one not in final]
        self._moving = [one for one in self._moving if one not in final]
        self._still += [(j, line) for j, line in final if line.normalized]

    def _score(self, j: int, line: _ScoreRow, cycle: CycleState, pod: PodInfo, rows: Rows) -> None:
        """Take the plugin's scores of the rows, or of the rows that it reports as changed if it looks across nodes."""
        filters, durations = self._filters, self._durations
        if line.across_nodes:
            rows, scores = ask_score_delta(durations, cycle, line.plugin, pod, line.cache, filters.rows)
        else:
            scores = ask_score(durations, cycle, line.plugin, pod, rows)
        n_moved, renewed = self._table.take(j, rows, scores)
        if renewed:
            self._take_params(j, line)
        if not n_moved:
            return
        if 2 * n_moved > len(filters.decisive):
            self._changes.whole[RAW, j] = None
        elif not line.across_nodes or n_moved == len(rows) or should_reuse_rows(rows, n_moved):
            self._changes.rows(rows, (RAW, j))
        else:
            moved = np.empty(n_moved, dtype=np.int64)
            self._table.moved(moved)
            self._changes.rows(moved, (RAW, j))

    def _take_params(self, j: int, line: _ScoreRow) -> None:
        line.scores.normalization = Normalization(line.kind, self._table.params(j)[: line.n_params])
