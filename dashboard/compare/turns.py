"""A question that takes a worker several turns: its part says how far it is, and asks for the next turn by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dashboard.answers.panel import AnswerPanel, Asker
from dashboard.common.http.params import int_param
from dashboard.common.pages.numbers import grouped

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.answers.outcomes import Answer
    from dashboard.answers.panel import Asking
    from dashboard.answers.questions import ComparisonTurn

MOST_TURNS = 100_000


@dataclass(frozen=True)
class TurnPanel:
    """The panel of a turn. `next_url` asks for the turn after it where this one did not read all."""

    panel: AnswerPanel
    next_url: str

    @classmethod
    def of(cls, asking: Asking, question_of: Callable[[int], ComparisonTurn]) -> TurnPanel:
        """Ask for the turn that the request's query names, 0 the first; raises BadQuery."""
        turn = int_param(asking.query, "turn", default=0, low=0, high=MOST_TURNS)
        question = question_of(turn)
        here = replace(asking, address=lambda name: f"{asking.address(name)}&turn={turn}") if turn else asking
        panel = AnswerPanel.of(here, question)
        # Each turn has its own deadline: what was read stays read.
        asker = Asker.of(question, {"asker": asking.query.get("asker", "")}, asking.run)
        following = f"{asking.address(question.name)}&turn={turn + 1}&{urlencode({'asker': asker.name})}"
        return cls(panel, following)

    @property
    def answer(self) -> Answer | None:
        """The answer, None where there is none yet or not all is read."""
        answer = self.panel.answer
        return answer if answer is not None and answer.value.is_complete else None

    @property
    def is_partial(self) -> bool:
        """Whether there is an answer that says how far the reading is."""
        return self.panel.answer is not None and self.answer is None

    @property
    def progress_text(self) -> str:
        """How far the reading is."""
        answer = self.panel.answer
        if answer is None:
            return ""
        if n_undecided := getattr(answer.value, "n_undecided", 0):
            return f"Which plugin moved a pod: {grouped(n_undecided)} pods left"
        return f"Read {grouped(answer.value.reached)} of {grouped(answer.value.total)} events"

    @property
    def share(self) -> float:
        """How far the reading is, from 0 to 1."""
        answer = self.panel.answer
        return answer.value.reached / max(1, answer.value.total) if answer is not None else 0.0
