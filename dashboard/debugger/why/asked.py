"""The question that the page asks an answer worker first: why nodes refused the pod, or why it was not tried."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.answers.panel import AnswerPanel
from dashboard.answers.questions import UntriedOf, WhyOf
from dashboard.debugger.page import CursorPage

if TYPE_CHECKING:
    from dashboard.answers.questions import Question
    from dashboard.debugger.panels.matrix.frame_view import FrameView
    from dashboard.debugger.panels.refused_node import RefusalContext
    from scheduler_core.explain.pending.model import AgainstPod

# A page is not held longer by an answer that comes late: it shows what is recorded, and asks again.
PATIENCE_SECONDS = 0.2
SCHEDULING_GATES = "SchedulingGates"


class AskedWhy(CursorPage):
    """A pod's attempt on a page that reads no inputs.

    Where this process has them for a map, it uses them; else an answer worker says what takes inputs to say. `is_part`:
    only a part is shown, which does without.
    """

    reads_inputs = False
    is_part = False

    @cached_property
    def against_panel(self) -> AnswerPanel | None:
        """The question why nodes refused the pod; None if the inputs are in memory or there is nothing to ask."""
        frame, cycle = self.frame, self.cycle
        if self.facts is not None or frame is None or cycle is None or not len(frame.refused) or frame.ahead_filters:
            return None
        return self._ask(WhyOf(cycle.row.number))

    def _against(self, frame: FrameView, context: RefusalContext | None) -> AgainstPod:
        answer = self.against_panel.answer if self.against_panel is not None else None
        against: AgainstPod = super()._against(frame, context) if answer is None else answer.value
        return against

    @cached_property
    def untried_panel(self) -> AnswerPanel | None:
        """The question what of the pod keeps it from being tried; None where inputs are known here, or where the
        recording says why it was not tried."""
        selected, state = self.selection, self.state
        if self.facts is not None or not selected.pod or selected.attempt is not None:
            return None
        entry = state.queue.get(selected.pod)
        is_elsewhere = selected.pod in state.placements or selected.pod in state.gone
        if is_elsewhere if entry is None else entry.gated_by != SCHEDULING_GATES:
            return None
        return self._ask(UntriedOf(selected.pod, self.cursor.seq))

    @property
    def gates(self) -> tuple[str, ...]:
        """The scheduling gates of the selected pod, () while they are not known."""
        answer = self.untried_panel.answer if self.untried_panel is not None else None
        gates: tuple[str, ...] = super().gates if answer is None else answer.value.gates
        return gates

    @property
    def other_scheduler(self) -> str:
        """The scheduler the pod names if no profile of the run has that name; "" otherwise, or while not known."""
        answer = self.untried_panel.answer if self.untried_panel is not None else None
        scheduler: str = super().other_scheduler if answer is None else answer.value.scheduler
        return scheduler

    def _ask(self, question: Question) -> AnswerPanel | None:
        return None if self.is_part else AnswerPanel.of(replace(self.asking, patience=PATIENCE_SECONDS), question)

    @property
    def asked(self) -> AnswerPanel | None:
        """The question this page sent, None if it sent none."""
        return self.against_panel or self.untried_panel

    @property
    def is_waiting(self) -> bool:
        """Whether the page will ask again by itself."""
        return self.asked is not None and self.asked.is_waiting
