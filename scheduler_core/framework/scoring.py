"""The score phase over the feasible nodes and the choice of the node (schedule_one.go prioritizeNodes, selectHost)."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.cycle import Cycle
from scheduler_core.framework.interface import MAX_NODE_SCORE, Normalization
from scheduler_core.framework.normalize import normalize
from scheduler_core.framework.runtime import Framework
from scheduler_core.framework.status import Code, Status

Rows = NDArray[np.int64]
Scores = NDArray[np.int64]


class ScoreError(Exception):
    """PreScore or Score failed; ``status`` says which plugin and why."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.message)
        self.status = status


class PluginScores(msgspec.Struct):
    """One plugin: ``raw`` and ``norm`` int64[len(rows)] in the order of the feasible rows."""

    plugin: str
    weight: int
    raw: Scores
    norm: Scores
    normalization: Normalization


class ScoreOutcome(msgspec.Struct):
    """All score plugins on the feasible ``rows``; ``totals`` int64[len(rows)]; PreScore statuses in order."""

    rows: Rows
    plugins: list[PluginScores]
    totals: Scores
    pre_score: list[tuple[str, Status]]


class Selection(msgspec.Struct):
    """The chosen row, the best total, the rows that tie for it, and the best row outside of the choice (-1: none)."""

    row: int
    total: int
    ties: Rows
    second: int = -1
    second_total: int = -1


def run_pre_score(framework: Framework, cycle: Cycle, pod: PodInfo, rows: Rows) -> list[tuple[str, Status]]:
    """Statuses of all PreScore plugins; SKIP leaves the plugin's score out. Raises ScoreError."""
    statuses = []
    for plugin in framework.points.pre_score:
        with framework.durations.measure("PreScore", plugin.name):
            result = plugin.pre_score(cycle, pod, rows)
        statuses.append((plugin.name, result.status))
        if result.status.is_skip:
            cycle.skip_score.add(plugin.name)
        elif not result.status.is_success:
            text = f'running PreScore plugin "{plugin.name}": {result.status.message}'
            raise ScoreError(Status(Code.ERROR, (text,), plugin.name))
        else:
            cycle.score_state[plugin.name] = result.state
    return statuses


def run_scores(framework: Framework, cycle: Cycle, pod: PodInfo, rows: Rows) -> ScoreOutcome:
    """PreScore, Score, NormalizeScore and the weighted sum. Raises ScoreError."""
    pre_score = run_pre_score(framework, cycle, pod, rows)
    totals = np.zeros(len(rows), dtype=np.int64)
    scored = []
    for plugin in framework.points.score:
        if plugin.name in cycle.skip_score:
            continue
        state = cycle.score_state.get(plugin.name)
        with framework.durations.measure("Score", plugin.name):
            raw = plugin.score(state, pod, rows)
            normalization = plugin.normalize(state, pod, rows, raw)
            norm = normalize(normalization, raw)
        _check_bounds(plugin.name, norm)
        weight = framework.points.weights[plugin.name]
        totals += weight * norm
        scored.append(PluginScores(plugin.name, weight, raw, norm, normalization))
    if not framework.points.score:
        totals += 1
    return ScoreOutcome(rows, scored, totals, pre_score)


def select_host(framework: Framework, scores: ScoreOutcome) -> Selection:
    """One of the rows with the best total, by the run's draw among them in order of node name."""
    rows, totals = scores.rows, scores.totals
    best = int(totals.max())
    ties = rows[totals == best]
    if len(ties) > 1:
        ties = ties[np.argsort(framework.cluster.table.name_rank[ties])]
    row = int(ties[framework.draw("host", len(ties))])
    selection = Selection(row, best, ties)
    others = rows != row
    if others.any():
        second = int(totals[others].max())
        selection.second_total = second
        selection.second = int(rows[others][totals[others] == second].min()) if len(ties) == 1 else _next_tie(ties, row)
    return selection


def _next_tie(ties: Rows, row: int) -> int:
    """The first of the equals that was not drawn."""
    return int(ties[0] if ties[0] != row else ties[1])


def _check_bounds(name: str, norm: Scores) -> None:
    outside = norm[(norm > MAX_NODE_SCORE) | (norm < 0)]
    if len(outside):
        text = f'plugin "{name}" gives the score {int(outside[0])} after normalizing, outside of 0 to {MAX_NODE_SCORE}'
        raise ScoreError(Status(Code.ERROR, (text,), name))
