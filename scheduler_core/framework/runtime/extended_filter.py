"""Extenders after the filters: they are shown the nodes that passed, and what they say counts as a filter's verdict.

Mirrors findNodesThatPassExtenders and evaluateNominatedNode. Each extender that was asked gets a row of codes and
reasons after those of the plugins, and refuses a node decisively where it gave the status that counts. So a node may
be feasible although a plugin or an extender refused it: kube-scheduler believes the list of nodes that is returned, and
keeps the statuses of the two maps apart from it.

    filters pass n1, n2, n3; extender A returns n2 and says that n1 failed ("busy"); B returns n2 and n9
    n1: refused by A. n2: feasible. n3: left out by A, which gave no reason. n9, unless it is unknown: feasible, even if
    a plugin refused it
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.extending.hooks import LEFT_OUT, ExtendedFilter, Extenders
from scheduler_core.framework.contracts.extending.recorded import EXTENDER
from scheduler_core.framework.contracts.filter_outcome import PASSED, FilterOutcome


def ask_extenders(extenders: Extenders, pod: PodInfo, outcome: FilterOutcome) -> None:
    """Show the feasible nodes to the extenders, and take over what they say. Raises ExtenderError."""
    extended = _extended_filter(outcome)
    n_before = len(extended.names)
    extenders.filter(pod, extended)
    if len(extended.names) != n_before:
        outcome.unschedulable_plugins.add(EXTENDER)
    if extended.calls:
        _take_over(outcome, extended)
    else:
        outcome.extended = None


def ask_about_nominated(extenders: Extenders, pod: PodInfo, outcome: FilterOutcome) -> bool:
    """The same for the nominated node alone; whether any node is left. Raises ExtenderError.

    Where none is, what was said counts once all nodes were looked at.
    """
    extended = _extended_filter(outcome)
    extenders.filter(pod, extended, nominated=True)
    fits = bool(extended.names)
    if fits and extended.calls:
        _take_over(outcome, extended)
    return fits


def _extended_filter(outcome: FilterOutcome) -> ExtendedFilter:
    """The account of the cycle, with the nodes that passed the filters."""
    if outcome.extended is None:
        outcome.extended = ExtendedFilter()
    cluster, extended = outcome.cluster, outcome.extended
    extended.names = [cluster.name_of(row) for row in outcome.feasible.tolist()]
    extended.replaced = None
    return extended


def _take_over(outcome: FilterOutcome, extended: ExtendedFilter) -> None:
    """Add rows for the extenders to the outcome, and have it count what they say."""
    row_of = outcome.cluster.table.row_of
    _add_rows(outcome, extended)
    for name, status in extended.statuses.items():
        if (row := row_of.get(name)) is not None:
            index = outcome.plugins.index(status.plugin)
            _refuse(outcome, index, row, int(status.code), outcome.reason_table.intern(status.reasons))
    rows = [row_of[name] for name in extended.names if name in row_of]
    for row in rows:
        _move_overlay(outcome, row)
        outcome.decisive[row] = PASSED
    extended.n_left_out = _leave_out(outcome, extended, frozenset(rows))
    extended.unknown = tuple([name for name in extended.names if name not in row_of])
    _also_visit(outcome, [*rows, *[row_of[name] for name in extended.statuses if name in row_of]])
    outcome.feasible = np.array(rows, dtype=np.int64)


def _add_rows(outcome: FilterOutcome, extended: ExtendedFilter) -> None:
    names = tuple(dict.fromkeys(call.name for call in extended.calls))
    extended.n_plugins = len(outcome.plugins)
    outcome.plugins += names
    outcome.codes, outcome.reasons = (
        np.concatenate([matrix, np.zeros((len(names), matrix.shape[1]), dtype=matrix.dtype)])
        for matrix in (outcome.codes, outcome.reasons)
    )


def _refuse(outcome: FilterOutcome, index: int, row: int, code: int, reason: int) -> None:
    outcome.codes[index, row], outcome.reasons[index, row] = code, reason
    _move_overlay(outcome, row)
    outcome.decisive[row] = index


def _leave_out(outcome: FilterOutcome, extended: ExtendedFilter, feasible: frozenset[int]) -> int:
    """Have the rows refused, without a reason, that passed until an extender neither returned nor named them; how
    many."""
    n_left_out = 0
    for call in extended.calls:
        if call.error:
            continue
        index = outcome.plugins.index(call.name)
        for row in set(call.given.row_numbers).difference(call.passed.row_numbers, feasible):
            if outcome.decisive[row] == PASSED and row not in outcome.overlay:
                _refuse(outcome, index, row, int(LEFT_OUT.code), outcome.reason_table.intern(LEFT_OUT.reasons))
                n_left_out += 1
    return n_left_out


def _move_overlay(outcome: FilterOutcome, row: int) -> None:
    """Where the pass with nominated pods refused the row: no longer what counts, but the plugin's verdict still."""
    status = outcome.overlay.pop(row, None)
    if status is not None and status.plugin in outcome.plugins:
        index = outcome.plugins.index(status.plugin)
        outcome.codes[index, row] = status.code
        outcome.reasons[index, row] = outcome.reason_table.intern(status.reasons)


def _also_visit(outcome: FilterOutcome, rows: Iterable[int]) -> None:
    more = sorted(set(rows).difference(outcome.visited.tolist()))
    if more:
        outcome.visited = np.concatenate([outcome.visited, np.array(more, dtype=np.int64)])
    outcome.visit_counts_changed()
