"""How many feasible rows have each raw score of one plugin, where these are few different numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.int64]
_MOST = 128
_WIDEST = 4096
_FEW_ROWS = 24


class RawCounts:
    """``by_score``: number of rows by raw score, none of them 0; None where there are too many scores to count.

    ``stale``: they must be counted anew by ``fill``, which is cheaper than to follow.
    """

    __slots__ = ("by_score", "stale")

    def __init__(self) -> None:
        self.by_score: dict[int, int] | None = None
        self.stale = False

    def fill(self, raw: Scores) -> None:
        """Count these, and nothing else."""
        found, self.stale = _counted(raw), False
        self.by_score = None if found is None or len(found) > _MOST else dict(found)

    def change(self, raw: Scores, sign: int) -> None:
        """So many rows more (1) or less (-1)."""
        if len(raw) and not self.stale:
            self._add(_counted(raw), sign)

    def move(self, before: Scores, after: Scores) -> bool:
        """Rows have other scores than before; whether any score really is another. There is a row."""
        few = len(before) <= _FEW_ROWS
        if few or (_are_alike(before) and _are_alike(after)):
            old, new = (_one_by_one(before), _one_by_one(after)) if few else (_first(before), _first(after))
            if before[0] == after[0] and (not few or np.array_equal(before, after)):
                return False
            if not self.stale:
                self._add(old, -1)
                self._add(new, 1)
            return True
        if not np.count_nonzero(before != after):
            return False
        self.stale = True
        return True

    def _add(self, found: Iterable[tuple[int, int]] | None, sign: int) -> None:
        known = self.by_score
        if known is None or found is None:
            self.by_score = None
            return
        for score, number in found:
            after = known.get(score, 0) + sign * number
            if after:
                known[score] = after
            else:
                del known[score]
        if len(known) > _MOST:
            self.by_score = None


def _counted(raw: Scores) -> Collection[tuple[int, int]] | None:
    """Each score and how often it occurs; None where they lie too far apart."""
    if len(raw) <= _FEW_ROWS:
        return _one_by_one(raw)
    if _are_alike(raw):
        return _first(raw)
    lowest, highest = int(raw.min()), int(raw.max())
    if highest - lowest >= _WIDEST:
        return None
    counts = np.bincount(raw - lowest)
    at = counts.nonzero()[0]
    return [(lowest + i, number) for i, number in zip(at.tolist(), counts.take(at).tolist(), strict=True)]


def _are_alike(raw: Scores) -> bool:
    return raw.strides == (0,) or not np.count_nonzero(raw != raw[0])


def _first(raw: Scores) -> list[tuple[int, int]]:
    """Where all are alike."""
    return [(int(raw[0]), len(raw))]


def _one_by_one(raw: Scores) -> Collection[tuple[int, int]]:
    return _first(raw) if len(raw) == 1 else Counter(raw.tolist()).items()
