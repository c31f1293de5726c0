"""The cause of the selected pod's waiting, as an answer worker says it, and until then what is recorded."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.answers.panel import AnswerPanel
from dashboard.answers.questions import UntriedOf, WhyOf
from dashboard.common.pages.numbers import grouped
from dashboard.debugger.attempt import InspectedAttempt
from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.inputs.attempts import pending_attempts
from dashboard.debugger.panels.why.causes.message_parts import MarkedPart, message_parts
from dashboard.debugger.panels.why.causes.obstacle_matrix import ObstacleMatrix, obstacle_matrix
from dashboard.debugger.panels.why.causes.sentence import CauseView, cause_view
from dashboard.debugger.panels.why.causes.stages import StageStep, placed_strip, stage_strip
from dashboard.runs.storage import recordings
from scheduler_core.explain.outcomes.reasons import cover
from scheduler_core.explain.placement import placed
from scheduler_core.profiles.names import FIT

if TYPE_CHECKING:
    from scheduler_core.explain.diagnosis.model import Diagnosis, PlacementAnswer
    from scheduler_core.explain.pending.model import PendingAttempt

FAILED = ("unschedulable", "error")


class CausedAttempt(InspectedAttempt):
    """The attempt with its cause, or with its placement.

    A page that `asks_at_once` has the answer before it is sent, if that is soon; on others the part asks for itself
    when the page rests, since readers pass most moments quickly.
    """

    asks_at_once = False

    @property
    def cause_question(self) -> WhyOf | UntriedOf | None:
        """What is asked; None for a pod that has a node or is gone, and for an attempt that is not over."""
        cycle = self.cycle
        if cycle is None:
            return UntriedOf(self.selection.pod, self.cursor.seq) if self._is_kept_from_trying else None
        if not cycle.is_done:
            return None
        if cycle.row.outcome in FAILED:
            return WhyOf(cycle.row.number)
        return WhyOf(cycle.row.number, self.cursor.seq) if self._is_held_later else None

    @property
    def _is_kept_from_trying(self) -> bool:
        """Whether something else than its turn keeps the pod from its first attempt."""
        pod, state = self.selection.pod, self.state
        if not pod or self.selection.attempt is not None or pod in state.gone:
            return False
        if (placement := state.placements.get(pod)) is not None:
            return placement.of_input
        entry = state.queue.get(pod)
        return entry is None or entry.lane == "gated"

    @property
    def _is_held_later(self) -> bool:
        """Whether the pod lost the node that the attempt found for it, or waits for it at Permit."""
        pod, state = self.selection.pod, self.state
        entry = state.queue.get(pod)
        is_back = entry is not None and entry.lane != "in_flight" and pod not in state.placements
        return is_back or pod in state.waiting

    @property
    def cause_url(self) -> str:
        """The address of the part with the cause; "" if nothing is asked."""
        question = self.cause_question
        return "" if question is None else self.asking.address(question.name)

    @cached_property
    def cause_panel(self) -> AnswerPanel | None:
        """The question, asked of an answer worker."""
        question = self.cause_question
        return None if question is None else AnswerPanel.of(self.asking, question)

    @cached_property
    def diagnosis(self) -> Diagnosis | None:
        """The answer; None before it is there, and where it is that nothing keeps the pod off."""
        answer = self.cause_panel.answer if self.asks_at_once and self.cause_panel is not None else None
        diagnosis: Diagnosis | None = None if answer is None else answer.value
        return diagnosis

    @cached_property
    def cause(self) -> CauseView | None:
        """The cause in words, with its letters."""
        return None if self.diagnosis is None else cause_view(self.diagnosis, self.n_there)

    @cached_property
    def obstacles(self) -> ObstacleMatrix | None:
        """The groups of nodes against what refuses them."""
        return None if self.diagnosis is None else obstacle_matrix(self.diagnosis)

    @property
    def waits_for_cause(self) -> bool:
        """Whether the cause is still to come."""
        return not self.asks_at_once or (self.cause_panel is not None and self.cause_panel.is_waiting)

    @property
    def message_parts(self) -> tuple[MarkedPart, ...]:
        """The message with which the attempt ended, with letters once the cause is known."""
        message = self.cycle.finished.message if self.cycle is not None and self.cycle.finished is not None else ""
        return message_parts(message, self.diagnosis)

    @property
    def n_there(self) -> int:
        """How many nodes there were for the attempt, or are at the cursor."""
        return self.cycle.row.n_nodes if self.cycle is not None else self.n_nodes

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
        ran = self.cycle is not None and self.cycle.preemption is not None
        return stage_strip(stage, code, self.n_there, is_post_filtered=ran) if stage else ()

    @property
    def _recorded_stage(self) -> str:
        """The stage that the recording says, "" where it takes the cause to tell."""
        if self.cause_question is None:
            return ""
        if self.cycle is None:
            return "queue" if self.selection.pod in self.state.queue else ""
        if self.rejected is not None:
            return "prefilter"
        return "filter" if self.refusals is not None and not self.refusals.feasible else ""

    # ---------------------------------------------------------------- what is recorded

    @cached_property
    def recorded(self) -> PendingAttempt | None:
        """The shown attempt as its rows have it."""
        return pending_attempts(self.run, [self.cycle.row], [])[0] if self.cycle is not None else None

    @property
    def refused_first(self) -> str:
        """Which plugins were the first to refuse how many nodes: "NodeAffinity 2, NodeUnschedulable 1"."""
        counts: Counter[str] = Counter()
        for one in self.recorded.refusals if self.recorded is not None else ():
            counts[one.plugin] += one.count
        return ", ".join(f"{plugin} {grouped(count)}" for plugin, count in counts.most_common())

    @property
    def short_resource(self) -> str:
        """The resource that most of the nodes lack which are counted under room, "" where none is short."""
        refusals = self.recorded.refusals if self.recorded is not None else ()
        return next(iter(cover([one for one in refusals if one.plugin == FIT])), "")

    @cached_property
    def placement(self) -> PlacementAnswer | None:
        """Where the pod is bound, by the shown attempt or before any; None for one that is not."""
        if self.cycle is not None and (self.bound_seq is None or self.cause_question is not None):
            return None
        # The cycle ends before its binding: what is told is where that led to.
        state = self.state if self.bound_seq is None else state_at(self.run, max(self.bound_seq, self.cursor.seq))
        at = state.placements.get(self.selection.pod)
        shown = self.cycle.row.number if self.cycle is not None else 0
        if at is None or not at.bound or at.cycle != shown:
            return None
        attempts = [self.recorded] if self.recorded is not None else []
        return recordings.read(self.run.pk, lambda reader: placed(reader, at, attempts), self.run.head)
