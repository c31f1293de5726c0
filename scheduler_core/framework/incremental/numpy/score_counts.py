"""How many feasible rows have each normalised score of one plugin, for its lowest, highest and mean score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.contracts.verdicts import MAX_NODE_SCORE

Scores = NDArray[Any] | Sequence[int]
_N_SCORES = MAX_NODE_SCORE + 1
_MANY = 64


class ScoreCounts:
    """Scores are integers from 0 to 100. ``lowest`` and ``highest`` mean nothing while nothing is counted."""

    __slots__ = ("_counts", "_sum", "highest", "lowest")

    def __init__(self) -> None:
        self._counts = [0] * _N_SCORES
        self._sum = 0
        self.lowest = MAX_NODE_SCORE
        self.highest = 0

    def fill(self, scores: NDArray[Any]) -> None:
        """Count these, and nothing else."""
        counts = np.bincount(scores, minlength=_N_SCORES)
        self._counts = counts.tolist()
        self._sum = int(counts @ _EACH)
        self.lowest, self.highest = 0, MAX_NODE_SCORE
        self._settle()

    def fill_with(self, score: int, n: int) -> None:
        """Count one score ``n`` times, and nothing else."""
        self._counts = [0] * _N_SCORES
        self._counts[score] = n
        self._sum = n * score
        self.lowest = self.highest = score

    def add(self, score: int, amount: int) -> None:
        """One more (1) or one less (-1) of the score."""
        self._counts[score] += amount
        self._sum += amount * score
        self._widen(score, score)
        self._settle()

    def replace(self, before: Sequence[int], after: Sequence[int]) -> None:
        """Count the scores of some rows anew."""
        if len(after) > _MANY:
            self.shift(after, before)
            return
        counts = self._counts
        for old, new in zip(before, after, strict=True):
            if old != new:
                counts[old] -= 1
                counts[new] += 1
                self._sum += new - old
        if after:
            self._widen(min(after), max(after))
            self._settle()

    def mean(self, n: int) -> float:
        """The mean of the ``n`` scores, to three places."""
        return round(self._sum / n, 3)

    def shift(self, gained: Scores, lost: Scores) -> None:
        """The scores of rows that count from now on, and of rows that count no more."""
        for scores, sign in ((gained, 1), (lost, -1)):
            if not len(scores):
                continue
            numbers = np.bincount(scores)
            found = numbers.nonzero()[0].tolist()
            for score, number in zip(found, numbers.take(found).tolist(), strict=True):
                self._counts[score] += sign * number
                self._sum += sign * score * number
            if sign > 0:
                self._widen(found[0], found[-1])
        self._settle()

    def _widen(self, low: int, high: int) -> None:
        if low < self.lowest:
            self.lowest = low
        if high > self.highest:
            self.highest = high

    def _settle(self) -> None:
        """Draw the bounds in to scores that there are."""
        counts, low, high = self._counts, self.lowest, self.highest
        while low < MAX_NODE_SCORE and not counts[low]:
            low += 1
        while high > 0 and not counts[high]:
            high -= 1
        self.lowest, self.highest = low, high


_EACH = np.arange(_N_SCORES)
