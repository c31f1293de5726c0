"""How many feasible rows have each raw score of one plugin, where these are few different numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.int64]
_MOST = 128
_WIDEST = 4096
_ONE_BY_ONE = 3


class RawCounts:
    """``by_score``: number of rows by raw score, none of them 0; None where there are too many scores to count."""

    __slots__ = ("by_score",)

    def __init__(self) -> None:
        self.by_score: dict[int, int] | None = None

    def fill(self, raw: Scores) -> None:
        """Count these, and nothing else."""
        found = _counted(raw)
        self.by_score = None if found is None or len(found) > _MOST else dict(found)

    def change(self, raw: Scores, sign: int) -> None:
        """So many rows more (1) or less (-1)."""
        if self.by_score is None or not len(raw):
            return
        found, known = _counted(raw), self.by_score
        if found is None:
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


def _counted(raw: Scores) -> list[tuple[int, int]] | None:
    """Each score and how often it occurs; None where they lie too far apart."""
    found, rest = [], len(raw)
    differing: NDArray[np.bool_] | None = None
    for _ in range(_ONE_BY_ONE):  # a domain's rows often have but one or two
        score = int(raw[0 if differing is None else differing.argmax()])
        other = raw != score
        differing = other if differing is None else differing & other
        left = int(np.count_nonzero(differing))
        found.append((score, rest - left))
        if not left:
            return found
        rest = left
    lowest, highest = int(raw.min()), int(raw.max())
    if highest - lowest >= _WIDEST:
        return None
    counts = np.bincount(raw - lowest)
    at = counts.nonzero()[0]
    return [(lowest + i, number) for i, number in zip(at.tolist(), counts.take(at).tolist(), strict=True)]
