"""The question that the page asks an answer worker first: the cause, before the page is sent where it is soon there."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.answers.panel import AnswerPanel
from dashboard.debugger.page import CursorPage

if TYPE_CHECKING:
    from dashboard.debugger.panels.untried import UntriedPod

# A page is not held longer by an answer that comes late: it shows what is recorded, and the part asks again.
PATIENCE_SECONDS = 0.2
OTHERS = ("OTHER_SCHEDULER", "UNKNOWN_SCHEDULER")


class AskedWhy(CursorPage):
    """A pod's attempt on a page that reads no inputs and asks for the cause at once.

    `is_part`: only a part is shown, which does without.
    """

    reads_inputs = False
    is_part = False
    asks_at_once = True

    @cached_property
    def cause_panel(self) -> AnswerPanel | None:
        """The question for the cause; None where there is nothing to ask."""
        question = None if self.is_part else self.cause_question
        return None if question is None else AnswerPanel.of(replace(self.asking, patience=PATIENCE_SECONDS), question)

    @cached_property
    def untried(self) -> UntriedPod | None:
        """Where the pod is if it had no attempt yet; by the cause, where another scheduler is to try it."""
        untried: UntriedPod | None = super().untried
        if untried is None or self.diagnosis is None or self.diagnosis.cause.codes[0] not in OTHERS:
            return untried
        return replace(untried, state="foreign", place="not tried, it is for another scheduler")
