"""How far a weight may move until the winner changes: exact, from normalised scores.

Weights of a plugin do not touch scores, so a node's total is a straight line over the weight: with v in place of the
plugin's weight w, total(v) = total - w * norm + v * norm. Every integer weight is looked at.
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
        range_of(plugin, frame.weights[i], totals, frame.normalized(i)[rows], own)
        for i, plugin in enumerate(frame.score_plugins)
    )


def best_rows(totals: Int64, rows: Int64) -> tuple[int, ...]:
    """Those of the rows that have the best total."""
    among = totals[rows]
    return tuple(rows[among == among.max()].tolist())


def range_of(plugin: str, weight: int, totals: Int64, norm: Int64, names: list[str]) -> WeightRange:
    """The range of one weight, from the nodes' totals at it and their normalised scores by its plugin."""
    limit = max(LIMIT, weight)
    weights = np.arange(limit + 1, dtype=np.int64)
    tried = (totals - weight * norm)[None, :] + weights[:, None] * norm[None, :]
    best = tried == tried.max(axis=1, keepdims=True)
    same = (best == best[weight]).all(axis=1)
    least = most = weight
    while least > 0 and same[least - 1]:
        least -= 1
    while most < limit and same[most + 1]:
        most += 1

    def named(at: int) -> tuple[str, ...]:
        return tuple(sorted(names[i] for i in np.flatnonzero(best[at]).tolist()))

    return WeightRange(
        plugin=plugin,
        weight=weight,
        least=least,
        most=most,
        limit=limit,
        below=named(least - 1) if least > 0 else (),
        above=named(most + 1) if most < limit else (),
    )
