"""A comparison as Markdown, to take along into an issue or a chat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.agreement.rows import BoundRow, PendingRow
from scheduler_core.explain.agreement.texts import STANDINGS, unknowns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.agreement.computing import StoredComparison
    from dashboard.clusters.models import Revision
    from dashboard.runs.chosen import ChosenConfiguration
    from scheduler_core.explain.agreement import Agreement

MOST = 500


def text_of(revision: Revision, configuration: ChosenConfiguration, report: StoredComparison) -> str:
    """Return the report's text; what is beyond its first rows is counted."""
    found = report.pods
    lines = [
        f"# Agreement of {_plain(revision.cluster.name)} r{revision.number}",
        "",
        f"Configuration: {_plain(configuration.label)}",
        "",
    ]
    if found is not None:
        lines += [*_figures(found), *_differences(found), *_pending(found), "## What a snapshot cannot tell", ""]
        lines += [f"- **{_plain(subject)}.** {_plain(text)}" for subject, text in unknowns(found)]
    return "\n".join(lines) + "\n"


def _figures(found: Agreement) -> Iterator[str]:
    yield f"**{found.n_agree:,} of {found.n_compared:,}** bound pods agree, {found.n_equal:,} of {found.n_messages:,}"
    yield "messages of pending pods are equal."
    yield ""
    yield "| class | pods |"
    yield "| --- | ---: |"
    for standing, words in STANDINGS.items():
        if found.counted(standing):
            yield f"| {words} | {found.counted(standing):,} |"
    yield ""


def _differences(found: Agreement) -> Iterator[str]:
    if not found.differences:
        return
    yield f"## Differences ({len(found.differences):,})"
    yield ""
    yield "| pod | really | ours | how | likely cause |"
    yield "| --- | --- | --- | --- | --- |"
    for pod in found.differences[:MOST]:
        row = BoundRow(pod)
        causes = " ".join(f"{subject}: {rest}" if subject else rest for subject, rest in row.causes)
        cells = (pod.pod, pod.node, row.ours, f"{row.word}, {row.about}", causes)
        yield f"| {' | '.join(map(_plain, cells))} |"
    yield from _cut(len(found.differences))
    yield ""


def _pending(found: Agreement) -> Iterator[str]:
    if not found.pending:
        return
    yield f"## Pending pods ({len(found.pending):,})"
    yield ""
    yield "| pod | how | real message | ours |"
    yield "| --- | --- | --- | --- |"
    for pod in found.pending[:MOST]:
        row = PendingRow(pod)
        ours = pod.ours or (f"fits {pod.node}" if pod.node else "")
        yield f"| {' | '.join(map(_plain, (pod.pod, row.word, pod.told.message, ours)))} |"
    yield from _cut(len(found.pending))
    yield ""


def _cut(count: int) -> Iterator[str]:
    if count > MOST:
        yield ""
        yield f"and {count - MOST:,} more."


def _plain(text: str) -> str:
    """Text of others inside of a line of a table: what would be markup is escaped."""
    flat = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>|#" else letter for letter in flat)
