"""What a run came to, in figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from scheduler_core.explain.outcomes import BOUND, LOST, PREEMPTED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scheduler_core.compare import PodEnd


class RunFigures(msgspec.Struct, frozen=True):
    """What one run came to: pods without a node, pods that were preempted, nodes with and without bound pods, and pods
    that were lost with their node. Results of before count the lost ones as evicted, and have no `n_lost`."""

    n_pending: int
    n_evicted: int
    n_used: int
    n_empty: int
    n_lost: int | None = None


def count_endings(ends: Iterable[PodEnd], n_nodes: int) -> RunFigures:
    """Count how the pods of a run ended. `n_nodes` are those that the run begins with."""
    counted = list(ends)
    n_used = len({one.node for one in counted if one.outcome == BOUND})
    return RunFigures(
        n_pending=sum(one.is_unplaced for one in counted),
        n_evicted=sum(one.outcome == PREEMPTED for one in counted),
        n_used=n_used,
        n_empty=max(n_nodes - n_used, 0),
        n_lost=sum(one.outcome == LOST for one in counted),
    )
