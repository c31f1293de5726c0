"""One decision of the real scheduler held against a state: an attempt of the pod there, and what it says beside it."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.controllers.owned import is_static
from scheduler_core.engine.trials.changes import UNCHANGED, Changes
from scheduler_core.engine.trials.trial import Trial
from scheduler_core.explain.agreement.bound_pods import BoundPods
from scheduler_core.explain.agreement.model import AGREEING, EQUAL, BoundPod, PendingPod
from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport
from scheduler_core.explain.agreement.waiting import with_trial
from scheduler_core.explain.messages.parsing import parse_message
from scheduler_core.explain.reality.live_state import LiveState
from scheduler_core.explain.reality.model import Apart, Verdict
from scheduler_core.explain.reality.record import RealDecision

_EXAMINED = 100
"""Candidate nodes that a preemption examines at least (minCandidateNodesAbsolute); it does not examine all of more."""
_MOST_NAMED = 8


class Judged(NamedTuple):
    """What an attempt says beside a real decision. ``nomination_differs``: the messages are equal and what preemption
    chose is not; ``by_chance``: it is a decision of ours as well, among several."""

    standing: str
    trial: Trial
    verdict: Verdict
    bound: BoundPod | None = None
    pending: PendingPod | None = None
    nominated: str = ""
    victims: tuple[str, ...] = ()
    nomination_differs: bool = False

    @property
    def agrees(self) -> bool:
        """Whether the real decision is one of ours."""
        return self.verdict in ("agree", "chance")

    @property
    def ours(self) -> tuple[str, ...]:
        """Our best nodes, the first of them."""
        if self.bound is not None:
            return self.bound.best
        return (self.pending.node,) if self.pending is not None and self.pending.node else ()

    @property
    def n_best(self) -> int:
        """How many nodes share the best total."""
        return self.bound.n_best if self.bound is not None else len(self.ours)


class Judge:
    """Holds decisions against a state as it is at the moment."""

    def __init__(self, state: LiveState) -> None:
        self.state = state
        self._bound_pods = BoundPods(state.trials)

    def apart(self, real: RealDecision, after: Pod | None = None) -> Apart:
        """Why a decision is not compared, "" where it is, as far as the state shows it; ``after``: the pod as the
        change has it."""
        pod = self.state.pods.get(real.pod)
        if pod is None and after is not None and is_static(after):
            return "static"
        if real.relisted:
            return "gap"
        if real.is_unplaced:
            return "clocks"
        if pod is None:
            return "came_bound" if real.came_bound else "unread"
        if is_static(pod):
            return "static"
        if pod.scheduler_name not in self.state.frameworks:
            return "other_scheduler"
        if pod.node_name:
            return "came_bound"
        if real.node and real.node not in self.state.cluster.table.row_of:
            return "no_node"
        return "gated" if pod.scheduling_gates else ""

    def judge(self, real: RealDecision, changes: Changes = UNCHANGED) -> Judged:
        """One attempt of the pod on the state as it is, with changes. Raises KeyError where the pod is not there."""
        pod = changes.pod or self.state.pods[real.pod]
        trial = self.state.trials.attempt_pod(pod, changes)
        return self._binding(real, pod, trial) if real.node else self._message(real, pod, trial)

    def _binding(self, real: RealDecision, pod: Pod, trial: Trial) -> Judged:
        bound = self._bound_pods.standing_of(msgspec.structs.replace(pod, node_name=real.node), trial)
        verdict: Verdict = "differ"
        if bound.standing == "tied":
            verdict = "chance"
        elif bound.standing in AGREEING:
            verdict = "agree"
        elif bound.standing == "undecided":
            verdict = "not_comparable"
        return Judged(bound.standing, trial, verdict, bound=bound)

    def _message(self, real: RealDecision, pod: Pod, trial: Trial) -> Judged:
        report = SchedulerReport(
            message=real.message,
            reason="Unschedulable",
            source="event" if real.of_event else "condition",
            at=real.at,
            nominated=real.nominated,
        )
        pending = msgspec.structs.replace(with_trial(pod, report, trial), victims=real.victims)
        verdict: Verdict = "agree" if pending.standing in EQUAL else "differ"
        judged = Judged(pending.standing, trial, verdict, pending=pending)
        if trial.errors:
            return judged._replace(verdict="not_comparable")
        if pending.standing == "not_recognised" or not trial.failure:
            return judged
        return _with_nomination(real, pod, judged)


def _with_nomination(real: RealDecision, pod: Pod, judged: Judged) -> Judged:
    """The same with what preemption chose, ours beside the real one."""
    decision = judged.trial.preemption
    chosen = decision.chosen if decision is not None else None
    ours = judged.trial.nominated or ""
    victims = tuple(sorted(chosen.victims)) if chosen is not None else ()
    judged = judged._replace(nominated=ours, victims=victims[:_MOST_NAMED])
    if real.of_event or not judged.agrees:
        return judged
    if not real.nominated:
        said = parse_message(real.message)
        is_same = not ours or bool(pod.nominated_node_name) or (said is not None and said.preempting is not None)
        return judged if is_same else judged._replace(verdict="differ", nomination_differs=True)
    if decision is None:
        return judged._replace(verdict="differ", nomination_differs=True)
    candidates = {one.node: one for one in decision.candidates}
    theirs = candidates.get(real.nominated)
    if theirs is None or (real.victims and set(real.victims) != set(theirs.victims)):
        return judged._replace(verdict="differ", nomination_differs=True)
    if real.nominated == ours and len(decision.tied) <= 1:
        return judged
    if real.nominated in (ours, *decision.tied) or len(candidates) > _EXAMINED:
        return judged._replace(verdict="chance")
    return judged._replace(verdict="differ", nomination_differs=True)
