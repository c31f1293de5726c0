"""Answers as they stand while nobody, or a worker that gives up, computes them; by name in `ANSWERS_TRANSPORT`."""

from __future__ import annotations

from dashboard.answers.messages import Ask, AskResult, Reply
from dashboard.answers.outcomes import WaitsFor


def waiting(asked: Ask) -> AskResult:
    """Return that it is being computed."""
    return AskResult(waits_for=WaitsFor.RESULT)


def failed(asked: Ask) -> AskResult:
    """Return that there is no answer."""
    return AskResult(Reply(error="The recording of this run is damaged at event 12"))
