"""The list of a pod's attempts, with what changed in the cluster between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.inputs.attempts import changes_between
from dashboard.debugger.labels import OUTCOMES, event_words
from dashboard.debugger.panels.cycle_list import reason_texts
from scheduler_core.recording.times import span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.runs.models import Run
    from scheduler_core.explain.pending.model import Between, PendingAttempt

# At most this many attempts are listed, those around the shown one.
SHOWN = 8


@dataclass(frozen=True)
class AttemptRow:
    """One attempt: `woken` is the event that woke the pod for it, `refused` who refused in one line.

    `change` is what happened since the previous attempt, None for the first listed one.
    """

    attempt: PendingAttempt
    refused: str
    is_here: bool
    change: Between | None

    @property
    def meaning(self) -> str:
        """Return the meaning of its outcome."""
        return OUTCOMES.get(self.attempt.outcome, ("none", ""))[0]

    @property
    def word(self) -> str:
        """Return its outcome as one word."""
        return OUTCOMES.get(self.attempt.outcome, ("", self.attempt.outcome))[1]

    @property
    def woken(self) -> str:
        """Return the event that woke the pod."""
        if not self.attempt.woken_by:
            return "from its backoff, no event brought it back" if self.attempt.number > 1 else ""
        hint = f", hint of {self.attempt.woken_plugin}" if self.attempt.woken_plugin else ""
        return f"{event_words(self.attempt.woken_by)}{hint}"

    @property
    def span(self) -> str:
        """Return the virtual time since the attempt before."""
        return span(self.change.span_us) if self.change is not None else ""


@dataclass(frozen=True)
class AttemptLog:
    """The attempts around the one that is looked at, of `total`."""

    rows: list[AttemptRow]
    total: int

    @property
    def place_text(self) -> str:
        """Return which attempts are listed: "tried once", "6 attempts", "attempts 3 to 10 of 40"."""
        if self.total == 1:
            return "tried once"
        if len(self.rows) == self.total:
            return plural(self.total, "attempt")
        first, last = self.rows[0].attempt.number, self.rows[-1].attempt.number
        return f"attempts {grouped(first)} to {grouped(last)} of {grouped(self.total)}"


def attempt_log(run: Run, attempts: Sequence[PendingAttempt], cycle: int, total: int) -> AttemptLog:
    """Return the attempts around the shown one, of `total`; raises RecordingError for what cannot be read."""
    here = next((i for i, one in enumerate(attempts) if one.cycle == cycle), len(attempts) - 1)
    first = max(min(here - SHOWN // 2, len(attempts) - SHOWN), 0)
    shown = attempts[first : first + SHOWN]
    texts = reason_texts(run, [one.cycle for one in shown])
    changes = [None, *changes_between(run, shown)] if shown else []
    rows = [
        AttemptRow(one, _refused(one, texts.get(one.cycle, "")), one.cycle == cycle, change)
        for one, change in zip(shown, changes, strict=True)
    ]
    return AttemptLog(rows, total)


def _refused(attempt: PendingAttempt, text: str) -> str:
    outcome = text if attempt.outcome != "scheduled" else f"on {attempt.node}"
    return outcome or attempt.message
