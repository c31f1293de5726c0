"""The cause of the selected pod's waiting, as an answer worker says it, and until then what is recorded."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.answers.panel import AskedPart, Asking
from dashboard.answers.questions import RefusedThere, UntriedOf, WhyOf
from dashboard.clusters.revisions.reported_pods import is_refused_there
from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.panels.why.causes.letters import MarkedPart, message_parts
from dashboard.debugger.panels.why.causes.obstacle_matrix import ObstacleMatrix, obstacle_matrix
from dashboard.debugger.panels.why.causes.sentence import CauseView, cause_view
from dashboard.debugger.panels.why.causes.stages import StageStep, placed_strip, stage_strip
from dashboard.runs.storage import recordings
from scheduler_core.explain.placement import placed

if TYPE_CHECKING:
    from dashboard.debugger.attempt import InspectedAttempt
    from dashboard.debugger.panels.untried import UntriedPod
    from dashboard.debugger.selected_pod import InspectedPod
    from scheduler_core.explain.diagnosis.model import Diagnosis, PlacementAnswer

FAILED = ("unschedulable", "error")
OTHERS = ("OTHER_SCHEDULER", "UNKNOWN_SCHEDULER")


class PodCause:
    """Why the selected pod is where it is: the cause, or its placement, each part computed on first use.

    A page that `asks_at_once` has the answer before it is sent, if that is soon; on others the part asks for itself
    when the page rests, since readers pass most moments quickly.
    """

    def __init__(
        self, attempt: InspectedAttempt, pod: InspectedPod, asking: Asking, asks_at_once: bool = False
    ) -> None:
        self.moment = attempt.moment
        self.attempt = attempt
        self.pod = pod
        self.asking = asking
        self.asks_at_once = asks_at_once

    @property
    def question(self) -> WhyOf | UntriedOf | RefusedThere | None:
        """What is asked; None for a pod that has a node here and was not refused there, for one that is gone, and for
        an attempt that is not over."""
        cycle, seq = self.attempt.cycle, self.moment.cursor.seq
        if cycle is None:
            return UntriedOf(self.moment.selection.pod, seq) if self._is_kept_from_trying else None
        if not cycle.is_done:
            return None
        if cycle.row.outcome in FAILED:
            return WhyOf(cycle.row.number)
        if self._is_held_later:
            return WhyOf(cycle.row.number, seq)
        return RefusedThere(cycle.row.number) if self._is_refused_there else None

    @property
    def _is_kept_from_trying(self) -> bool:
        """Whether something else than its turn keeps the pod from its first attempt."""
        selected, state = self.moment.selection, self.moment.state
        pod = selected.pod
        if not pod or selected.attempt is not None or pod in state.gone:
            return False
        if (placement := state.placements.get(pod)) is not None:
            return placement.of_input
        entry = state.queue.get(pod)
        return entry is None or entry.lane == "gated"

    @property
    def _is_refused_there(self) -> bool:
        """Whether the real scheduler refused the pod of the input, which lacks what decides."""
        selected, run = self.moment.selection, self.moment.run
        return not selected.uid and is_refused_there(run.revision, selected.pod)

    @property
    def _is_held_later(self) -> bool:
        """Whether the pod lost the node that the attempt found for it, or waits for it at Permit."""
        pod, state = self.moment.selection.pod, self.moment.state
        entry = state.queue.get(pod)
        is_back = entry is not None and entry.lane != "in_flight" and pod not in state.placements
        return is_back or pod in state.waiting

    @cached_property
    def part(self) -> AskedPart[Diagnosis]:
        """The part with the cause; its answer is missing too where nothing keeps the pod off."""
        return AskedPart(self.asking, self.question, lambda answer: answer.value, self.asks_at_once)

    @property
    def diagnosis(self) -> Diagnosis | None:
        """The answer; None before it is there, and where it is that nothing keeps the pod off."""
        return self.part.shown

    @cached_property
    def sentence(self) -> CauseView | None:
        """The cause in words, with its letters."""
        return None if self.diagnosis is None else cause_view(self.diagnosis, self.attempt.n_nodes)

    @cached_property
    def obstacles(self) -> ObstacleMatrix | None:
        """The groups of nodes against what refuses them."""
        return None if self.diagnosis is None else obstacle_matrix(self.diagnosis)

    @property
    def is_to_come(self) -> bool:
        """Whether the cause is still to come."""
        return not self.asks_at_once or (self.part.panel is not None and self.part.panel.is_waiting)

    @property
    def message_parts(self) -> tuple[MarkedPart, ...]:
        """The message with which the attempt ended, with letters once the cause is known."""
        cycle = self.attempt.cycle
        message = cycle.finished.message if cycle is not None and cycle.finished is not None else ""
        return message_parts(message, self.diagnosis)

    @property
    def stages(self) -> tuple[StageStep, ...]:
        """Where on its way the pod is held, or that it went all of it; () while that is not known."""
        if self.placement is not None:
            return placed_strip(self.placement.node)
        if self.diagnosis is not None:
            cause = self.diagnosis.cause
            stage, code = cause.stage, cause.codes[0] if cause.codes else ""
        else:
            stage, code = self._recorded_stage, ""
        cycle = self.attempt.cycle
        ran = cycle is not None and cycle.preemption is not None
        return stage_strip(stage, code, self.attempt.n_nodes, is_post_filtered=ran) if stage else ()

    # ---------------------------------------------------------------- what is recorded

    @property
    def _recorded_stage(self) -> str:
        """The stage that the recording says, "" where only the cause says it."""
        if self.question is None:
            return ""
        if self.attempt.cycle is None:
            return "queue" if self.moment.selection.pod in self.moment.state.queue else ""
        if self.attempt.rejected is not None:
            return "prefilter"
        refusals = self.attempt.refusals
        return "filter" if refusals is not None and not refusals.feasible else ""

    @cached_property
    def untried(self) -> UntriedPod | None:
        """Where the pod is if it had no attempt yet; by the cause, where another scheduler is to try it."""
        untried = self.pod.untried
        if untried is None or self.diagnosis is None or self.diagnosis.cause.codes[0] not in OTHERS:
            return untried
        return replace(untried, state="foreign", place="not tried, it is for another scheduler")

    @property
    def recorded_template(self) -> str:
        """The partial that says what is recorded, until the cause is known."""
        return self.attempt.why_template if self.untried is None else self.untried.template

    @cached_property
    def placement(self) -> PlacementAnswer | None:
        """Where the pod is bound, by the shown attempt or before any; None for one that is not."""
        cycle, bound_seq, run = self.attempt.cycle, self.attempt.bound_seq, self.moment.run
        if cycle is not None and (bound_seq is None or self.question is not None):
            return None
        # The cycle ends before its binding: what is shown is where that led to.
        state = self.moment.state if bound_seq is None else state_at(run, max(bound_seq, self.moment.cursor.seq))
        at = state.placements.get(self.moment.selection.pod)
        shown = cycle.row.number if cycle is not None else 0
        if at is None or not at.bound or at.cycle != shown:
            return None
        attempts = [self.attempt.recorded] if self.attempt.recorded is not None else []
        return recordings.read(run.pk, lambda reader: placed(reader, at, attempts), run.head)
