"""The score phase over the feasible nodes and the choice of the node (schedule_one.go prioritizeNodes, selectHost)."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.pods import PodInfo
from scheduler_core.compiled import kernel
from scheduler_core.compiled.interface import ScoreTable
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.normalizers import CUSTOM, normalize
from scheduler_core.framework.contracts.plugin import PreScorePlugin, PreScoreResult, ScorePlugin
from scheduler_core.framework.contracts.plugin_errors import raised
from scheduler_core.framework.contracts.status import Code, Status
from scheduler_core.framework.contracts.verdicts import MAX_NODE_SCORE, Normalization, check_scores
from scheduler_core.framework.runtime.cacheable_answers import CacheableAnswers, ClassAnswers
from scheduler_core.framework.runtime.durations import Durations
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.framework.runtime.missing_state import score_failure
from scheduler_core.framework.runtime.plugin_calls import ask_score

Rows = NDArray[np.int64]
Scores = NDArray[np.int64]
Totals = NDArray[Any]
StatusOfPlugin = tuple[str, Status, frozenset[str] | None]
"""A plugin's name, its answer, and the nodes that it narrows the search to (PreFilter only)."""
INFEASIBLE = -1
"""Total of a row that is not feasible; any negative number means the same."""


class ScoreError(Exception):
    """PreScore or Score failed; ``status`` says which plugin and why."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.message)
        self.status = status


class PluginScores(msgspec.Struct):
    """One plugin: ``raw`` and ``norm`` by row of the node table, meaningful on feasible rows only; ``lowest``,
    ``highest`` and ``mean`` (to three places) of ``norm`` over these. ``normalization`` of kind CUSTOM has its values
    by row."""

    plugin: str
    weight: int
    raw: Scores
    norm: NDArray[Any]
    normalization: Normalization
    lowest: int = 0
    highest: int = 0
    mean: float = 0.0


class ScoreOutcome(msgspec.Struct):
    """All score plugins on the feasible ``rows``; their ``raw`` rows as int64[s, n]; ``totals`` by row, negative where
    a row is not feasible; PreScore statuses in order. ``table`` is what the kernel keeps of all this, if it does.
    ``names`` and ``weights`` are those of the plugins."""

    rows: Rows
    plugins: list[PluginScores]
    raw: Scores
    totals: Totals
    pre_score: list[StatusOfPlugin]
    table: ScoreTable | None = None
    names: tuple[str, ...] = ()
    weights: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.names = tuple([p.plugin for p in self.plugins])
        self.weights = tuple([p.weight for p in self.plugins])


class NodeChoice(msgspec.Struct):
    """The chosen row, the best total, the rows that tie for it (bits by row, empty where there is one, and how many),
    and the best row outside of the choice (-1: none)."""

    row: int
    total: int
    ties: bytes
    tie_count: int
    second: int = -1
    second_total: int = -1


def run_pre_score(
    framework: Framework, cycle: CycleState, pod: PodInfo, rows: Rows, answers: ClassAnswers
) -> list[StatusOfPlugin]:
    """Statuses of all PreScore plugins; SKIP leaves the plugin's score out. Raises ScoreError and PluginRaised.

    ``answers`` as for run_pre_filter. A score plugin that cannot do without its PreScore, and has none, fails after
    them.
    """
    statuses = _pre_score_statuses(framework, cycle, pod, rows, answers)
    if framework.unprepared and (failure := score_failure(framework.unprepared, pod)) is not None:
        raise ScoreError(failure)
    return statuses


def _pre_score_statuses(
    framework: Framework, cycle: CycleState, pod: PodInfo, rows: Rows, answers: ClassAnswers
) -> list[StatusOfPlugin]:
    cached, plugins = answers.pre_score, framework.points.pre_score
    if cached is None or not cached.still_hold:
        results = [(plugin, _pre_score(framework, cycle, pod, rows, plugin)) for plugin in plugins]
        plugin_statuses: list[StatusOfPlugin] = [(plugin.name, result.status, None) for plugin, result in results]
        answers.pre_score = CacheableAnswers(results, plugin_statuses, "PreScore")
        return plugin_statuses
    if not cached.live:
        cycle.skip_score, cycle.score_state = cached.skipped, cached.states
        return cached.statuses
    cycle.skip_score, cycle.score_state = cached.skipped.copy(), cached.states.copy()
    statuses: list[StatusOfPlugin] = cached.statuses.copy()
    for i in cached.live:
        statuses[i] = (plugins[i].name, _pre_score(framework, cycle, pod, rows, plugins[i]).status, None)
    return statuses


def _pre_score(
    framework: Framework, cycle: CycleState, pod: PodInfo, rows: Rows, plugin: PreScorePlugin[Any]
) -> PreScoreResult:
    """Ask one plugin and account for its answer."""
    try:
        started = perf_counter() if cycle.is_measured else None
        result = plugin.pre_score(cycle, pod, rows)
        if started is not None:
            framework.durations.add("PreScore", plugin.name, perf_counter() - started, result.status.code.label)
        skips = result.status.is_skip
    except Exception as problem:
        raise raised(plugin.name, "PreScore", problem) from problem
    if skips:
        cycle.skip_score.add(plugin.name)
    elif not result.status.is_success:
        text = f'running PreScore plugin "{plugin.name}": {result.status.message}'
        raise ScoreError(Status(Code.ERROR, (text,), plugin.name))
    else:
        cycle.score_state[plugin.name] = result.state
    return result


def run_scores(
    framework: Framework, cycle: CycleState, pod: PodInfo, rows: Rows, answers: ClassAnswers | None = None
) -> ScoreOutcome:
    """PreScore, Score, NormalizeScore and the weighted sum on the feasible ``rows``. Raises ScoreError and
    PluginRaised."""
    answers = ClassAnswers() if answers is None else answers
    return score_rows(framework, cycle, pod, rows, run_pre_score(framework, cycle, pod, rows, answers))


def score_rows(
    framework: Framework,
    cycle: CycleState,
    pod: PodInfo,
    rows: Rows,
    pre_score: list[StatusOfPlugin],
    ask: Callable[[Durations, CycleState, ScorePlugin[Any], PodInfo, Rows], Scores] = ask_score,
) -> ScoreOutcome:
    """Score, NormalizeScore and the weighted sum; ``ask`` calls a plugin. Raises ScoreError and PluginRaised."""
    n = framework.cluster.table.n_rows
    totals = np.full(n, INFEASIBLE, dtype=np.int64)
    totals[rows] = total_without_scores(framework)
    plugins = [p for p in framework.points.score if p.name not in cycle.skip_score]
    by_row, scored = np.zeros((len(plugins), n), dtype=np.int64), []
    for j, plugin in enumerate(plugins):
        state = cycle.score_state.get(plugin.name)
        raw = ask(framework.durations, cycle, plugin, pod, rows)
        try:
            normalization = plugin.normalize(state, pod, rows, raw)
            norm = normalize(normalization, raw)
            check_scores(norm, len(rows))
        except Exception as problem:
            raise raised(plugin.name, "NormalizeScore", problem) from problem
        _check_bounds(plugin.name, norm)
        weight = framework.points.weights[plugin.name]
        totals[rows] += weight * norm
        by_row[j, rows] = raw
        scored.append(
            PluginScores(
                plugin.name,
                weight,
                by_row[j],
                _by_row(norm, rows, n),
                spread_out(normalization, rows, n),
                int(norm.min()),
                int(norm.max()),
                round(int(norm.sum()) / len(norm), 3),
            )
        )
    return ScoreOutcome(rows, scored, by_row, totals, pre_score)


def total_without_scores(framework: Framework) -> int:
    """The total of a node before any score is added (prioritizeNodes).

    It is 1 in a profile without score plugins, else 0, even if all of them skip the pod; 0 with extenders, even if
    none of them scores."""
    return 0 if framework.points.score or framework.run.extenders is not None else 1


def _by_row(values: Scores, rows: Rows, n: int) -> Scores:
    """The values of the rows as int64[n], 0 elsewhere."""
    spread = np.zeros(n, dtype=np.int64)
    spread[rows] = values
    return spread


def spread_out(normalization: Normalization, rows: Rows, n: int) -> Normalization:
    """The normalisation with its custom values, if any, by row."""
    if normalization.kind != CUSTOM:
        return normalization
    return Normalization(CUSTOM, normalization.params, _by_row(normalization.values, rows, n))


def select_host(framework: Framework, scores: ScoreOutcome) -> NodeChoice:
    """One of the rows with the best total, by the run's draw among them in order of node name."""
    totals, compiled = scores.totals, kernel()
    if compiled is None or totals.dtype != np.int16 or not framework.cluster.table.rows_follow_names:
        return _select_plainly(framework, totals)
    row, best, n_tied, second, second_total = compiled.best(totals)
    if n_tied == 1:
        return NodeChoice(row, best, b"", 1, second, second_total)
    row, second, ties = compiled.tied(totals, best, n_tied, framework.run.draw("host", n_tied))
    return NodeChoice(row, best, ties, n_tied, second, best)


