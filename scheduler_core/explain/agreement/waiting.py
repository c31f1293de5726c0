"""Pending pods: the real scheduler's message beside ours."""

from __future__ import annotations

from scheduler_core.api.objects import Pod
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.agreement.messages import MessageComparison, compare_messages
from scheduler_core.explain.agreement.model import PendingPod, PendingStanding
from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport
from scheduler_core.explain.messages.parsing import parse_message
from scheduler_core.framework.runtime.fit_error import NO_NODES


def pending_pod(trials: Trials, pod: Pod, report: SchedulerReport) -> PendingPod:
    """One attempt of a pending pod, compared with the real scheduler's report on it."""
    if pod.scheduler_name not in trials.simulation.frameworks:
        return PendingPod(pod=pod.key, uid=pod.uid, standing="other_scheduler", report=report)
    if pod.scheduling_gates:
        return PendingPod(pod=pod.key, uid=pod.uid, standing="gated", report=report)
    trial = trials.attempt(pod.key)
    compared = None if trial.node else compare(report.message, trial.failure)
    return PendingPod(
        pod=pod.key,
        uid=pod.uid,
        standing=_standing(report, trial.node, compared),
        report=report,
        node=trial.node,
        ours=trial.failure,
        nominated=trial.nominated or "",
        compared=compared,
    )


def compare(real: str, ours: str) -> MessageComparison | None:
    """Both messages reason by reason; None where one of them is of no known form."""
    theirs, mine = parse_message(real), parse_message(ours)
    if mine is None and ours == NO_NODES:
        mine = parse_message("0/0 nodes are available:")
    return None if theirs is None or mine is None else compare_messages(theirs, mine)


def _standing(report: SchedulerReport, node: str, compared: MessageComparison | None) -> PendingStanding:
    if not report.message:
        return "no_message"
    if node:
        return "fits"
    if compared is None:
        return "not_recognised"
    if compared.real_nodes != compared.our_nodes:
        return "nodes_differ"
    if not compared.reasons_equal:
        return "counts_differ"
    return "equal" if compared.preempting_equal else "preemption_differs"
