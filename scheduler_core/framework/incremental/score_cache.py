"""Scores of all rows for one pod class, brought up to date by what changed instead of made anew.

Idea. Few raw scores change between two cycles of a class, and few change a parameter of a normaliser (its least or
greatest raw score). So the cache holds raw scores, normalised scores and totals of all rows, takes new raw scores of
changed rows only, and carries each difference on into the totals.

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

Two forms keep it: the kernel (compiled_scores.py), and numpy (numpy/score_cache.py), which also takes plugins that
normalise in a way of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.verdicts import MAX_NODE_SCORE
from scheduler_core.framework.runtime.score_phase import ScoreOutcome, StatusOfPlugin

_NARROW_UP_TO = 8_000
"""The greatest total that int16 holds together with a penalty that no total outweighs."""
NARROW_PENALTY = -2 * _NARROW_UP_TO


class OutOfRange(Exception):
    """A normalised score lies outside of 0..100: the plain engine says which, and whether it matters."""


class ScoreCache(Protocol):
    """All score plugins on all rows, for one pod class and one set of active plugins.

    ``skipped`` names the plugins that PreScore left out.
    """

    skipped: set[str]

    def update(self, cycle: CycleState, pod: PodInfo, pre_score: list[StatusOfPlugin]) -> ScoreOutcome:
        """The outcome on the rows that are feasible now; its arrays change with the next call. Raises OutOfRange and
        PluginRaised, and is then good for nothing any more."""
        ...


def are_narrow(weights: Iterable[int]) -> bool:
    """Whether int16 holds the totals of plugins with these weights."""
    return MAX_NODE_SCORE * sum(weights) <= _NARROW_UP_TO
