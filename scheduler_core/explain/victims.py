"""What decided which pods a preemption evicts: priorities and starts of those that go and of those that stay on the
node, and where a replacement of each could be.

kube-scheduler puts pods back from the most important to the least, by priority and then by start (MoreImportantPod in
pkg/scheduler/util), as long as the preemptor still fits. Only pods equal in both are in an order of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.together import placed_together
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.diagnosis.diagnose import diagnose_trial
from scheduler_core.explain.diagnosis.sizes import ROOM_CODES
from scheduler_core.explain.outcomes.texts import listed
from scheduler_core.explain.pending.model import PreemptionGraph
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.framework.preemption.decision import VictimSet
from scheduler_core.recording import events as ev

_MOST_DECISIONS, _MOST_PODS, _MOST_NODES = 3, 6, 4


class VictimFate(msgspec.Struct, frozen=True, kw_only=True):
    """A pod on the node of a preemption: its ``priority`` and ``start`` (RFC 3339, "" where not known), and whether it
    ``goes``. A replacement of it could be on ``may_be_on``, but for room, and would go to ``fits_on`` at that moment,
    "" for none; neither is known where ``scheduler`` names one that the configuration does not have, which decides it.
    ``decided_by``: in what it differs from those of the other kind: "priority", "start", or "order" where both are
    equal."""

    pod: str
    cycle: int
    node: str
    priority: int
    start: str
    goes: bool
    may_be_on: tuple[str, ...] = ()
    fits_on: str = ""
    scheduler: str = ""
    decided_by: str = ""
    text: str = ""


def fates(trials: TrialsOf, graph: PreemptionGraph, pod: str, seq: int) -> tuple[VictimFate, ...]:
    """The pods on the nodes that the pod's preemptions cleared up to ``seq``, those that go first."""
    cycles = list(dict.fromkeys(edge.cycle for edge in graph.edges if edge.preemptor.partition(" ")[0] == pod))
    made: list[VictimFate] = []
    for cycle in cycles[-_MOST_DECISIONS:]:
        first, last = trials.reader.cycle_span(cycle)
        decided = (one for _, one in trials.reader.events(first, last + 1) if isinstance(one, ev.PreemptionDecided))
        chosen = next((one.nominated for one in decided), None)
        if chosen is not None:
            made += fates_on(trials.at_cycle(cycle), pod, chosen, cycle)
    return tuple(made)


def fates_on(trials: Trials, preemptor: str, chosen: VictimSet, cycle: int) -> list[VictimFate]:
    """The same of one decision, on the state that it was made on."""
    pods = trials.simulation.world.pods
    going = [pods[key] for key in chosen.victims[:_MOST_PODS] if key in pods]
    staying = [pods[key] for key in chosen.reprieved[:_MOST_PODS] if key in pods]
    decision = _Decision(trials, preemptor, chosen, cycle, _decided_by(going, staying))
    return [_fate(decision, one, goes=one in going) for one in (*going, *staying)]


class _Decision(NamedTuple):
    """Who preempts whom, on the state that it was decided on."""

    trials: Trials
    preemptor: str
    chosen: VictimSet
    cycle: int
    decided_by: str


def _decided_by(going: Sequence[Pod], staying: Sequence[Pod]) -> str:
    if not going or not staying:
        return ""
    if {one.priority for one in going}.isdisjoint({one.priority for one in staying}):
        return "priority"
    starts = {one.start_time for one in going} & {one.start_time for one in staying}
    return "order" if starts else "start"


def _fate(decision: _Decision, pod: Pod, *, goes: bool) -> VictimFate:
    scheduler = "" if pod.scheduler_name in decision.trials.simulation.frameworks else pod.scheduler_name
    may_be_on, fits_on = ((), "") if scheduler else _replacement_nodes(decision, pod)
    start = "" if pod.start_time is None else datetime.fromtimestamp(pod.start_time, UTC).isoformat()
    made = VictimFate(
        pod=pod.key,
        cycle=decision.cycle,
        node=decision.chosen.node,
        priority=pod.priority,
        start=start,
        goes=goes,
        may_be_on=may_be_on,
        fits_on=fits_on,
        scheduler=scheduler,
        decided_by=decision.decided_by,
    )
    return msgspec.structs.replace(made, text=" ".join(_words(made)))


def _replacement_nodes(decision: _Decision, pod: Pod) -> tuple[tuple[str, ...], str]:
    """(nodes on which a replacement of the pod could be but for room, the one that it would get once all is done)."""
    replacement = msgspec.structs.replace(
        pod, name=f"{pod.name}-replaced", node_name="", phase="Pending", start_time=None
    )
    trials = decision.trials
    gone = Changes(gone=tuple(dict.fromkeys((*decision.chosen.victims, pod.key))))
    with trials.under(replacement, gone) as base:
        may_be = set(base.feasible)
        if not base.is_scheduled and base.gated is None:
            groups = diagnose_trial(trials, base).groups
            may_be |= {
                name for one in groups if {key.code for key in one.obstacles} <= ROOM_CODES for name in one.nodes
            }
    nodes_of = placed_together(trials, [trials.pod(decision.preemptor), replacement], gone)
    return tuple(sorted(may_be)), nodes_of.get(replacement.key, "")


def _of_replacement(one: VictimFate) -> str:
    shown = listed(list(one.may_be_on[:_MOST_NODES]), "or") or "no node"
    more = f" or {len(one.may_be_on) - _MOST_NODES} others" if len(one.may_be_on) > _MOST_NODES else ""
    then = f"and would go to {one.fits_on}" if one.fits_on else "and would stay pending"
    return f"a replacement could be on {shown}{more}{' only' if len(one.may_be_on) == 1 else ''}, {then}"


def _words(one: VictimFate) -> Iterator[str]:
    started = f", started {one.start.replace('T', ' ').partition('+')[0]}" if one.start else ""
    yield f"{one.pod} (priority {one.priority}{started}) {'goes from' if one.goes else 'stays on'} {one.node};"
    yield f"scheduler {one.scheduler} decides where a replacement goes" if one.scheduler else _of_replacement(one)
    if one.decided_by == "order":
        yield "(pods equal in priority and start are in an order of kube-scheduler's own)"
    elif one.decided_by and one.goes:
        yield f"(decided by {'start: those that started first stay' if one.decided_by == 'start' else 'priority'})"
