"""An attempt that found no node, as the makers of candidates look at it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Node
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.remedies.shortages import Shortages

Rows = NDArray[np.int64]


class RemedySituation:
    """``groups``: rows of refused nodes by the plugins that refuse them."""

    def __init__(self, trials: Trials, base: Trial) -> None:
        assert base.outcome is not None
        self.trials, self.base, self.pod = trials, base, base.pod
        self.table = trials.simulation.context.cluster.table
        self.shortages = Shortages(trials, base.pod)
        self.groups = _by_plugins(base)

    def node(self, row: int) -> Node:
        """The node on the row."""
        node = self.table.nodes[row]
        assert node is not None
        return node


def _by_plugins(base: Trial) -> dict[frozenset[str], Rows]:
    """Rows of refused nodes by the set of plugins that refuse them, nominated pods counted in."""
    outcome = base.outcome
    assert outcome is not None
    rows = np.array([row for row, name in enumerate(base.names) if name], dtype=np.int64)
    refusing = outcome.codes[:, rows] != 0
    place = {row: i for i, row in enumerate(rows.tolist())}
    for row, status in outcome.overlay.items():
        if status.plugin in outcome.plugins:
            refusing[outcome.plugins.index(status.plugin), place[row]] = True
    weights = 1 << np.arange(len(outcome.plugins), dtype=np.int64)
    masks = weights @ refusing.astype(np.int64) if len(outcome.plugins) else np.zeros(len(rows), dtype=np.int64)
    groups: dict[frozenset[str], Rows] = {}
    for mask in np.unique(masks).tolist():
        named = frozenset(name for i, name in enumerate(outcome.plugins) if mask >> i & 1)
        if named:
            groups[named] = rows[masks == mask]
    return groups
