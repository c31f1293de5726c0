"""A comparison as Markdown to take along, and as CSV for a spreadsheet: one line a pod, those that differ first."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from dashboard.agreement.rows import BoundRow, PendingRow, list_doubts
from dashboard.agreement.stored_rows import bound_rows, pending_rows
from dashboard.common.pages.csv_cells import guarded
from scheduler_core.explain.agreement.model import DIFFERING
from scheduler_core.explain.agreement.texts import STANDINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dashboard.agreement.models import AgreementResult
    from dashboard.clusters.models import Revision
    from dashboard.runs.chosen import ChosenConfiguration
    from scheduler_core.explain.agreement import AgreementFigures, BoundPod, PendingPod

MOST = 500


def markdown_report(
    revision: Revision, configuration: ChosenConfiguration, figures: AgreementFigures, result: AgreementResult
) -> str:
    """Return the report's text; what is beyond its first rows is counted."""
    lines = [
        f"# Agreement of {_plain(revision.cluster.name)} r{revision.number}",
        "",
        f"Configuration: {_plain(configuration.label)}",
        "",
    ]
    differing = bound_rows(result, figures.standings, DIFFERING)
    lines += [*_figures(figures), *_differences(differing), *_pending(pending_rows(result, figures.messages))]
    lines += ["## What a snapshot cannot show", ""]
    lines += [f"- **{_plain(subject)}.** {_plain(text)}" for subject, text in list_doubts(figures, configuration)]
    return "\n".join(lines) + "\n"


def _figures(figures: AgreementFigures) -> Iterator[str]:
    yield f"**{figures.n_agree:,} of {figures.n_compared:,}** bound pods agree, " + (
        f"{figures.n_equal:,} of {figures.n_messages:,}"
    )
    yield "messages of pending pods are equal."
    yield ""
    yield "| class | pods |"
    yield "| --- | ---: |"
    for standing, label in STANDINGS.items():
        if figures.counted(standing):
            yield f"| {label} | {figures.counted(standing):,} |"
    yield ""


def _differences(pods: Sequence[BoundPod]) -> Iterator[str]:
    if not pods:
        return
    yield f"## Differences ({len(pods):,})"
    yield ""
    yield "| pod | really | ours | how | likely cause |"
    yield "| --- | --- | --- | --- | --- |"
    for pod in pods[:MOST]:
        row = BoundRow(pod)
        causes = " ".join(f"{subject}: {rest}" if subject else rest for subject, rest in row.causes)
        cells = (pod.pod, pod.node, row.ours, f"{row.word}, {row.about}", causes)
        yield f"| {' | '.join(map(_plain, cells))} |"
    yield from _cut(len(pods))
    yield ""


def _pending(pods: Sequence[PendingPod]) -> Iterator[str]:
    if not pods:
        return
    yield f"## Pending pods ({len(pods):,})"
    yield ""
    yield "| pod | how | real message | ours |"
    yield "| --- | --- | --- | --- |"
    for pod in pods[:MOST]:
        row = PendingRow(pod)
        ours = pod.ours or (f"fits {pod.node}" if pod.node else "")
        yield f"| {' | '.join(map(_plain, (pod.pod, row.word, pod.report.message, ours)))} |"
    yield from _cut(len(pods))
    yield ""


def _cut(count: int) -> Iterator[str]:
    if count > MOST:
        yield ""
        yield f"and {count - MOST:,} more."


def _plain(text: str) -> str:
    """Text of others inside of a line of a table: what would be markup is escaped."""
    flat = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>|#" else letter for letter in flat)


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
        yield _bound_line(BoundRow(pod))
    for waits in pending:
        yield _pending_line(PendingRow(waits))


def _bound_line(row: BoundRow) -> list[object]:
    pod = row.pod
    refused = "; ".join(f"{one.plugin}: {', '.join(one.reasons)}" for one in pod.refusals)
    points = "; ".join(f"{one.plugin} {one.real} to {one.ours}" for one in pod.points)
    causes = " ".join(f"{subject}: {rest}" if subject else rest for subject, rest in row.causes)
    return [
        *(row.namespace, row.name, pod.uid, "bound", row.word, pod.node, " ".join(pod.best), pod.n_best or ""),
        *(pod.n_fitting or "", pod.rank or "", _number(pod.total), _number(row.best_total), _number(pod.lead)),
        *(points, refused, causes, "", pod.failure, "", ""),
    ]


def _pending_line(row: PendingRow) -> list[object]:
    pod = row.pod
    return [
        *(row.namespace, row.name, pod.uid, "pending", row.word, "", pod.node, *[""] * 8, row.about),
        *(pod.report.message, pod.ours, pod.report.nominated, " ".join(pod.victims)),
    ]


def _number(value: int | None) -> object:
    return "" if value is None else value
