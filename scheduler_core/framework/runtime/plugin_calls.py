"""Calls plugins for rows: checks the shape of answers, attributes exceptions to the plugin, measures some calls.

Both engines call plugins through this module. Calls are measured in cycles where ``CycleState.is_measured`` is set;
elsewhere the measurement costs two reads of that flag.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.plugin import FilterPlugin, PluginCache, ScorePlugin
from scheduler_core.framework.contracts.plugin_errors import raised
from scheduler_core.framework.contracts.verdicts import Rows, Scores, Verdicts, check_scores, check_verdicts
from scheduler_core.framework.runtime.durations import Durations

_INT64 = np.dtype(np.int64)


def ask_filter(
    durations: Durations, cycle: CycleState, plugin: FilterPlugin[Any], pod: PodInfo, rows: Rows
) -> Verdicts | None:
    """The plugin's verdicts on the rows, None where all pass. Raises PluginRaised."""
    try:
        started = perf_counter() if cycle.is_measured else None
        verdicts = plugin.filter(cycle.filter_state.get(plugin.name), pod, rows)
        if started is not None:
            durations.add("Filter", plugin.name, perf_counter() - started)
        check_verdicts(verdicts, len(rows))
        return verdicts
    except Exception as problem:
        raise raised(plugin.name, "Filter", problem) from problem


def ask_filter_delta(
    durations: Durations, cycle: CycleState, plugin: FilterPlugin[Any], pod: PodInfo, cache: PluginCache, order: Rows
) -> tuple[tuple[Rows, ...], Verdicts | None]:
    """The rows whose verdict may differ from the last answer with this cache, in one or more arrays, and the verdicts
    on them, one array after the other. ``order`` are all rows. Raises PluginRaised."""
    try:
        started = perf_counter() if cycle.is_measured else None
        rows, verdicts = plugin.filter_delta(cycle.filter_state.get(plugin.name), pod, cache)
        if started is not None:
            durations.add("Filter", plugin.name, perf_counter() - started)
        pieces = rows if isinstance(rows, tuple) else (order if rows is None else rows,)
        check_verdicts(verdicts, sum(map(len, pieces)))
        return pieces, verdicts
    except Exception as problem:
        raise raised(plugin.name, "Filter", problem) from problem


def ask_score(durations: Durations, cycle: CycleState, plugin: ScorePlugin[Any], pod: PodInfo, rows: Rows) -> Scores:
    """The plugin's raw scores of the rows, int64[n]. Raises PluginRaised."""
    try:
        started = perf_counter() if cycle.is_measured else None
        scores = plugin.score(cycle.score_state.get(plugin.name), pod, rows)
        if started is not None:
            durations.add("Score", plugin.name, perf_counter() - started)
        return _as_scores(scores, len(rows))
    except Exception as problem:
        raise raised(plugin.name, "Score", problem) from problem


def ask_score_by_node(
    durations: Durations, cycle: CycleState, plugin: ScorePlugin[Any], pod: PodInfo, rows: Rows
) -> Scores:
    """The same by the plugin's definition for one node, which reads nothing but the node and the state. Raises
    PluginRaised."""
    try:
        return ScorePlugin.score(plugin, cycle.score_state.get(plugin.name), pod, rows)
    except Exception as problem:
        raise raised(plugin.name, "Score", problem) from problem


def ask_score_delta(
    durations: Durations, cycle: CycleState, plugin: ScorePlugin[Any], pod: PodInfo, cache: PluginCache, feasible: Rows
) -> tuple[Rows, Scores]:
    """The rows whose raw score may differ from the last answer with this cache, and their scores. Raises
    PluginRaised."""
    try:
        started = perf_counter() if cycle.is_measured else None
        some, scores = plugin.score_delta(cycle.score_state.get(plugin.name), pod, feasible, cache)
        if started is not None:
            durations.add("Score", plugin.name, perf_counter() - started)
        rows = feasible if some is None else some
        return rows, _as_scores(scores, len(rows))
    except Exception as problem:
        raise raised(plugin.name, "Score", problem) from problem


def _as_scores(scores: Scores, n: int) -> Scores:
    check_scores(scores, n)
    return scores if scores.dtype is _INT64 else np.asarray(scores, dtype=np.int64)