def _select_plainly(framework: Framework, totals: Totals) -> NodeChoice:
    """``select_host`` in numpy, for where the kernel cannot be used."""
    table = framework.cluster.table
    row = int(totals.argmax())
    best = totals.item(row)
    tied = totals == best
    selection = NodeChoice(row, best, b"", int(np.count_nonzero(tied)))
    if selection.tie_count > 1:
        if table.rows_follow_names:
            ties = tied.nonzero()[0]
        else:
            names = table.by_name
            ties = names[tied[names]]
        drawn = framework.run.draw("host", len(ties))
        selection.row, selection.second_total = ties.item(drawn), best
        selection.second = ties.item(0 if drawn else 1)
        selection.ties = np.packbits(tied).tobytes()
        return selection
    totals[row] = INFEASIBLE
    second = int(totals.argmax())
    if totals.item(second) >= 0:
        selection.second, selection.second_total = second, totals.item(second)
    totals[row] = best
    return selection


def _check_bounds(name: str, norm: Scores) -> None:
    outside = norm[(norm > MAX_NODE_SCORE) | (norm < 0)]
    if len(outside):
        text = f'plugin "{name}" gives the score {int(outside[0])} after normalizing, outside of 0 to {MAX_NODE_SCORE}'
        raise ScoreError(Status(Code.ERROR, (text,), name))
