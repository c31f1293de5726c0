"""Score strategies of NodeResourcesFit, each for one node and for many.

Mirrors plugins/noderesources/{least_allocated,most_allocated,requested_to_capacity_ratio}.go and
plugins/helper/shape_score.go. All integers. A hundred times an amount above 81 Pi is more than an int64 holds: it wraps
and is divided towards zero as Go does, here as there, so that such a node scores what it scores upstream (a node of
9223372036854775807 bytes that is nearly empty: 0 for memory), and a negative score fails the attempt.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import ClassVar, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.compiled.interface import LEAST_ALLOCATED, MOST_ALLOCATED
from scheduler_core.framework.contracts.verdicts import MAX_NODE_SCORE
from scheduler_core.plugins.node_resources.allocation import Share, Shares

Int64 = NDArray[np.int64]
MAX_CUSTOM_SCORE = 10
FULL = 100
_EXACT_BELOW = 1 << 46
_TOP_BIT = 1 << 63


class Strategy(Protocol):
    """Turns shares into a score of 0..100. ``compiled`` is the kernel's number of it, None where it has none."""

    compiled: ClassVar[int | None]

    def of_node(self, shares: Iterable[Share]) -> int: ...
    def of_rows(self, shares: Shares) -> Int64: ...


class LeastAllocated:
    """Favours nodes with much left: the weighted mean of the free percentages."""

    compiled: ClassVar[int | None] = LEAST_ALLOCATED

    def of_node(self, shares: Iterable[Share]) -> int:
        """The score of one node."""
        scores = [
            (0 if s.requested > s.allocatable else _percent(s.allocatable - s.requested, s.allocatable), s)
            for s in shares
        ]
        return _weighted_mean((score, s.weight) for score, s in scores)

    def of_rows(self, shares: Shares) -> Int64:
        """int64[n]."""
        free = shares.allocatable - shares.requested
        return _weighted_means(_percentage(np.maximum(free, 0, out=free), shares), shares)


class MostAllocated:
    """Favours nodes that are full: the weighted mean of the requested percentages."""

    compiled: ClassVar[int | None] = MOST_ALLOCATED

    def of_node(self, shares: Iterable[Share]) -> int:
        """The score of one node."""
        return _weighted_mean((_percent(min(s.requested, s.allocatable), s.allocatable), s.weight) for s in shares)

    def of_rows(self, shares: Shares) -> Int64:
        """int64[n]."""
        return _weighted_means(_percentage(np.minimum(shares.requested, shares.allocatable), shares), shares)


class ShapePoint(msgspec.Struct, frozen=True):
    """A point of a shape: utilization 0..100, score 0..10."""

    utilization: int
    score: int


class RequestedToCapacityRatio:
    """Favours utilizations as the shape says; resources that score 0 do not count in the mean, which is rounded."""

    compiled: ClassVar[int | None] = None

    def __init__(self, shape: tuple[ShapePoint, ...]) -> None:
        self._by_utilization = [_on_shape(shape, p) for p in range(FULL + 1)]
        self._table = np.array(self._by_utilization, dtype=np.int64)

    def of_node(self, shares: Iterable[Share]) -> int:
        """The score of one node."""
        total = weights = 0
        for s in shares:
            used = FULL if s.requested > s.allocatable else _percent(s.requested, s.allocatable)
            score = self._by_utilization[max(0, used)]
            if score > 0:
                total += score * s.weight
                weights += s.weight
        return (2 * total + weights) // (2 * weights) if weights else 0

    def of_rows(self, shares: Shares) -> Int64:
        """int64[n]."""
        used = _percentage(np.minimum(shares.requested, shares.allocatable), shares)
        used[shares.requested > shares.allocatable] = FULL
        scores = np.where(shares.allocatable > 0, self._table.take(np.maximum(used, 0, out=used)), 0)
        by_resource = np.array(shares.weights, dtype=np.int64)[:, None]
        total, weights = (scores * by_resource).sum(axis=0), ((scores > 0) * by_resource).sum(axis=0)
        rounded: Int64 = (2 * total + weights) // np.maximum(2 * weights, 1)
        return rounded


