"""Answers computed by whoever asks, in the test's own thread and transaction."""

from __future__ import annotations

from dashboard.answers import tasks
from dashboard.answers.messages import Ask, Told


def ask(asked: Ask) -> Told:
    """Return the reply, whatever the patience."""
    return Told(tasks.answer(asked.request, asked.seconds, lambda: False))
