"""The outcomes of a question: its answer, or why there is none yet."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class WaitsFor(StrEnum):
    """What a question without an answer waits for."""

    WORKER = "worker"  # No answer worker is there, or it does not reply.
    OTHERS = "others"  # Other questions are before it.
    RESULT = "result"  # It is being computed.


@dataclass(frozen=True)
class Answer:
    """The answer: of the type that the registry names for the question.

    `seconds` is how long it took to compute. It `is_partial` where the time ended before all was tried.
    """

    value: Any
    seconds: float
    is_partial: bool = False


@dataclass(frozen=True)
class Waiting:
    """No answer yet; `place` is the question's place among those that wait, 1 the next, where others are before it."""

    waits_for: WaitsFor
    place: int = 0


@dataclass(frozen=True)
class TooLate:
    """The deadline passed without an answer."""


@dataclass(frozen=True)
class Dropped:
    """The same person asked for more answers at once than may be open, so this older question was given up."""


@dataclass(frozen=True)
class Failed:
    """There is no answer; `text` says why."""

    text: str


Outcome = Answer | Waiting | TooLate | Dropped | Failed
