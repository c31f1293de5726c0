"""A real scheduler scores only some of many fitting nodes: from where its search has to begin for a node to be best."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from scheduler_core.api.objects import Pod
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.agreement.model import BoundPod, LikelyCause
from scheduler_core.framework.runtime.filter_phase import nodes_to_find

_STARTS = 3
"""Beginnings of a sampled search that are tried."""


class LikeliestStart(NamedTuple):
    """How the real node stands in the search that ``begins`` at this node."""

    begins: str
    standing: BoundPod


class SampledSearch(NamedTuple):
    """The search of a scheduler that scores the first ``scored`` of ``fitting`` nodes that it finds."""

    trials: Trials
    scored: int
    fitting: int

    @classmethod
    def of(cls, trials: Trials, pod: Pod, fitting: int) -> SampledSearch | None:
        """The search for a pod of which ``fitting`` nodes fit; None where all of them are scored."""
        simulation = trials.simulation
        n_nodes = simulation.context.cluster.n_nodes
        scored = nodes_to_find(n_nodes, simulation.frameworks[pod.scheduler_name].percentage_of_nodes_to_score)
        return None if scored >= n_nodes or fitting <= scored else cls(trials, scored, fitting)

    def likeliest(self, trial: Trial, node: str, tried: Callable[[Changes], BoundPod]) -> LikeliestStart | None:
        """The best standing of the node among the likeliest beginnings; ``tried`` makes an attempt with changes.

        ``trial`` is the attempt that looked at all nodes. None where no beginning can be told."""
        table = self.trials.simulation.context.cluster.table
        names = [table.names[row] for row in table.order.tolist()]
        best: LikeliestStart | None = None
        for start in self._starts(trial, node):
            standing = tried(Changes(sampled_from=start))
            if best is None or (standing.agrees, -standing.rank) > (best.standing.agrees, -best.standing.rank):
                best = LikeliestStart(names[start], standing)
            if best.standing.agrees:
                break
        return best

    def cause(self, tried: LikeliestStart | None) -> LikelyCause:
        """The cause as agreement says it; None where nothing was tried."""
        if tried is None:
            return LikelyCause("sampling", scored=self.scored, fitting=self.fitting)
        return LikelyCause(
            "sampling",
            tried=True,
            scored=self.scored,
            fitting=self.fitting,
            then=tried.standing.standing,
            rank=tried.standing.rank,
            begins=tried.begins,
        )

    def _starts(self, trial: Trial, node: str) -> list[int]:
        """Positions from which a search has the node among the first ``scored`` fitting nodes.

        Those come first from which the other nodes found have the lowest totals."""
        table = self.trials.simulation.context.cluster.table
        outcome, scores, order, scored = trial.outcome, trial.scores, table.order, self.scored
        if outcome is None or scores is None or trial.narrowing:
            return []
        places = np.flatnonzero(np.isin(order, outcome.feasible))
        totals = scores.totals[order[places]]
        at = int(np.flatnonzero(order[places] == table.row_of[node])[0])
        rivals = np.lib.stride_tricks.sliding_window_view(np.concatenate([totals, totals[: scored - 1]]), scored)
        windows = (at - np.arange(scored)) % len(totals)
        likeliest = windows[np.argsort(rivals[windows].max(axis=1), kind="stable")]
        return [int(place) for place in places[likeliest[:_STARTS]]]
