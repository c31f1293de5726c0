"""Draws that are the same for the same seed on every version of Python.

A stream is named: what one workload draws does not depend on the others, so an edit of one leaves the rest as it was.
Only ``Random.random`` is used, whose sequence Python promises to keep for a seed; distributions are made of it here.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from random import Random
from statistics import NormalDist
from typing import TypeVar

T = TypeVar("T")

_NORMAL = NormalDist()


class DrawStream:
    """The draws of one purpose."""

    def __init__(self, seed: int, *purpose: str) -> None:
        self._random = Random(f"{seed}/{'/'.join(purpose)}").random

    def uniform(self, low: float, high: float) -> float:
        """A number from ``low`` up to, not including, ``high``."""
        return low + (high - low) * self._random()

    def exponential(self, mean: float) -> float:
        """A number of an exponential distribution."""
        return -mean * math.log(1.0 - self._random())

    def lognormal(self, median: float, sigma: float) -> float:
        """A number whose logarithm is normal; ``sigma`` is the standard deviation of the natural logarithm."""
        share = self._random()
        while share == 0.0:
            share = self._random()
        return median * math.exp(sigma * _NORMAL.inv_cdf(share))

    def happens(self, share: float) -> bool:
        """Whether something comes true that does so in ``share`` of all cases."""
        return self._random() < share

    def shuffled(self, values: Sequence[T]) -> list[T]:
        """The values in any order, each order as likely as any other (Fisher and Yates)."""
        out = list(values)
        for last in range(len(out) - 1, 0, -1):
            other = int(self._random() * (last + 1))
            out[last], out[other] = out[other], out[last]
        return out

    def picks(self, weights: Sequence[float], n: int) -> list[int]:
        """``n`` indexes, each in proportion to its weight."""
        sums = list(accumulate(weights))
        top = len(weights) - 1
        return [min(bisect_right(sums, self._random() * sums[-1]), top) for _ in range(n)]
