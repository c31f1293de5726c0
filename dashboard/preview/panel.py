"""How far both runs are, as the panel beside the editor shows it until their result is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dashboard.answers.outcomes import Answer
from dashboard.answers.panel import OutcomePanel

if TYPE_CHECKING:
    from dashboard.answers.answering.comparing.what_changes import WhatChanges

# A turn takes about a second.
MOST_TURNS = 600


@dataclass(frozen=True)
class ProgressPanel(OutcomePanel):
    """What came of a turn that did not complete the result; `before` is what the text is compared with."""

    before: str
    turn: int

    @property
    def changes(self) -> WhatChanges | None:
        """The answer, None where there is none yet."""
        return self.outcome.value if isinstance(self.outcome, Answer) else None

    @property
    def is_given_up(self) -> bool:
        """Whether both runs take too long to be tried here."""
        return self.changes is not None and self.turn >= MOST_TURNS

    @property
    def state(self) -> str:
        """What the script has to know: "waiting" or "failed"."""
        is_on = self.is_waiting or (self.changes is not None and not self.is_given_up)
        return "waiting" if is_on else "failed"

    @property
    def again(self) -> str:
        """The fields of the form that asks for the next turn, or for this one once more where nobody answered."""
        return urlencode({"turn": self.turn + (self.changes is not None)})

    @property
    def progress_text(self) -> str:
        """How far both runs are."""
        if self.changes is None:
            return self.text
        before, after = self.changes.cycles
        so_far = f"Run with {self.before}: {before:,} cycles"
        if after:
            so_far += f". With this text: {after:,} cycles"
        if self.is_given_up:
            return f"{so_far}. Given up after {MOST_TURNS} turns: save the text, start two runs and compare these"
        return f"{so_far} so far"

    @property
    def _computed(self) -> str:
        return "Being computed: the engine reads the cluster"
