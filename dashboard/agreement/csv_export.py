"""A comparison as CSV for a spreadsheet: one line a pod, those that differ first."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from dashboard.agreement.rows import BoundRow, PendingRow
from dashboard.common.pages.csv_cells import guarded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scheduler_core.explain.agreement import BoundPod, PendingPod

COLUMNS = (
    *("namespace", "pod", "uid", "state", "class", "node", "ours", "equal_nodes", "fitting_nodes", "rank", "total"),
    *("best_total", "lead", "points", "refused_by", "likely_cause", "real_message", "our_message"),
    *("nominated", "victims"),
)
LINES = 500


def csv_lines(bound: Iterable[BoundPod], pending: Iterable[PendingPod]) -> Iterator[str]:
    """Yield the text in parts of some hundred lines."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for number, line in enumerate(_lines(bound, pending), 1):
        writer.writerow([guarded(cell) for cell in line])
        if number % LINES == 0:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()


def _lines(bound: Iterable[BoundPod], pending: Iterable[PendingPod]) -> Iterator[list[object]]:
    for pod in bound:
        yield _bound(BoundRow(pod))
    for waits in pending:
        yield _pending(PendingRow(waits))


def _bound(row: BoundRow) -> list[object]:
    pod = row.pod
    refused = "; ".join(f"{one.plugin}: {', '.join(one.reasons)}" for one in pod.refusals)
    points = "; ".join(f"{one.plugin} {one.real} to {one.ours}" for one in pod.points)
    causes = " ".join(f"{subject}: {rest}" if subject else rest for subject, rest in row.causes)
    return [
        *(row.namespace, row.name, pod.uid, "bound", row.word, pod.node, " ".join(pod.best), pod.n_best or ""),
        *(pod.n_fitting or "", pod.rank or "", _number(pod.total), _number(row.best_total), _number(pod.lead)),
        *(points, refused, causes, "", pod.failure, "", ""),
    ]


def _pending(row: PendingRow) -> list[object]:
    pod = row.pod
    return [
        *(row.namespace, row.name, pod.uid, "pending", row.word, "", pod.node, *[""] * 8, row.about),
        *(pod.report.message, pod.ours, pod.report.nominated, " ".join(pod.victims)),
    ]


def _number(value: int | None) -> object:
    return "" if value is None else value
