"""Turns a trial's arrays into an answer: each node's refusal, groups of refusals, and how many each filter refused."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.node_table import NodeTable
from scheduler_core.engine.trials.trial import Trial
from scheduler_core.explain.fit.model import FITS, NOT_SCORED, Fit, FitPoints, RefusalGroup, SieveStep
from scheduler_core.framework.contracts.filter_outcome import NOT_VISITED, FilterOutcome
from scheduler_core.framework.contracts.status import Code, Status

Rows = NDArray[np.int64]
_Refusal = tuple[str, Code, tuple[str, ...]]


def read_fit(trial: Trial, table: NodeTable) -> Fit:
    """The attempt's result for every node of the table; ``table`` as it was during the attempt."""
    rows = table.order
    nodes = tuple([trial.names[row] for row in rows.tolist()])
    gated = "" if trial.gated is None else trial.gated.message
    outcome = trial.outcome
    if outcome is None:
        error = trial.failure if nodes else ""
        return Fit(pod=trial.pod.key, gated=gated, failure=trial.failure, error=error)
    refusals = _refusals(outcome, rows, ", ".join(sorted(trial.narrowing)))
    groups = _groups(refusals, outcome, rows)
    place = {(group.plugin, group.reasons, group.resolvable): i for i, group in enumerate(groups)}
    group_of = [FITS if one is None else place[one[0], one[2], one[1] is Code.UNSCHEDULABLE] for one in refusals]
    fitting = np.array([row for row, group in zip(rows.tolist(), group_of, strict=True) if group == FITS], dtype=int)
    return Fit(
        pod=trial.pod.key,
        nodes=nodes,
        group_of=tuple(group_of),
        totals=_totals(trial, rows, group_of),
        groups=groups,
        sieve=_sieve(refusals, outcome, trial),
        scores=_points(trial, fitting),
        best=trial.tied if trial.scores is not None and trial.node else (),
        failure="" if len(fitting) else trial.failure,
        error=trial.failure if len(fitting) and not trial.node else "",
        gated=gated,
    )


def _refusals(outcome: FilterOutcome, rows: Rows, narrowing: str) -> list[_Refusal | None]:
    """The refusal that counts for each row, None where every filter passes; equal ones are the same object."""
    refusal_of: dict[int, _Refusal] = {}
    entries = outcome.reason_table.entries
    decisive = outcome.decisive[rows]
    left_out = None if outcome.absent is None else _refusal(outcome.absent, narrowing)
    refusals: list[_Refusal | None] = []
    for row, index in zip(rows.tolist(), decisive.tolist(), strict=True):
        if row in outcome.overlay:
            refusals.append(_refusal(outcome.overlay[row]))
        elif index >= 0:
            code, reason = int(outcome.codes[index, row]), int(outcome.reasons[index, row])
            key = index << 40 | code << 32 | reason
            if key not in refusal_of:
                refusal_of[key] = outcome.plugins[index], Code(code), entries[reason]
            refusals.append(refusal_of[key])
        else:
            refusals.append(left_out if index == NOT_VISITED else None)
    return refusals


def _refusal(status: Status, plugin: str = "") -> _Refusal:
    return status.plugin or plugin, status.code, status.reasons


def _groups(refusals: list[_Refusal | None], outcome: FilterOutcome, rows: Rows) -> tuple[RefusalGroup, ...]:
    """Largest first, then in the order of the filters."""
    counts, promised = Counter(one for one in refusals if one is not None), Counter[_Refusal]()
    for row, one in zip(rows.tolist(), refusals, strict=True) if outcome.overlay else ():
        if one is not None and row in outcome.overlay and outcome.decisive[row] < 0:
            promised[one] += 1
    merged: dict[tuple[str, tuple[str, ...], bool], tuple[int, int]] = {}
    for one, count in counts.items():
        key = one[0], one[2], one[1] is Code.UNSCHEDULABLE
        nodes, held = merged.get(key, (0, 0))
        merged[key] = nodes + count, held + promised[one]
    order = {name: i for i, name in enumerate(outcome.plugins)}
    ranked = sorted(
        merged.items(), key=lambda item: (-item[1][0], order.get(item[0][0], -1), item[0][1], not item[0][2])
    )
    return tuple(
        RefusalGroup(plugin=plugin, reasons=reasons, resolvable=resolvable, nodes=nodes, promised=held)
        for (plugin, reasons, resolvable), (nodes, held) in ranked
    )


def _sieve(refusals: list[_Refusal | None], outcome: FilterOutcome, trial: Trial) -> tuple[SieveStep, ...]:
    took = Counter(one[0] for one in refusals if one is not None)
    left, steps = len(refusals), []
    if outcome.absent is not None:
        plugin = outcome.absent.plugin or ", ".join(sorted(trial.narrowing))
        n_left_out = refusals.count(_refusal(outcome.absent, plugin))
        took[plugin] -= n_left_out
        left -= n_left_out
        steps.append(SieveStep(plugin, n_left_out, left, by_pre_filter=True))
    for plugin in outcome.plugins:
        left -= took[plugin]
        steps.append(SieveStep(plugin, took[plugin], left))
    return tuple(steps)


def _totals(trial: Trial, rows: Rows, group_of: list[int]) -> tuple[int, ...]:
    if trial.scores is None:
        return (NOT_SCORED,) * len(rows)
    totals = trial.scores.totals[rows].tolist()
    return tuple([
        total if group == FITS else NOT_SCORED for total, group in zip(totals, group_of, strict=True)
    ])  # fmt: skip


def _points(trial: Trial, fitting: Rows) -> tuple[FitPoints, ...]:
    plugins = [] if trial.scores is None else trial.scores.plugins
    return tuple([FitPoints(one.plugin, one.weight, tuple(one.norm[fitting].tolist())) for one in plugins])
