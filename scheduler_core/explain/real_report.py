"""What the real scheduler said of a pod, by the input, beside what this run says of it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from scheduler_core.explain.agreement.messages import ComparedReason, MessageComparison, compare_messages
from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport
from scheduler_core.explain.messages.parsing import parse_message
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.manifests.kinds.metadata import as_datetime

Verdict = Literal["equal", "counts-equal", "differs", "placed", "untried"]
_HEADS: dict[Verdict, str] = {
    "equal": "The real scheduler said the same, byte for byte.",
    "counts-equal": "The real scheduler counted the same, in other words.",
    "differs": "The real scheduler said something else.",
    "placed": "The real scheduler refused it; this run places it on {node}.",
    "untried": "The real scheduler refused it; this run has not tried it.",
}


class RealReport(msgspec.Struct, frozen=True, kw_only=True):
    """The real scheduler's message, and how an attempt of this run compares with it.

    Verdicts: the texts are equal byte for byte; they count the same nodes for the same reasons; they differ; the run
    placed the pod on ``node``; it has not tried it. ``compared`` is None where a message is of no known form.
    """

    report: SchedulerReport
    verdict: Verdict
    node: str = ""
    compared: MessageComparison | None = None

    @property
    def head(self) -> str:
        """The verdict as a sentence."""
        return _HEADS[self.verdict].format(node=self.node)

    @property
    def source(self) -> str:
        """What the message comes from: the event, or the condition's reason."""
        return self.report.shown_source

    @property
    def said_at(self) -> datetime | None:
        """When it was said; None where the input does not say."""
        return as_datetime(self.report.at)

    @property
    def differences(self) -> list[ComparedReason]:
        """The reasons that the two count differently, where the run refused the pod, too."""
        if self.compared is None or self.verdict != "differs":
            return []
        return [row for row in self.compared.reasons if not row.is_equal]

    @property
    def other_nodes(self) -> str:
        """How many nodes each saw, as a sentence; "" where these are equal."""
        if self.compared is None or self.compared.real_nodes == self.compared.our_nodes:
            return ""
        return f"It saw {plural(self.compared.real_nodes, 'node')}, this run has {self.compared.our_nodes:,}."


def real_report(report: SchedulerReport, ours: str, node: str, n_nodes: int) -> RealReport | None:
    """Compare the report with an attempt: with its message ``ours``, "" for none, and its node.

    None where the report has no message.

    ``n_nodes`` is how many nodes the run has.
    """
    if not report.message:
        return None
    compared = _compared(report.message, ours, n_nodes)
    verdict = _verdict(report.message, ours, node, compared)
    return RealReport(report=report, verdict=verdict, node=node, compared=compared)


def _compared(real: str, ours: str, n_nodes: int) -> MessageComparison | None:
    """Compare the two by count; without a message of ours of a known form only the number of nodes is compared."""
    parsed = parse_message(real)
    mine = parse_message(ours) or parse_message(f"0/{n_nodes} nodes are available: .")
    return None if parsed is None or mine is None else compare_messages(parsed, mine)


def _verdict(real: str, ours: str, node: str, compared: MessageComparison | None) -> Verdict:
    if node:
        return "placed"
    if not ours:
        return "untried"
    if real == ours:
        return "equal"
    is_same = compared is not None and compared.reasons_equal and compared.real_nodes == compared.our_nodes
    return "counts-equal" if is_same and parse_message(ours) is not None else "differs"
