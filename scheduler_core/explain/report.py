"""The full report on a pod: its cause or its placement, remedies, attempts, room, preemptions, what wakes it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from scheduler_core.controllers.rollouts.rollout_states import RolloutState
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.cause import diagnosis_at
from scheduler_core.explain.departures import Departure
from scheduler_core.explain.diagnosis.model import EqualNodes, ObstacleSet, PlacementAnswer
from scheduler_core.explain.doubt import AnswerDoubt
from scheduler_core.explain.doubts.answer import doubts_about
from scheduler_core.explain.facts import NodeFacts
from scheduler_core.explain.pending import (
    AttemptHistory,
    PreemptionGraph,
    Taken,
    Wakes,
    WhyPending,
    attempt_shown,
    preemption_chains,
    taken_capacity,
    what_wakes,
    why_pending,
)
from scheduler_core.explain.pending.model import GONE_BEFORE, DominantReason
from scheduler_core.explain.pending.own_change import ChangeAnswer
from scheduler_core.explain.pending.tries import Tries
from scheduler_core.explain.placement import find_placement
from scheduler_core.explain.real_report import RealReport
from scheduler_core.explain.remedies.model import Remedies
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.explain.rivals.model import WhyNode
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.explain.victims import VictimFate, fates
from scheduler_core.extenders.calls import ExtenderSource
from scheduler_core.framework.plugin_helpers.node_selectors import matches_required
from scheduler_core.recording.reader import RecordingReader


class WhyReport(msgspec.Struct, frozen=True):
    """All that is said of the pod, as printed or given as JSON. ``node``, ``further`` nodes and ``choice`` (the nodes
    beside each other, where the pod was tried) only with --node; ``remedies``, ``taken`` and ``wakes`` only for a pod
    that was tried and waits, ``would`` only with --would. ``preemptions``: those linked to it or to those who took the
    room. ``departure``: what took a pod that is gone or ending, by the input; ``real``: what the real
    scheduler said of it; ``rollout``: the one of a workload that was asked about, or that the pod is of, where it has
    not come to its end; ``tries``: of pods that a run's admission refuses."""

    pending: WhyPending
    schema: int = 1
    cause: ObstacleSet | None = None
    placement: PlacementAnswer | None = None
    doubts: tuple[AnswerDoubt, ...] = ()
    nodes: tuple[EqualNodes, ...] = ()
    node: NodeFacts | None = None
    further: tuple[NodeFacts, ...] = ()
    choice: WhyNode | None = None
    remedies: Remedies | None = None
    taken: Taken | None = None
    preemptions: PreemptionGraph = PreemptionGraph()
    victims: tuple[VictimFate, ...] = ()
    wakes: Wakes | None = None
    departure: Departure | None = None
    real: RealReport | None = None
    tries: Tries | None = None
    would: tuple[ChangeAnswer, ...] = ()
    rollout: RolloutState | None = None


def report_of_departure(departure: Departure) -> WhyReport:
    """The report on a pod that the input knows and that is no part of the run: it has ended, or is gone."""
    because = DominantReason(f"{departure.text} {departure.day}".rstrip())
    return WhyReport(
        pending=WhyPending(pod=departure.pod, seq=0, at=0, state=GONE_BEFORE, because=because), departure=departure
    )


def full_report(
    reader: RecordingReader,
    inputs: RunInputs,
    history: AttemptHistory,
    attempt: int,
    is_over: Callable[[], bool],
    extenders: ExtenderSource | None = None,
) -> WhyReport:
    """The report as of the history's seq, without the facts on a node; changes are tried until ``is_over``, with
    ``extenders`` to answer for those of the configuration. Raises ValueError for an attempt that is not there.
    """
    trials, shown = TrialsOf(reader, inputs, extenders), attempt_shown(history, attempt)
    diagnosis = diagnosis_at(trials, history, shown)
    pending = why_pending(reader, history, diagnosis, attempt)
    taken = _room(reader, history, pending)
    wakes, rollout = _as_things_stand(trials, pending)
    around = [history.pod, *(pod for taker in (taken.takers if taken is not None else ()) for pod in taker.pods)]
    return WhyReport(
        pending=pending,
        cause=diagnosis.cause if diagnosis is not None else None,
        doubts=diagnosis.doubts if diagnosis is not None else _about_placed(inputs, history),
        placement=find_placement(reader, history),
        nodes=diagnosis.groups if diagnosis is not None else (),
        remedies=_tried(trials, pending, is_over),
        taken=taken,
        preemptions=(graph := preemption_chains(reader, inputs, around, history.seq)),
        victims=fates(trials, graph, history.pod, history.seq),
        wakes=wakes,
        rollout=rollout,
    )


def _about_placed(inputs: RunInputs, history: AttemptHistory) -> tuple[AnswerDoubt, ...]:
    """The doubts about a pod that has a node, or is gone."""
    return () if history.object is None else doubts_about(inputs, history.object, waits=False)


def _tried(trials: TrialsOf, pending: WhyPending, is_over: Callable[[], bool]) -> Remedies | None:
    """Remedies for the pod, each tried on the state that its last attempt found."""
    if pending.state == "pending":
        return remedies(trials.at_cycle(pending.attempts[-1].cycle), pending.pod, is_over)
    at_seq = trials.at_seq(pending.seq) if pending.state in ("gated", "untried") else None
    has_pod = at_seq is not None and at_seq.knows(pending.pod)
    return remedies(at_seq, pending.pod, is_over) if at_seq is not None and has_pod else None


def _room(reader: RecordingReader, history: AttemptHistory, pending: WhyPending) -> Taken | None:
    """Who took the room on the nodes that the pod's selectors allow, since its first attempt.

    If nobody did since then: since the beginning of the run."""
    if pending.state != "pending" or history.object is None:
        return None
    allowed = [name for name, node in history.objects.nodes.items() if matches_required(history.object, node)]
    now = reader.state_at(history.seq)
    nodes = [name for name in allowed if name in now.nodes]
    since = taken_capacity(reader.state_at(pending.attempts[0].first_seq), now, history.objects, nodes)
    return since if since.takers else taken_capacity(reader.state_at(0), now, history.objects, nodes)


def _as_things_stand(trials: TrialsOf, pending: WhyPending) -> tuple[Wakes | None, RolloutState | None]:
    """What wakes a pod that waits, and its rollout, where that is unfinished."""
    if pending.state not in ("pending", "gated"):
        return None, None
    simulation = trials.at_seq(pending.seq).simulation
    wakes = what_wakes(simulation, pending.pod, pending.at) if simulation.queue.get(pending.pod) else None
    of = (one for one in simulation.aftermath.rollouts() if pending.pod in one.pending)
    return wakes, next(of, None)
