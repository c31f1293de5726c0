"""How far a computation is, as the panel beside the editor, its own page and lists show it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils import timezone

from dashboard.preview.queries import n_before

if TYPE_CHECKING:
    from dashboard.preview.models import Computation

STEPS = ("reading", "before", "after", "comparing")
# A page asks again after so long; oftener while most computations end.
PAUSE_MS, SHORT_PAUSE_MS, SHORT_SECONDS = 1000, 250, 10


@dataclass(frozen=True)
class ProgressPanel:
    """A computation without a result."""

    computation: Computation

    @property
    def state(self) -> str:
        """What the script has to know: "waiting", "failed" or "cancelled"."""
        states = {"running": "waiting", "done": "failed"}
        return states.get(self.computation.state, self.computation.state)

    @property
    def url(self) -> str:
        """The address of the computation's own page."""
        return self._address("preview:computation")

    @property
    def cancel_url(self) -> str:
        """The address that cancels it."""
        return self._address("preview:cancel")

    def _address(self, name: str) -> str:
        return reverse(name, args=[self.computation.workspace.slug, self.computation.pk])

    @property
    def pause_ms(self) -> int:
        """After how many milliseconds to ask again."""
        is_new = (timezone.now() - self.computation.asked_at).total_seconds() < SHORT_SECONDS
        return SHORT_PAUSE_MS if is_new else PAUSE_MS

    @property
    def steps_done(self) -> float:
        """How many of the four steps are done; the second run is taken to be as long as the first."""
        one = self.computation
        if one.state != "running" or one.step not in STEPS:
            return 0
        share = min(one.after_cycles / max(one.before_cycles, 1), 1) if one.step == "after" else 0
        return STEPS.index(one.step) + share

    @property
    def n_steps(self) -> int:
        """How many steps there are."""
        return len(STEPS)

    @cached_property
    def text(self) -> str:
        """How far it is, or why there is no result."""
        match self.computation.state:
            case "waiting":
                return self._waits
            case "running":
                return self._runs
            case "cancelled":
                by = self.computation.cancelled_by
                return f"Cancelled by {by.label if by is not None else 'somebody'}"
            case "failed":
                return self.computation.error[:1].upper() + self.computation.error[1:]
        return "The result is not stored any more: newer ones took its place. Ask again"

    @property
    def _waits(self) -> str:
        before = n_before(self.computation)
        again = ", since the one before ended" if self.computation.starts else ""
        return f"Waiting for a worker{again}{f'; {before:,} before it' if before else ''}"

    @property
    def _runs(self) -> str:
        one = self.computation
        if one.step not in STEPS:
            return "Being computed"
        words = {
            "reading": "the engine reads the cluster",
            "before": f"run with {one.before_label}, {one.before_cycles:,} cycles so far",
            "after": f"run with this text, {one.after_cycles:,} cycles so far; the other had {one.before_cycles:,}",
            "comparing": f"both runs are compared, {one.before_cycles:,} and {one.after_cycles:,} cycles",
        }
        again = ". Begun again, since the worker before ended" if one.starts > 1 else ""
        return f"Step {STEPS.index(one.step) + 1} of {len(STEPS)}: {words[one.step]}{again}"
