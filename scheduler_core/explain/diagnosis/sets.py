"""Which sets of obstacles are the cause: the smallest that open a node, in the order in which people remove them.

A set S opens node n where the obstacles of n are a subset of S. Since S has to contain all obstacles of some node, the
smallest sets are the obstacles of the nodes that have the fewest, so that one pass over the groups of nodes with equal
obstacles finds them: the cost follows the number of groups, not of subsets. Example: {taint, selector} on ctl and
{selector} on w1 and w2 give {selector}, which opens two nodes; {taint} opens none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from scheduler_core.explain.diagnosis.model import ObstacleKey

MOST_REMOVED = 3
"""Sets of more obstacles are no cause: no single change opens a node."""
MOST_READINGS = 3
Keys = frozenset[ObstacleKey]
NONE: Mapping[int, Sequence[Keys]] = {}


class SetWeights(NamedTuple):
    """What ranks sets of one size: obstacles that ``nobody`` can or should remove, those that somebody ``chose`` (a
    pool kept for other pods, a host by name), and the size of the change that removes one."""

    nobody: Callable[[ObstacleKey], bool]
    chosen: Callable[[ObstacleKey], bool]
    size: Callable[[ObstacleKey, Sequence[int]], float]


class RankedSet(NamedTuple):
    """A set of obstacles and the rows that it opens, none where no small set opens any; ``rank`` orders readings."""

    keys: Keys
    rows: tuple[int, ...]
    rank: tuple[float, ...]


class Readings(NamedTuple):
    """The first reading, the first of the ``n_equal`` others that are equal to it by all rules, and those after it."""

    first: RankedSet
    either: tuple[RankedSet, ...]
    also: tuple[RankedSet, ...]
    n_equal: int = 0


def group_rows(by_row: Mapping[int, Keys]) -> dict[Keys, list[int]]:
    """Rows with equal obstacles, those of the fewest obstacles first."""
    groups: dict[Keys, list[int]] = {}
    for row, keys in by_row.items():
        groups.setdefault(keys, []).append(row)
    return dict(sorted(groups.items(), key=lambda item: (len(item[0]), -len(item[1]), sorted(item[0]))))


def rank_readings(
    groups: Mapping[Keys, list[int]],
    weights: SetWeights,
    otherwise: Mapping[int, Sequence[Keys]] = NONE,
    instead: Mapping[Keys, list[int]] | None = None,
) -> Readings:
    """The readings of refused rows in groups. A set that contains an earlier one is no reading of its own.
    ``otherwise`` are sets that would open a row as well as its own; ``instead`` are those of them that are readings
    too, with the rows that they are of."""
    own = {**(instead or {}), **groups}
    ranked = sorted(
        (_reading(keys, own[keys], groups, weights, otherwise) for keys in own if 0 < len(keys) <= MOST_REMOVED),
        key=lambda one: (one.rank, sorted(one.keys)),
    )
    if not ranked:
        return Readings(_no_single_change(groups), (), ())
    smallest: list[RankedSet] = []
    for one in ranked:
        if not any(earlier.keys <= one.keys for earlier in smallest):
            smallest.append(one)
    first, *rest = smallest
    either = [one for one in rest if one.rank == first.rank]
    also = [one for one in rest if one.rank != first.rank]
    return Readings(first, tuple(either[:MOST_READINGS]), tuple(also[:MOST_READINGS]), len(either))


def _reading(
    keys: Keys,
    own: Sequence[int],
    groups: Mapping[Keys, list[int]],
    weights: SetWeights,
    otherwise: Mapping[int, Sequence[Keys]],
) -> RankedSet:
    opened = {row for others, several in groups.items() if others <= keys for row in several}
    rows = sorted(opened | {row for row, sets in otherwise.items() if any(one <= keys for one in sets)})
    size = sum(weights.size(key, own) for key in keys)
    rank = (
        float(len(keys)),
        float(any(map(weights.nobody, keys))),
        float(any(map(weights.chosen, keys))),
        -float(len(rows)),
        round(size, 6),
    )
    return RankedSet(keys, tuple(rows), rank)


def _no_single_change(groups: Mapping[Keys, list[int]]) -> RankedSet:
    """What all rows share, or else the two most frequent obstacles; it opens nothing."""
    counts: Counter[ObstacleKey] = Counter()
    for keys, rows in groups.items():
        counts.update(dict.fromkeys(keys, len(rows)))
    total = sum(map(len, groups.values()))
    shared = [key for key, count in counts.items() if count == total]
    frequent = sorted(counts, key=lambda key: (-counts[key], key))
    return RankedSet(frozenset(sorted(shared)[:MOST_REMOVED] if shared else frequent[:2]), (), ())
