"""Pending pods: the real scheduler's message beside ours, on the state of its time where it is older than the input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.engine.trials.changes import UNCHANGED, Changes
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.agreement.later_changes import MOST_NAMED, CameLater, DatedObjects
from scheduler_core.explain.agreement.messages import MessageComparison, compare_messages
from scheduler_core.explain.agreement.model import EQUAL, NOT_COMPARED, OlderMessage, PendingPod, PendingStanding
from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport
from scheduler_core.explain.messages.parsing import parse_message
from scheduler_core.framework.runtime.fit_error import NO_NODES

MOST_TRIED = 100
"""At most this many pods whose message differs are tried on the state of its time."""
WithoutNodes = Callable[[frozenset[str]], Trials]
"""Makes a state that has none of these nodes."""


def pending_pod(trials: Trials, pod: Pod, report: SchedulerReport, changes: Changes = UNCHANGED) -> PendingPod:
    """One attempt of a pending pod, compared with the real scheduler's report on it."""
    if pod.scheduler_name not in trials.simulation.frameworks:
        return PendingPod(pod=pod.key, uid=pod.uid, standing="other_scheduler", report=report)
    if pod.scheduling_gates:
        return PendingPod(pod=pod.key, uid=pod.uid, standing="gated", report=report)
    if pod.key in trials.simulation.decided.nodes:
        return PendingPod(pod=pod.key, uid=pod.uid, standing="decided", report=report)
    return with_trial(pod, report, trials.attempt(pod.key, changes))


def with_trial(pod: Pod, report: SchedulerReport, trial: Trial) -> PendingPod:
    """What one attempt of a pending pod says beside the real scheduler's report on it."""
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


def of_their_time(
    trials: Trials,
    waiting: Sequence[PendingPod],
    reports: Mapping[str, SchedulerReport],
    without_nodes: WithoutNodes,
    tell: Callable[[], None],
) -> list[PendingPod]:
    """The same pods; one whose message differs and is older than bindings or nodes is tried again without those.

    ``tell`` is called before every attempt, and may end everything by an exception.
    """
    world, table = trials.simulation.world, trials.simulation.context.cluster.table
    placed = trials.simulation.context.cluster.placements
    bound = (pod for pod in world.pods.values() if pod.key in placed)
    dated = DatedObjects(bound, (node for node in table.nodes if node is not None), reports)
    since: list[tuple[int, CameLater]] = []
    for index, one in enumerate(waiting):
        if one.standing not in (*EQUAL, *NOT_COMPARED) and one.report.at is not None:
            later = dated.after(one.report.at)
            since += [(index, later)] if later else []
    together = list(waiting)
    tried = sorted(since[:MOST_TRIED], key=lambda one: one[1].nodes)
    for nodes, group in groupby(tried, key=lambda one: one[1].nodes):
        state = without_nodes(frozenset(nodes)) if nodes else trials
        for index, later in group:
            tell()
            one = waiting[index]
            then = pending_pod(state, world.pods[one.pod], one.report, Changes(gone=later.pods))
            together[index] = _with_older(one, then, later)
    return together


def _with_older(one: PendingPod, then: PendingPod, later: CameLater) -> PendingPod:
    older = OlderMessage(
        n_pods=len(later.pods),
        n_nodes=len(later.nodes),
        pods=later.pods[:MOST_NAMED],
        nodes=later.nodes[:MOST_NAMED],
        then=then.standing,
    )
    if then.standing != "equal":
        return msgspec.structs.replace(one, older=older)
    return msgspec.structs.replace(then, standing="equal_then", older=older, victims=one.victims)


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
