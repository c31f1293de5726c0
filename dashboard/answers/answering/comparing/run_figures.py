"""What a run came to, in four figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from scheduler_core.explain.outcomes import BOUND, LOST, PREEMPTED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scheduler_core.compare import PodEnd

_EVICTED = (PREEMPTED, LOST)


class RunFigures(msgspec.Struct, frozen=True):
    """What one run came to: pods without a node, pods that lost theirs, and nodes with and without bound pods."""

    n_pending: int
    n_evicted: int
    n_used: int
    n_empty: int


def figures_of(ends: Iterable[PodEnd], n_nodes: int) -> RunFigures:
    """Count how the pods of a run ended. `n_nodes` are those that the run begins with."""
    counted = list(ends)
    n_used = len({one.node for one in counted if one.outcome == BOUND})
    return RunFigures(
        n_pending=sum(not one.node and one.outcome not in _EVICTED for one in counted),
        n_evicted=sum(one.outcome in _EVICTED for one in counted),
        n_used=n_used,
        n_empty=max(n_nodes - n_used, 0),
    )
