"""One score plugin's row of the cached scores: raw and normalised, with what sums it up over the feasible rows."""

from __future__ import annotations

from itertools import compress
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.contracts.normalizers import CUSTOM, normalize_few, of_different
from scheduler_core.framework.contracts.plugin import PluginCache, ScorePlugin
from scheduler_core.framework.contracts.plugin_errors import raised
from scheduler_core.framework.contracts.verdicts import IDENTITY, MAX_NODE_SCORE, Rows, Scores, check_scores
from scheduler_core.framework.incremental.numpy.raw_counts import RawCounts
from scheduler_core.framework.incremental.numpy.score_counts import ScoreCounts
from scheduler_core.framework.incremental.score_cache import OutOfRange
from scheduler_core.framework.runtime.score_phase import PluginScores

_MANY_ROWS = 512
"""From this many rows on, a pass over the whole line is cheaper than gathering and spreading these rows."""
_FEW_FLIPS = 24
_WIDEST_TABLE = 4096


class ScoreRow:
    """One score plugin: its raw and normalised row, and what its feasible rows' normalised scores come to.

    ``normalized`` tells plugins with a normaliser from those whose raw scores are final; ``final`` are those of the
    latter that are asked for changed rows only. ``moved`` are the rows whose raw score was the last to change, None
    where it may have been any.

    Where a plugin names its ``normalizer`` and has few different raw scores, ``raws`` counts them, None otherwise; then
    normalised scores come from a table. Otherwise ``counts`` has normalised scores; ``constant`` is that of all rows
    where they have the same, None otherwise; then nothing is counted.
    """

    def __init__(self, plugin: ScorePlugin[Any], weight: int, raw: Scores, norm: NDArray[Any]) -> None:
        self.plugin = plugin
        self.cache = PluginCache()
        traits = plugin.traits
        self.normalized = plugin.normalizer is not None or type(plugin).normalize is not ScorePlugin.normalize
        self.across_nodes = traits.across_nodes
        self.final = not self.normalized and not self.across_nodes
        self.static = traits.static
        self.scores = PluginScores(plugin.name, weight, raw, norm, IDENTITY)
        self.counts = ScoreCounts()
        self.moved: Rows | None = None
        self.constant: int | None = None
        by_score = plugin.normalizer is not None and type(plugin).normalize is ScorePlugin.normalize
        self.raws = RawCounts() if by_score else None
        self.same_everywhere = False
        """Whether all rows have one raw score for good: then it does not matter how many count."""
        self._known: tuple[int, ...] = ()
        self._norm_of: dict[int, int] = {}
        self._table: NDArray[Any] = norm[:0]
        self._first = 0

    def summarise(self, n: int) -> None:
        """Bring lowest, highest and mean up to date; there is a feasible row."""
        scores = self.scores
        if self.raws is not None:
            self._summarise_raws(n)
        elif self.constant is not None:
            scores.lowest = scores.highest = self.constant
            scores.mean = float(self.constant)
        else:
            scores.lowest, scores.highest, scores.mean = self.counts.lowest, self.counts.highest, self.counts.mean(n)

    # --- which rows count --------------------------------------------------------------------------------------------
    def flip(self, gained: Rows, lost: Rows) -> None:
        """Rows that became feasible count from now on, others no more."""
        if self.raws is not None:
            if self.same_everywhere:
                return
            for rows, sign in ((gained, 1), (lost, -1)):
                if len(rows):
                    self.raws.change(self.scores.raw.take(rows), sign)
        elif self.constant is None:
            norm = self.scores.norm
            if len(gained) + len(lost) > _FEW_FLIPS:
                self.counts.shift(norm.take(gained), norm.take(lost))
                return
            for rows, amount in ((gained, 1), (lost, -1)):
                if len(rows):
                    for score in norm.take(rows).tolist():
                        self.counts.add(score, amount)

    def count(self, before: list[int], after: list[int], feasible: list[bool] | None, n: int) -> None:
        """Count the normalised scores of some rows anew, as far as these are feasible (None: all are), of ``n``."""
        if self.constant is not None:  # until now all rows had the same
            self.counts.fill_with(self.constant, n)
            self.constant = None
        if feasible is not None:
            before, after = list(compress(before, feasible)), list(compress(after, feasible))
        self.counts.replace(before, after)

    # --- normalising by the different raw scores ---------------------------------------------------------------------
    def normalize_by_table(self, totals: NDArray[Any], *, changed: bool) -> bool:
        """Bring the normalised row up to date, and the totals by difference; False where there are too many raw scores.

        ``changed``: raw scores did, those of ``moved``. Raises OutOfRange.
        """
        raws = self.raws
        if raws is None or raws.by_score is None or max(raws.by_score) - min(raws.by_score) >= _WIDEST_TABLE:
            self.raws = None
            return False
        known = tuple(raws.by_score)
        if known != self._known and self._take_scores(known):
            self._renew(totals)
        elif changed and self.moved is not None and len(self.moved) < _MANY_ROWS:
            self._renew_rows(totals, self.moved)
        elif changed:
            self._renew(totals)
        return True

    def _take_scores(self, known: tuple[int, ...]) -> bool:
        """Take the different raw scores; whether the table is another now."""
        assert self.plugin.normalizer is not None
        try:
            normalization = of_different(self.plugin.normalizer, known)
            if normalization.kind == CUSTOM:
                check_scores(np.asarray(normalization.values), len(known))
        except Exception as problem:
            raise raised(self.plugin.name, "NormalizeScore", problem) from problem
        self._known = known
        if normalization == self.scores.normalization and self._norm_of.keys() >= set(known):
            return False
        found = normalize_few(normalization, known)
        if min(found) < 0 or max(found) > MAX_NODE_SCORE:
            raise OutOfRange
        self.scores.normalization, self._norm_of = normalization, dict(zip(known, found, strict=True))
        first = self._first = min(known)
        self._table = np.zeros(max(known) - first + 1, dtype=self.scores.norm.dtype)
        for score, norm in self._norm_of.items():
            self._table[score - first] = norm
        return True

    def _renew(self, totals: NDArray[Any]) -> None:
        """Look all rows up. Those whose scores the table lacks are not feasible, and never will be with this table."""
        scores = self.scores
        norm = self._table.take(scores.raw - self._first, mode="clip")
        difference = norm - scores.norm
        difference *= scores.weight
        totals += difference
        scores.norm[:] = norm

    def _renew_rows(self, totals: NDArray[Any], rows: Rows) -> None:
        scores = self.scores
        norm = self._table.take(scores.raw.take(rows) - self._first, mode="clip")
        totals[rows] += (norm - scores.norm.take(rows)) * scores.weight
        scores.norm[rows] = norm

    def _summarise_raws(self, n: int) -> None:
        assert self.raws is not None
        assert self.raws.by_score is not None
        by_score, scores, norm_of = self.raws.by_score, self.scores, self._norm_of
        if len(by_score) == 1:
            scores.lowest = scores.highest = norm_of[next(iter(by_score))]
            scores.mean = float(scores.lowest)
            return
        norms = [norm_of[score] for score in by_score]
        scores.lowest, scores.highest = min(norms), max(norms)
        scores.mean = round(sum(map(mul, norms, by_score.values())) / n, 3)
