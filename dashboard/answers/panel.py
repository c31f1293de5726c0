"""A part of a page that shows an answer, or says what it waits for and asks again by itself."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dashboard.answers.asking import ask, deadline_of
from dashboard.answers.outcomes import Answer, Failed, Outcome, TooLate, Waiting, WaitsFor
from dashboard.answers.registry import KINDS
from dashboard.common.http.params import optional_int, text_param

if TYPE_CHECKING:
    from dashboard.answers.questions import Question
    from dashboard.runs.models import Run

# How long a request that only asks for an answer waits for it, and the pause before the next where nobody replies.
PATIENCE_SECONDS = 1.0
PAUSE_MS, SHORT_PAUSE_MS = 500, 20
# The latest time that an address may name, in milliseconds since the epoch: the year 2286.
LAST_MS = 10**13


@dataclass(frozen=True)
class Asking:
    """How a page asks: about which run, where its parts ask again, and what that address says.

    `address` gives the address of a question by its name; it ends with the query of the page. `deadline` (seconds since
    the epoch; None: the question's own, from now) and `asker` are those of the first request.
    """

    run: Run
    address: Callable[[str], str]
    deadline: float | None = None
    asker: str = ""
    patience: float = 0.0

    def again(self, query: Mapping[str, str]) -> Asking:
        """Return it as a request asks again that waits for the answer; raises BadQuery."""
        until = optional_int(query, "until", 0, LAST_MS)
        deadline = None if until is None else until / 1000
        return replace(self, deadline=deadline, asker=text_param(query, "asker", 40), patience=PATIENCE_SECONDS)


@dataclass(frozen=True)
class AnswerPanel:
    """A question of a page with what came of it so far.

    `again` asks for the same with the same deadline, `anew` with a new one.
    """

    name: str
    outcome: Outcome
    anew: str
    again: str
    seconds: float
    id: str = field(default_factory=lambda: f"answer-{secrets.token_hex(4)}")

    @classmethod
    def of(cls, asking: Asking, question: Question) -> AnswerPanel:
        """Ask, and return what is to be shown."""
        deadline = deadline_of(question) if asking.deadline is None else asking.deadline
        asker = asking.asker or secrets.token_hex(8)
        outcome = ask(asking.run, question, deadline, asker=asker, patience=asking.patience)
        anew, more = asking.address(question.name), urlencode({"until": int(deadline * 1000), "asker": asker})
        return cls(question.name, outcome, anew, f"{anew}&{more}", KINDS[question.name].seconds)

    @property
    def answer(self) -> Answer | None:
        """The answer, None where there is none yet."""
        return self.outcome if isinstance(self.outcome, Answer) else None

    @property
    def is_waiting(self) -> bool:
        """Whether the part asks again by itself."""
        return isinstance(self.outcome, Waiting)

    @property
    def pause_ms(self) -> int:
        """How long it waits before it asks again; a request waits at the worker where one replies."""
        waits = self.outcome
        return PAUSE_MS if isinstance(waits, Waiting) and waits.waits_for == WaitsFor.WORKER else SHORT_PAUSE_MS

    @property
    def words(self) -> str:
        """What the part says instead of an answer."""
        match self.outcome:
            case Waiting(WaitsFor.WORKER):
                return "Waiting for an answer worker"
            case Waiting(WaitsFor.OTHERS, place):
                return f"Waiting for the answer worker, {place} in line"
            case Waiting():
                return "Being computed"
            case TooLate():
                return f"No answer within {self.seconds:g} s"
            case Failed(words):
                return words
        return ""
