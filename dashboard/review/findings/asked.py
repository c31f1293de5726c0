"""Answers that findings follow from: asked turn by turn within the time that a request has."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.answers.asking import answer_deadline, ask, ask_of_revision
from dashboard.answers.outcomes import Answer, Dropped, Failed, TooLate
from dashboard.answers.panel import OutcomePanel

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.answers.outcomes import Outcome
    from dashboard.answers.questions import Question, WhatChangesOf
    from dashboard.clusters.models import Revision
    from dashboard.runs.models import Run

# A request waits so long for the answers of all its findings before it says what it waits for.
PATIENCE_SECONDS = 0.8
MOST_TURNS = 600


@dataclass(frozen=True)
class AnswerSoFar:
    """What came of a question: its answer, or None with the reason in `note`; `turn` is the one to go on with."""

    value: Any
    note: str = ""
    turn: int = 0
    is_waiting: bool = False


class AnswerClock:
    """Asks questions until its time is over. `asker` names the part of the page: its newer questions replace older."""

    def __init__(self, asker: str, seconds: float = PATIENCE_SECONDS) -> None:
        self._asker = asker
        self._until = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Return how many seconds are left."""
        return max(0.0, self._until - time.monotonic())

    def of_run(self, run: Run, question_of: Callable[[int], Question], turn: int = 0) -> AnswerSoFar:
        """Return the answer about a run, after as many turns as there is time for."""
        return self._turns(
            question_of,
            turn,
            lambda question: ask(
                run,
                question,
                answer_deadline(question, run),
                asker=f"{self._asker} {question.name}",
                patience=self.left,
            ),
        )

    def of_revision(
        self, revision: Revision, question_of: Callable[[int], WhatChangesOf], turn: int = 0
    ) -> AnswerSoFar:
        """Return the answer about a revision, after as many turns as there is time for."""
        return self._turns(
            question_of,
            turn,
            lambda question: ask_of_revision(
                revision,
                question,
                answer_deadline(question),
                asker=f"{self._asker} {question.name}",
                patience=self.left,
            ),
        )

    def _turns(self, question_of: Callable[[int], Any], turn: int, put: Callable[[Any], Outcome]) -> AnswerSoFar:
        progress = ""
        while True:
            outcome = put(question_of(turn))
            if not isinstance(outcome, Answer):
                is_over = isinstance(outcome, Failed | TooLate | Dropped)
                said = outcome.text if isinstance(outcome, Failed) else OutcomePanel(outcome).text
                return AnswerSoFar(None, said.rstrip(".") if is_over else progress or said, turn, not is_over)
            if getattr(outcome.value, "is_complete", True):
                return AnswerSoFar(outcome.value, "", turn)
            turn += 1
            if turn >= MOST_TURNS:
                return AnswerSoFar(None, "Given up: both runs take too long to be compared here", turn)
            progress = _progress(outcome.value)
            if not self.left:
                return AnswerSoFar(None, progress, turn, is_waiting=True)


def _progress(value: Any) -> str:
    """Return how far an answer in turns is."""
    if hasattr(value, "reached"):
        return f"Read {value.reached:,} of {value.total:,} events"
    before, after = value.cycles
    cycles = f"{before:,} cycles before the change" + (f", {after:,} after it" if after else "")
    return f"The effect is being computed while somebody looks at this page: {cycles}"
