"""Agreement as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from scheduler_core.explain.agreement import Agreement, BoundPod, PendingPod, ScoreAgreement
from scheduler_core.explain.agreement.texts import (
    PENDING,
    STANDINGS,
    cause_text,
    ours_text,
    pending_text,
    standing_text,
    unknowns,
)
from scheduler_core.explain.outcomes.texts import plural

_MOST = 200


class AgreeReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the command prints; ``logs`` and ``annotations`` are None where there are none."""

    pods: Agreement
    logs: ScoreAgreement | None = None
    annotations: ScoreAgreement | None = None


def agreement_lines(report: AgreeReport, *, everything: bool = False) -> Iterator[str]:
    """The report, differences first; ``everything`` names the pods that agree too."""
    agreement = report.pods
    yield f"AGREE    {agreement.n_agree:,} of {agreement.n_compared:,} bound pods{_by_standing(agreement)}"
    if agreement.pending:
        n_pending = plural(len(agreement.pending), "pod")
        yield f"PENDING  {agreement.n_equal:,} of {agreement.n_messages:,} messages equal, {n_pending} pending"
    decided, nodes = plural(agreement.n_decided, "pod"), plural(agreement.n_nodes, "node")
    yield f"DECIDED  {decided} in {agreement.seconds:.2f} s on {nodes}"
    differences = agreement.differences
    for pod in differences[:_MOST]:
        yield from _difference(pod)
    yield from _cut(len(differences))
    for waiting in agreement.pending[:_MOST]:
        yield from _pending(waiting)
    yield from _cut(len(agreement.pending))
    if everything:
        yield ""
        for pod in agreement.bound:
            if not pod.differs:
                yield f"{pod.pod}: {pod.node}, {STANDINGS[pod.standing]}, {standing_text(pod)}".rstrip(", ")
    for title, scores in (("LOG", report.logs), ("SIMULATOR", report.annotations)):
        if scores is not None:
            yield ""
            yield from _scores(title, scores)
    yield ""
    yield "NOT KNOWN from a snapshot"
    for subject, text in unknowns(agreement):
        yield f"  {subject}: {text}"


def _by_standing(agreement: Agreement) -> str:
    counts = [(agreement.counted(standing), label) for standing, label in STANDINGS.items()]
    standings = ", ".join(f"{count:,} {label}" for count, label in counts if count)
    return f": {standings}" if standings else ""


def _difference(pod: BoundPod) -> Iterator[str]:
    yield ""
    yield f"{STANDINGS[pod.standing].upper()}  {pod.pod}: really {pod.node}, ours {ours_text(pod)}"
    yield f"  {standing_text(pod)}"
    for row in pod.points:
        if row.real != row.ours:
            yield f"  {row.plugin}: {row.real} against {row.ours} ({row.real - row.ours:+d})"
    for refusal in pod.refusals[1:]:
        yield f"  {refusal.plugin}: {', '.join(refusal.reasons)}"
    for cause in pod.causes:
        yield f"  {cause_text(cause)}"


def _pending(pod: PendingPod) -> Iterator[str]:
    yield ""
    yield f"{PENDING[pod.standing].upper()}  {pod.pod}"
    if pod.report.message:
        yield f"  real: {pod.report.message}"
    if pod.is_tried:
        yield f"  ours: {pod.ours or f'fits {pod.node}'}"
    text = pending_text(pod)
    if text:
        yield f"  {text}"
    rows = (*pod.compared.reasons, *pod.compared.preempting) if pod.compared is not None else ()
    for row in rows:
        if not row.is_equal:
            yield f"  {row.reason}: {row.real:,} really, {row.ours:,} by us"


def _scores(title: str, agreement: ScoreAgreement) -> Iterator[str]:
    yield f"{title}  {agreement.n_equal:,} of {agreement.n_scores:,} scores equal, {plural(len(agreement.pods), 'pod')}"
    for pod in agreement.pods[:_MOST]:
        if pod.unknown:
            yield f"  {pod.pod}: not compared, {pod.unknown}"
        elif not pod.agrees:
            yield f"  {pod.pod}: {pod.n_equal:,} of {pod.n_scores:,} equal"
            for row in pod.rows[:20]:
                ours = "the node does not fit" if row.ours is None else str(row.ours)
                yield f"    {row.node} {row.plugin}: {row.real} really, {ours} by us"
    yield from _cut(len(agreement.pods))
    for problem in agreement.problems:
        where = f"line {problem.line}: " if problem.line else ""
        yield f"  cannot be read: {where}{problem.message}"
    if agreement.n_problems > len(agreement.problems):
        yield f"  … and {agreement.n_problems - len(agreement.problems):,} more"
    if agreement.n_absent:
        one, many = (
            "pod that it binds is not in the input: its room",
            "pods that it binds are not in the input: their room",
        )
        yield f"  {plural(agreement.n_absent, one, many)} is free here"


def _cut(count: int) -> Iterator[str]:
    if count > _MOST:
        yield f"  … and {count - _MOST:,} more; --json names all"
