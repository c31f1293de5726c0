"""What the two forms of cached scores share: by the kernel (compiled_scores.py) and by numpy (numpy/score_cache.py)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import Cycle
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

    def update(self, cycle: Cycle, pod: PodInfo, pre_score: list[StatusOfPlugin]) -> ScoreOutcome:
        """The outcome on the rows that are feasible now; its arrays change with the next call. Raises OutOfRange and
        PluginRaised, and is then good for nothing any more."""
        ...


def are_narrow(weights: Iterable[int]) -> bool:
    """Whether int16 holds the totals of plugins with these weights."""
    return MAX_NODE_SCORE * sum(weights) <= _NARROW_UP_TO
