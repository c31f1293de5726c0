"""How far a weight can change before the winner does: exact, from normalised scores.

Weights of a plugin do not touch scores, so a node's total is a straight line over the weight: with v in place of the
plugin's weight w, total(v) = total - w * norm + v * norm. Every integer weight is looked at. Of nodes with one
normalised score only those with the best total can ever have the best of all, so that at most 101 lines count.
Example: norm 80 and 60, totals 300 and 310 at weight 1: 380 and 370 at weight 2, so the winner changes there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.explain.rivals.model import WeightRange
from scheduler_core.recording.frames.frame import Frame

LIMIT = 100
"""kube-scheduler takes weights up to this (validation of KubeSchedulerConfiguration)."""
Int64 = NDArray[np.int64]


def weight_ranges(frame: Frame, names: Sequence[str]) -> tuple[WeightRange, ...]:
    """The range of each score plugin's weight in which the winner of the cycle stays; ``names`` of nodes by row.

    Empty where fewer than two nodes were scored.
    """
    rows = frame.feasible()
    if len(rows) < 2 or not frame.score_plugins:
        return ()
    totals = frame.totals()[rows]
    own = [names[row] for row in rows.tolist()]
    return tuple(
        find_range(plugin, frame.weights[i], totals, frame.normalized(i)[rows], own)
        for i, plugin in enumerate(frame.score_plugins)
    )


def best_rows(totals: Int64, rows: Int64) -> tuple[int, ...]:
    """Those of the rows that have the best total."""
    among = totals[rows]
    return tuple(rows[among == among.max()].tolist())


def find_range(plugin: str, weight: int, totals: Int64, norm: Int64, names: Sequence[str]) -> WeightRange:
    """The range of one weight, from the nodes' totals at it and their normalised scores by its plugin."""
    limit = max(LIMIT, weight)
    values, kind = np.unique(norm, return_inverse=True)
    most_of_kind = np.full(len(values), np.iinfo(np.int64).min)
    np.maximum.at(most_of_kind, kind, totals)
    weights = np.arange(limit + 1, dtype=np.int64)
    tried = (most_of_kind - weight * values)[None, :] + weights[:, None] * values[None, :]
    best = tried == tried.max(axis=1, keepdims=True)
    same = (best == best[weight]).all(axis=1)
    least = most = weight
    while least > 0 and same[least - 1]:
        least -= 1
    while most < limit and same[most + 1]:
        most += 1
    is_first = totals == most_of_kind[kind]

    def beyond(at: int) -> tuple[tuple[str, ...], int | None]:
        """The nodes of the best total at a weight, and their lead over the next."""
        if not 0 <= at <= limit:
            return (), None
        rows = np.flatnonzero(is_first & best[at][kind])
        rest = np.delete(totals + (at - weight) * norm, rows)
        lead = int(tried[at].max() - rest.max()) if len(rest) else None
        return tuple(sorted(names[i] for i in rows.tolist())), lead

    (below, below_lead), (above, above_lead) = beyond(least - 1), beyond(most + 1)
    return WeightRange(plugin, weight, least, most, limit, below, above, below_lead, above_lead)
