"""What the real scheduler said of the pod, as the run's cluster was imported, beside what this run says of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from django.urls import reverse

from dashboard.clusters.revisions.reported_pods import report_on, source_of
from scheduler_core.explain.agreement import compare_messages, parse_message

if TYPE_CHECKING:
    from dashboard.debugger.why.asked import AskedWhy
    from scheduler_core.explain.agreement import ComparedReason, MessageComparison, SchedulerReport

Verdict = Literal["equal", "counts-equal", "differs", "placed", "untried"]


@dataclass(frozen=True)
class RealReport:
    """The real scheduler's message, and how the shown attempt of this run compares with it.

    Verdicts: the texts are equal byte for byte; they count the same nodes for the same reasons; they differ; the run
    placed the pod on `node`; it has not tried it.
    """

    report: SchedulerReport
    verdict: Verdict
    node: str
    compared: MessageComparison | None
    agreement_url: str

    @property
    def source(self) -> str:
        """Return what the message comes from: the event, or the condition's reason."""
        return source_of(self.report)

    @property
    def said_at(self) -> datetime | None:
        """Return when it was said, None where the input does not say."""
        return None if self.report.at is None else datetime.fromtimestamp(self.report.at, UTC)

    @property
    def differences(self) -> list[ComparedReason]:
        """Return the reasons that the two count differently."""
        return [] if self.compared is None else [row for row in self.compared.reasons if not row.is_equal]

    @property
    def other_nodes(self) -> tuple[int, int] | None:
        """Return how many nodes the real scheduler saw and how many this run has, None where these are equal."""
        if self.compared is None or self.compared.real_nodes == self.compared.our_nodes:
            return None
        return self.compared.real_nodes, self.compared.our_nodes


def real_report_of(page: AskedWhy) -> RealReport | None:
    """Return what the real scheduler said of the page's pod; None where the input has no message of it."""
    selected, run = page.selection, page.run
    if not selected.pod or selected.uid:
        # A pod that is not the first of its name in the run is none of the input.
        return None
    report = report_on(run.revision, selected.namespace, selected.name)
    if report is None or not report.message:
        return None
    cycle = page.cycle
    ours = cycle.finished.message if cycle is not None and cycle.finished is not None else ""
    node = cycle.row.node if cycle is not None and cycle.row.outcome == "scheduled" else ""
    compared = _compared(report.message, ours, page.n_there)
    cluster = run.revision.cluster
    url = reverse("agreement:page", args=[cluster.workspace.slug, cluster.slug])
    return RealReport(report, _verdict(report.message, ours, node, compared), node, compared, url)


def _compared(real: str, ours: str, n_nodes: int) -> MessageComparison | None:
    """Compare the two by count; without a message of ours only the number of nodes is compared."""
    parsed = parse_message(real)
    if parsed is None:
        return None
    mine = parse_message(ours or f"0/{n_nodes} nodes are available: .")
    return None if mine is None else compare_messages(parsed, mine)


def _verdict(real: str, ours: str, node: str, compared: MessageComparison | None) -> Verdict:
    if node:
        return "placed"
    if not ours:
        return "untried"
    if real == ours:
        return "equal"
    is_same = compared is not None and compared.reasons_equal and compared.real_nodes == compared.our_nodes
    return "counts-equal" if is_same else "differs"
