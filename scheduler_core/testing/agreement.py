"""Whether the two forms of a plugin say the same: per node, lifted to all rows, against vectorised."""

from __future__ import annotations

from typing import Any

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.plugin import FilterPlugin, PreFilterPlugin, PreScorePlugin, ScorePlugin
from scheduler_core.framework.contracts.status import Code, Status
from scheduler_core.framework.contracts.verdicts import Rows


def filter_statuses(plugin: FilterPlugin[Any], state: Any, pod: PodInfo, rows: Rows) -> list[Status]:
    """The vectorised verdicts as one status per row."""
    verdicts = plugin.filter(state, pod, rows)
    if verdicts is None:
        return [Status()] * len(rows)
    entries = plugin.handle.run.reasons.entries
    pairs = zip(verdicts.codes.tolist(), verdicts.reasons.tolist(), strict=True)
    return [Status(Code(code), entries[reason]) for code, reason in pairs]


def assert_filters_agree(plugin: FilterPlugin[Any], pod: PodInfo, rows: Rows) -> list[Status] | None:
    """The statuses of the rows; None where PreFilter skips or refuses. Raises AssertionError where the forms differ."""
    state = None
    if isinstance(plugin, PreFilterPlugin):
        result = plugin.pre_filter(CycleState(), pod)
        if not result.status.is_success:
            return None
        state = result.state
    expected = [plugin.filter_node(state, pod, plugin.handle.cluster.view(row)) for row in rows.tolist()]
    assert filter_statuses(plugin, state, pod, rows) == expected
    return expected


def assert_scores_agree(plugin: ScorePlugin[Any], pod: PodInfo, rows: Rows) -> list[int] | None:
    """The raw scores of the rows; None where PreScore skips. Raises AssertionError where the forms differ."""
    state = None
    if isinstance(plugin, PreScorePlugin):
        result = plugin.pre_score(CycleState(), pod, rows)
        if not result.status.is_success:
            return None
        state = result.state
    expected = [plugin.score_node(state, pod, plugin.handle.cluster.view(row)) for row in rows.tolist()]
    assert plugin.score(state, pod, rows).tolist() == expected
    return expected
