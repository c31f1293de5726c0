"""Nodes side by side: what each score plugin gave them, or would have given them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.trial import Points, Trial, Trials
from scheduler_core.explain.rivals.flips import best_rows
from scheduler_core.explain.rivals.model import Lead, Rival, RivalRefusal, Rivalry
from scheduler_core.recording.frames.frame import Frame


def compare(
    trials: Trials, pod: str, nodes: Sequence[str], recorded: Frame | None = None, names: Sequence[str] = ()
) -> Rivalry:
    """The nodes compared for the pod, on the state that its cycle found. ``recorded``: the cycle's frame, with the node
    ``names`` by row; without it the attempt is what is compared.

    Raises KeyError for a pod or node that the state does not have, ValueError where no node was found.
    """
    trial = trials.attempt(pod)
    if not trial.is_scheduled:
        raise ValueError(f"no node was found for {pod}: {trial.failure}")
    frame = trial.frame if recorded is None else recorded
    assert frame is not None
    scored = _Scored(frame, list(names) if names else list(trial.names))
    rivals = tuple(_rival(trials, trial, scored, name) for name in nodes)
    leads: tuple[Lead, ...] = ()
    if len(rivals) > 1 and rivals[0].points and rivals[1].points:
        pairs = zip(rivals[0].points, rivals[1].points, strict=True)
        leads = tuple(Lead(a.plugin, a.weighted - b.weighted) for a, b in pairs)
    return Rivalry(
        pod=pod,
        cycle=trial.cycle,
        winner=trial.node,
        tied=scored.tied() or trial.tied,
        n_scored=len(scored.rows),
        n_nodes=len(trial.row_of),
        rivals=rivals,
        leads=leads,
        lead=sum(one.points for one in leads) if leads else None,
        without=scored.deciding(),
    )


class _Scored:
    """The scored nodes of a frame."""

    def __init__(self, frame: Frame, names: list[str]) -> None:
        self.frame, self.names = frame, names
        self.row_of = {name: row for row, name in enumerate(names) if name}
        self.rows = frame.feasible() if frame.score_plugins else np.zeros(0, dtype=np.int64)
        self.norms = [frame.normalized(i) for i in range(len(frame.score_plugins))]
        self.totals = frame.totals()

    def points(self, row: int) -> tuple[Points, ...]:
        """What each plugin gave the row."""
        frame = self.frame
        return tuple(
            Points(plugin, int(frame.raw[i, row]), int(self.norms[i][row]), frame.weights[i])
            for i, plugin in enumerate(frame.score_plugins)
        )

    def rank(self, total: int) -> int:
        """The rank of a total among the scored nodes."""
        return 1 + int((self.totals[self.rows] > total).sum())

    def tied(self) -> tuple[str, ...]:
        """Names of the nodes with the best total."""
        return tuple(sorted(self.names[row] for row in best_rows(self.totals, self.rows))) if len(self.rows) else ()

    def deciding(self) -> tuple[str, ...]:
        """Plugins without which others would have the best total."""
        if len(self.rows) < 2:
            return ()
        best, found = best_rows(self.totals, self.rows), list[str]()
        for i, plugin in enumerate(self.frame.score_plugins):
            without = self.totals - self.frame.weights[i] * self.norms[i]
            if best_rows(without, self.rows) != best:
                found.append(plugin)
        return tuple(found)


def _rival(trials: Trials, trial: Trial, scored: _Scored, name: str) -> Rival:
    row = scored.row_of[name]
    if row in scored.rows:
        recorded = int(scored.totals[row])
        return Rival(name, recorded, scored.rank(recorded), scored.points(row))
    refusals = tuple(RivalRefusal(status.plugin, status.reasons) for status in trial.refusals(name))
    if not refusals and trial.fits(name):
        return Rival(name, None, 0, unknown="it was the only node that fitted, so nothing was scored")
    if not refusals:
        return Rival(name, None, 0, unknown="the search had found enough nodes before it looked at this one")
    admitted = trials.attempt(trial.pod.key, Changes(admitted=(name,)))
    would: int | None = admitted.total(name)
    if would is None:
        return Rival(name, None, 0, (), refusals, admitted.failure or "it cannot be scored")
    others = [total for other in trial.feasible if (total := admitted.total(other)) is not None]
    return Rival(name, would, 1 + sum(total > would for total in others), tuple(admitted.points(name)), refusals)
