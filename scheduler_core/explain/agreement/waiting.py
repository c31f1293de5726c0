"""Pending pods: the real scheduler's message beside ours, on the state of its time where it is older than the input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.engine.trials.changes import UNCHANGED, Changes
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.agreement.messages import MessageComparison, compare_messages
from scheduler_core.explain.agreement.model import EQUAL, NOT_COMPARED, OlderMessage, PendingPod, PendingStanding
from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport
from scheduler_core.explain.messages.parsing import parse_message
from scheduler_core.framework.runtime.fit_error import NO_NODES

MOST_TRIED = 100
"""At most this many pods whose message differs are tried on the state of its time."""
_MAX_NAMED = 8
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
    trial = trials.attempt(pod.key, changes)
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


class _Since(msgspec.Struct, frozen=True):
    """What came after the message of the waiting pod at this place of a list."""

    at: int
    pods: tuple[str, ...]
    nodes: tuple[str, ...]


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
    bound = [(_bound_at(pod, reports), pod.key) for pod in world.pods.values() if pod.key in placed]
    made = [(node.creation_timestamp, node.name) for node in table.nodes if node is not None]
    since = []
    for at, one in enumerate(waiting):
        if one.standing not in (*EQUAL, *NOT_COMPARED) and one.report.at is not None:
            later = _Since(at, _later(bound, one.report.at), _later(made, one.report.at))
            since += [later] if later.pods or later.nodes else []
    together = list(waiting)
    for nodes, group in groupby(sorted(since[:MOST_TRIED], key=lambda one: one.nodes), key=lambda one: one.nodes):
        state = without_nodes(frozenset(nodes)) if nodes else trials
        for later in group:
            tell()
            one = waiting[later.at]
            then = pending_pod(state, world.pods[one.pod], one.report, Changes(gone=later.pods))
            together[later.at] = _with_older(one, then, later)
    return together


def _with_older(one: PendingPod, then: PendingPod, later: _Since) -> PendingPod:
    older = OlderMessage(
        n_pods=len(later.pods),
        n_nodes=len(later.nodes),
        pods=later.pods[:_MAX_NAMED],
        nodes=later.nodes[:_MAX_NAMED],
        then=then.standing,
    )
    if then.standing != "equal":
        return msgspec.structs.replace(one, older=older)
    return msgspec.structs.replace(then, standing="equal_then", older=older, victims=one.victims)


def _bound_at(pod: Pod, reports: Mapping[str, SchedulerReport]) -> float | None:
    report = reports.get(pod.key)
    return pod.creation_timestamp if report is None or report.bound_at is None else report.bound_at


def _later(dated: Sequence[tuple[float | None, str]], at: float) -> tuple[str, ...]:
    return tuple(sorted(name for moment, name in dated if moment is not None and moment > at))


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
