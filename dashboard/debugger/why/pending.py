"""Everything that the page says of a pending pod, gathered once per request; each part only when it is asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.debugger.outcomes.summary_cache import summary_of
from dashboard.debugger.outcomes.words import LABELS, MEANINGS, wait
from dashboard.debugger.page import CursorPage
from dashboard.debugger.why.siblings import Siblings, outcome_of, siblings_of

if TYPE_CHECKING:
    from dashboard.debugger.outcomes.summary_cache import Summary
    from dashboard.debugger.why.address import WhyCursor
    from scheduler_core.explain.outcomes.model import PodOutcome


class PendingPage(CursorPage):
    """The panels of the page."""

    cursor: WhyCursor

    @cached_property
    def summary(self) -> Summary:
        """How the pods of the run ended; nothing while that is being summed up."""
        return summary_of(self.run)

    @cached_property
    def outcome(self) -> PodOutcome | None:
        """How the pod ended, None while that is not known."""
        outcomes, selected = self.summary.outcomes, self.selection
        return outcome_of(outcomes, selected.pod, selected.uid) if outcomes is not None and selected.pod else None

    @cached_property
    def siblings(self) -> Siblings | None:
        """The pods of the same reason, None where the pod's end needs no look or is not known."""
        outcomes = self.summary.outcomes
        if outcomes is None or self.outcome is None:
            return None
        return siblings_of(outcomes, self.cursor.slug, self.run.number, self.outcome)

    @property
    def pill(self) -> tuple[str, str]:
        """Return meaning and words of how the pod ended: "pending 5 min 31 s"; ("", "") while that is not known."""
        outcomes = self.summary.outcomes
        if outcomes is None or self.outcome is None:
            return "", ""
        kind = outcomes.groups[self.outcome.group].kind
        return MEANINGS[kind], f"{LABELS[kind]} {wait(self.outcome.wait)}".strip()

    @property
    def is_pending(self) -> bool:
        """Return whether the attempt that is shown found no node."""
        return self.cycle is None or self.cycle.row.outcome != "scheduled"
