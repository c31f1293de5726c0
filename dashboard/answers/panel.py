"""A part of a page that shows an answer, or says what it waits for and polls by itself."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar
from urllib.parse import urlencode

from dashboard.answers.asking import answer_deadline, ask, seconds_allowed
from dashboard.answers.outcomes import Answer, Dropped, Failed, Outcome, TooLate, Waiting, WaitsFor
from dashboard.answers.transport.turns import MOST_OPEN
from dashboard.common.http.params import optional_int, text_param

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dashboard.answers.questions import Question
    from dashboard.runs.models import Run

Shown = TypeVar("Shown")

# How long a request that only asks for an answer waits for it, and the pause before the next where nobody replies.
PATIENCE_SECONDS = 1.0
PAUSE_MS, SHORT_PAUSE_MS = 500, 20
DROPPED = f"Not computed, since you asked for more than {MOST_OPEN} answers at once"
# The latest time that an address may name, in milliseconds since the epoch: the year 2286.
LAST_MS = 10**13


def deadline_in(query: Mapping[str, str], question: Question, run: Run | None = None) -> float:
    """Return the deadline that a request's query names (seconds since the epoch), else the question's own from now.

    Raises BadQuery.
    """
    until = optional_int(query, "until", 0, LAST_MS)
    return answer_deadline(question, run) if until is None else until / 1000


@dataclass(frozen=True)
class Asker:
    """Who asks a question, one part of one page, and until when (seconds since the epoch).

    Addresses carry both, so that the next request for the same answer is that of the same asker.
    """

    name: str
    deadline: float

    @classmethod
    def of(cls, question: Question, query: Mapping[str, str], run: Run | None = None) -> Asker:
        """Return the one that a request's query names, or somebody new with the question's own deadline from now.

        Raises BadQuery.
        """
        deadline = deadline_in(query, question, run)
        return cls(text_param(query, "asker", 40) or secrets.token_hex(8), deadline)

    @property
    def query(self) -> dict[str, str]:
        """The query parameters with which the part asks again."""
        return {"until": str(int(self.deadline * 1000)), "asker": self.name}


@dataclass(frozen=True)
class Asking:
    """How a page asks: about which run, where its parts ask again, and what that address says.

    `address` gives the address of a question by its name; it ends with the query of the page. `query` is that of a
    request that asks again, `patience` how many seconds it waits for the answer.
    """

    run: Run
    address: Callable[[str], str]
    query: Mapping[str, str] = field(default_factory=dict)
    patience: float = 0.0

    def again(self, query: Mapping[str, str]) -> Asking:
        """Return the Asking of a polling request, which waits for the answer."""
        return replace(self, query=query, patience=PATIENCE_SECONDS)


@dataclass(frozen=True)
class OutcomePanel:
    """The outcome of a question so far, and the text that stands for a missing answer."""

    outcome: Outcome

    @property
    def is_waiting(self) -> bool:
        """Whether the part asks again by itself."""
        return isinstance(self.outcome, Waiting)

    @property
    def pause_ms(self) -> int:
        """How long it waits before it asks again; a request waits at the worker where one replies."""
        is_absent = isinstance(self.outcome, Waiting) and self.outcome.waits_for == WaitsFor.WORKER
        return PAUSE_MS if is_absent else SHORT_PAUSE_MS

    @property
    def text(self) -> str:
        """The text shown instead of an answer."""
        match self.outcome:
            case Waiting(WaitsFor.WORKER):
                return "Waiting for an answer worker; none replies"
            case Waiting(WaitsFor.OTHERS, place):
                return f"Waiting for the answer worker, {place} in line"
            case Waiting():
                return self._computed
            case TooLate():
                return self._late
            case Dropped():
                return DROPPED
            case Failed(text):
                return text[:1].upper() + text[1:]
        return ""

    @property
    def _computed(self) -> str:
        return "Being computed"

    @property
    def _late(self) -> str:
        return "No answer in time"


@dataclass(frozen=True)
class AnswerPanel(OutcomePanel):
    """A question of a page with what came of it so far.

    `again` asks for the same with the same deadline, `retry` with a new one.
    """

    name: str
    retry: str
    again: str
    seconds: float
    id: str = field(default_factory=lambda: f"answer-{secrets.token_hex(4)}")

    @classmethod
    def of(cls, asking: Asking, question: Question) -> AnswerPanel:
        """Ask the question, and return the panel to show; raises BadQuery."""
        asker = Asker.of(question, asking.query, asking.run)
        outcome = ask(asking.run, question, asker.deadline, asker=asker.name, patience=asking.patience)
        retry = asking.address(question.name)
        return cls(
            outcome, question.name, retry, f"{retry}&{urlencode(asker.query)}", seconds_allowed(question, asking.run)
        )

    @property
    def answer(self) -> Answer | None:
        """The answer, None where there is none yet."""
        return self.outcome if isinstance(self.outcome, Answer) else None

    @property
    def _late(self) -> str:
        return f"No answer within {self.seconds:g} s"


@dataclass(frozen=True, eq=False)
class AskedPart(Generic[Shown]):
    """A part of a page that shows the answer to a question, asked on first use; without a question there is no part.

    `show` makes of the answer what the template reads. Where the part is not `is_asked`, only its address is used: it
    requests itself once the page is there.
    """

    asking: Asking
    question: Question | None
    show: Callable[[Answer], Shown]
    is_asked: bool = True

    @property
    def url(self) -> str:
        """The address at which the part requests its answer; "" without a question."""
        return "" if self.question is None else self.asking.address(self.question.name)

    @cached_property
    def panel(self) -> AnswerPanel | None:
        """The question with what came of it so far; raises BadQuery."""
        return AnswerPanel.of(self.asking, self.question) if self.is_asked and self.question is not None else None

    @cached_property
    def shown(self) -> Shown | None:
        """The answer as the template reads it, None before it is there."""
        answer = self.panel.answer if self.panel is not None else None
        return None if answer is None else self.show(answer)
