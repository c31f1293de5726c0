"""Outcomes as files: Markdown to paste into an issue, CSV for a spreadsheet, one line per pod.

Names come from clusters and may be hostile: Markdown is escaped, and cells of the CSV that a spreadsheet would take for
a formula are quoted by an apostrophe (OWASP, CSV injection).
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from django.utils.text import capfirst

from dashboard.common.pages.csv_cells import guarded
from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.outcomes.labels import LABELS, wait
from dashboard.debugger.outcomes.passing import waited_text
from dashboard.debugger.outcomes.rows import (
    DoneRow,
    DoubtRow,
    GroupRow,
    MissingRow,
    MoreRow,
    OwnerRow,
    Row,
    SectionRow,
    SubRow,
)
from scheduler_core.compare.report import escaped
from scheduler_core.explain.outcomes.records import PARTS
from scheduler_core.recording.times import span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.debugger.outcomes.side import Side
    from dashboard.debugger.outcomes.table import OutcomesTable
    from dashboard.runs.models import Run

COLUMNS = (
    *("namespace", "pod", "uid", "outcome", "reason", "owner", "priority", "attempts", "last_cycle", "wait_seconds"),
    *("node", "equal_nodes", "total", "runner_up_total", "plugins", "requests", "still_waits"),
    *(f"{part}_seconds" for part in PARTS),
)


def as_csv(table: OutcomesTable) -> str:
    """Return one line per pod that the view shows, in the order of the page."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    outcomes = table.outcomes
    for pod in table.pods:
        group, owner = outcomes.groups[pod.group], outcomes.owners[pod.owner]
        namespace, _, name = pod.pod.partition("/")
        asked = " ".join(f"{resource}={value}" for resource, value in outcomes.requests[pod.requests])
        line = [
            *(namespace, name, pod.uid, group.kind, group.title, owner.title, pod.priority, pod.attempts),
            pod.cycle or "",
            f"{pod.wait / 1_000_000:.6f}" if pod.wait >= 0 else "",
            pod.node,
            *(pod.ties or "", pod.total if pod.total >= 0 else "", pod.second if pod.second >= 0 else ""),
            *(" ".join(group.plugins), asked, "yes" if pod.still_waits else ""),
            *((f"{micros / 1_000_000:.6f}" for micros in pod.spent) if pod.spent else ("",) * len(PARTS)),
        ]
        writer.writerow([guarded(one) for one in line])
    return out.getvalue()


def as_markdown(run: Run, table: OutcomesTable, side: Side) -> str:
    """Return the summary with the rows of the view, groups closed."""
    outcomes = table.outcomes
    counts = ", ".join(f"{grouped(n)} {LABELS[kind]}" for kind, n in outcomes.counts.items() if n) or "no pods"
    title = f"Run {run.number}{f': {run.name}' if run.name else ''}"
    parts = [
        f"# {escaped(title)}",
        f"{counts}. {plural(outcomes.cycles, 'cycle')}, {plural(outcomes.n_nodes, 'node')}, "
        f"{span(outcomes.at)} of virtual time, as of event {grouped(outcomes.seq)}.",
        *([f"Listed: pods that {only}."] if (only := waited_text(table.view)) else []),
        *_sections(table.rows()),
        "## Figures",
        "\n".join(f"- {line}" for line in _figures(side)),
    ]
    if side.rooms:
        parts += ["## Room left", _rooms(side)]
    return "\n\n".join(parts) + "\n"


def _sections(rows: Iterable[Row]) -> list[str]:
    parts: list[str] = []
    lines: list[str] = []
    for row in rows:
        if isinstance(row, SectionRow):
            parts += ["\n".join(lines)] if lines else []
            parts.append(f"## {escaped(row.title)}")
            lines = []
        else:
            lines.append(_line(row))
    return [*parts, *(["\n".join(lines)] if lines else [])]


def _line(row: Row) -> str:
    if isinstance(row, GroupRow):
        said = escaped(row.evidence_text).strip()
        facts = [f"longest wait {row.wait}"] if row.wait else []
        facts += [f"refused by {escaped(row.plugin)}"] if row.plugin else []
        if row.scarce:
            there = f" on {escaped(row.scarce.where)}" if row.scarce.where else ""
            facts.insert(0, f"{escaped(row.scarce.name)}{there} {row.scarce.percent} requested")
        more = "; ".join(facts)
        return f"- **{grouped(row.pods)} {escaped(row.title)}**: {said}{f' ({more})' if more else ''}"
    if isinstance(row, SubRow):
        sub = f": {escaped(row.sub)}" if row.sub else ""
        return f"- {grouped(row.pods)} {escaped(row.title)}{sub}"
    if isinstance(row, OwnerRow):
        return f"- **{row.number} {row.unit}** {escaped(row.title)}: {escaped(row.evidence)}"
    if isinstance(row, MissingRow):
        lacks = f"lacks {grouped(row.lacking)} of {plural(row.desired, 'pod')}"
        return f"- **{escaped(row.workload)}** {lacks}: {escaped(row.text)}"
    if isinstance(row, MoreRow):
        return f"- {escaped(row.link + row.text)}"
    if isinstance(row, DoubtRow):
        return f"- {escaped(capfirst(row.doubt.text))}"
    if isinstance(row, DoneRow):
        return f"Every pod is bound: {escaped(row.text)}"
    return ""


def _figures(side: Side) -> list[str]:
    waits = side.outcomes.waits
    lines = [side.requested.summary, side.queues.summary]
    bindings = plural(side.outcomes.bindings, "binding")
    lines.append(f"Waits of {bindings}: median {wait(waits.p50) or 'none'}, p95 {wait(waits.p95) or 'none'}")
    total = plural(side.ties.total, "placement")
    lines += [f"{grouped(part.n)} of {total}: {part.text}" for part in side.ties.parts]
    lines += [side.evictions] if side.evictions else []
    return [escaped(line) for line in lines]


def _rooms(side: Side) -> str:
    head = [side.room_label, f"{side.room_resource} free", f"nodes with {side.room_unit} free", "pending pods allowed"]
    rows = [[room.name, room.free, room.fitting, grouped(room.allowed)] for room in side.rooms]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(one if one == '---' else escaped(one) for one in line)} |" for line in lines)