def shape_problem(shape: tuple[ShapePoint, ...]) -> str:
    """What is wrong with the shape, "" when nothing is (validateFunctionShape)."""
    if not shape:
        return "at least one point must be specified"
    for point in shape:
        if not 0 <= point.utilization <= FULL:
            return f"utilization {point.utilization} is not in valid range [0, {FULL}]"
        if not 0 <= point.score <= MAX_CUSTOM_SCORE:
            return f"score {point.score} is not in valid range [0, {MAX_CUSTOM_SCORE}]"
    if any(a.utilization >= b.utilization for a, b in pairwise(shape)):
        return "utilization values must be sorted in increasing order"
    return ""


def _on_shape(shape: tuple[ShapePoint, ...], p: int) -> int:
    """The value at utilization ``p`` of the line through the points, on the scale 0..100, truncated toward zero."""
    scale = MAX_NODE_SCORE // MAX_CUSTOM_SCORE
    for i, point in enumerate(shape):
        if p <= point.utilization:
            if i == 0:
                return point.score * scale
            before = shape[i - 1]
            rise = (point.score - before.score) * scale * (p - before.utilization)
            run = point.utilization - before.utilization
            return before.score * scale + (rise // run if rise >= 0 else -(-rise // run))
    return shape[-1].score * scale


def _weighted_mean(scores: Iterable[tuple[int, int]]) -> int:
    """Sum of score x weight, divided by the sum of weights; 0 without any."""
    total = weights = 0
    for score, weight in scores:
        total += score * weight
        weights += weight
    return _towards_zero(total, weights) if weights else 0


def _percent(part: int, whole: int) -> int:
    """``part`` (0 up to ``whole``) in whole percent, as int64 computes it."""
    product = part * MAX_NODE_SCORE
    return _towards_zero((product + _TOP_BIT) % (2 * _TOP_BIT) - _TOP_BIT, whole)


def _towards_zero(number: int, divisor: int) -> int:
    return number // divisor if number >= 0 else -(-number // divisor)


def _all_towards_zero(numbers: Int64, divisors: Int64 | int) -> Int64:
    """The same for many."""
    quotients = numbers // divisors
    quotients += (numbers < 0) & (quotients * divisors != numbers)
    return quotients


def _percentage(part: Int64, shares: Shares) -> Int64:
    """``part`` (at most what is allocatable) in whole percent, rounded down; ``part`` is overwritten."""
    part *= MAX_NODE_SCORE
    divisor = shares.allocatable if shares.present_everywhere else np.maximum(shares.allocatable, 1)
    if shares.bound >= _EXACT_BELOW:
        return _all_towards_zero(part, divisor)
    # Dividing floats is several times cheaper. It rounds down to the same: below 2**46 a quotient up to 100 that is
    # not whole is further from the next whole number than half of a float's last digit.
    return (part / divisor).astype(np.int64)


def _weighted_means(scores: Int64, shares: Shares) -> Int64:
    """int64[n]: the mean of int64[k, n] by weight; a node without a resource leaves its weight out."""
    weights = shares.weights
    # dividing by one number is several times cheaper than by an array
    if shares.present_everywhere and shares.one_weight:
        total = scores[0] if len(weights) == 1 else np.add.reduce(scores, axis=0)
        return _all_towards_zero(total, len(weights))
    by_resource = np.array(weights, dtype=np.int64)[:, None]
    total = (scores * by_resource).sum(axis=0)
    if shares.present_everywhere:
        return _all_towards_zero(total, max(1, sum(weights)))
    return _all_towards_zero(total, np.maximum(((shares.allocatable > 0) * by_resource).sum(axis=0), 1))
