"""A chunk's summary rows, ready to insert, with what they add to the head's counts and the run's metrics."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.runs.models import Cycle, PluginScore, PluginTraceback, PluginVerdict, Preemption, QueueMove, Victim
from scheduler_core.recording.events import Bound, RunFinished
from scheduler_core.recording.row_builder import summary_rows
from scheduler_core.recording.rows import SummaryRows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.db import models

    from scheduler_core.recording.events import AnyEvent
    from scheduler_core.recording.rows import SummaryRows

COUNT_OF_OUTCOME = {
    "scheduled": "scheduled",
    "unschedulable": "unschedulable",
    "error": "errors",
    "skipped": "skipped",
}
# kube-scheduler's names of the queues (metrics.go); a pod in flight is in none.
QUEUE_OF_LANE = {
    "active": "active",
    "backoff": "backoff",
    "error_backoff": "backoff",
    "unschedulable": "unschedulable",
    "gated": "gated",
}


@dataclass(frozen=True)
class NewRows:
    """Rows for the tables, in the order of their columns; `counts` are added to the head's fields of these names.

    `summary` are the core's rows. `incoming` counts pods by (queue, event), `attempts` cycles by (result, profile).
    `queued` are the changes of the queues' lengths, `bound` the pods that were bound, as (seq, virtual us, pod).
    """

    tables: dict[type[models.Model], list[tuple[Any, ...]]]
    counts: dict[str, int]
    incoming: Counter[tuple[str, str]]
    attempts: Counter[tuple[str, str]]
    queued: Counter[str]
    bound: list[tuple[int, int, str]]
    summary: SummaryRows


def build(run_id: int, events: Sequence[tuple[int, AnyEvent]], tracebacks: Iterable[tuple[int, str]] = ()) -> NewRows:
    """Return the rows of (seq, event) of whole cycles and of (seq, traceback) of plugins' exceptions.

    Raises RecordingError if the events begin or end inside a cycle.
    """
    summary = summary_rows(events)
    return NewRows(
        tables={**_tables(run_id, summary), PluginTraceback: _with_run(run_id, tracebacks)},
        counts=_counts(summary, events),
        incoming=Counter(
            (QUEUE_OF_LANE[move.target], move.event) for move in summary.queue_moves if move.target in QUEUE_OF_LANE
        ),
        attempts=Counter((row.outcome, row.profile) for row in summary.cycles),
        queued=_queued(summary),
        bound=[(seq, event.at, event.pod) for seq, event in events if isinstance(event, Bound)],
        summary=summary,
    )


def _queued(summary: SummaryRows) -> Counter[str]:
    queued: Counter[str] = Counter()
    for move in summary.queue_moves:
        if move.source in QUEUE_OF_LANE:
            queued[QUEUE_OF_LANE[move.source]] -= 1
        if move.target in QUEUE_OF_LANE:
            queued[QUEUE_OF_LANE[move.target]] += 1
    return queued


def _tables(run_id: int, summary: SummaryRows) -> dict[type[models.Model], list[tuple[Any, ...]]]:
    """The fields of the core's rows stand in the order of the tables' columns after run_id; a test compares them."""
    return {
        Cycle: _with_run(run_id, summary.cycles),
        PluginScore: _with_run(run_id, summary.plugin_scores),
        PluginVerdict: _verdicts(run_id, summary),
        QueueMove: _with_run(run_id, summary.queue_moves),
        Preemption: _with_run(run_id, summary.preemptions),
        Victim: _with_run(run_id, summary.victims),
    }


def _with_run(run_id: int, rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(run_id, *row) for row in rows]


def _verdicts(run_id: int, summary: SummaryRows) -> list[tuple[Any, ...]]:
    """Verdicts have no key of their own: they are numbered within their cycle."""
    rows, cycle, position = [], -1, 0
    for row in summary.verdicts:
        position = position + 1 if row.cycle == cycle else 0
        cycle = row.cycle
        rows.append((run_id, cycle, position, *row[1:]))
    return rows


def _counts(summary: SummaryRows, events: Sequence[tuple[int, AnyEvent]]) -> dict[str, int]:
    counts = Counter(dict.fromkeys(COUNT_OF_OUTCOME.values(), 0))
    counts.update(COUNT_OF_OUTCOME[row.outcome] for row in summary.cycles)
    counts["preemptions"] = sum(1 for row in summary.preemptions if row.node)
    counts["victims"] = sum(row.victims for row in summary.preemptions)
    counts["bound"] = sum(type(event) is Bound for _, event in events)
    last = events[-1][1] if events else None
    if isinstance(last, RunFinished):
        counts["pending"] = last.pending
    return dict(counts)
