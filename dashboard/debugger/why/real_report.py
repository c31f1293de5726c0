"""What the real scheduler said of the page's pod, by the import, beside the attempt that is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import reverse

from dashboard.clusters.revisions.reported_pods import report_on
from scheduler_core.explain.real_report import RealReport, real_report

if TYPE_CHECKING:
    from dashboard.debugger.page import CursorPage


@dataclass(frozen=True)
class ShownRealReport:
    """The comparison, and the address of that of all pods."""

    real: RealReport
    agreement_url: str


def real_report_of(page: CursorPage) -> ShownRealReport | None:
    """Return what the real scheduler said of the page's pod; None where the input has no message of it."""
    selected, run = page.moment.selection, page.run
    if not selected.pod or selected.uid:
        # A pod that is not the first of its name in the run is none of the input.
        return None
    report = report_on(run.revision, selected.namespace, selected.name)
    if report is None:
        return None
    cycle = page.attempt.cycle
    ours = cycle.finished.message if cycle is not None and cycle.finished is not None else ""
    node = cycle.row.node if cycle is not None and cycle.row.outcome == "scheduled" else ""
    real = real_report(report, ours, node, page.attempt.n_nodes)
    if real is None:
        return None
    cluster = run.revision.cluster
    return ShownRealReport(real, reverse("agreement:page", args=[cluster.workspace.slug, cluster.slug]))
