"""How far a report is, or why there is none, as its page and lists say it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone

from dashboard.upgrade.queries import n_before

if TYPE_CHECKING:
    from dashboard.upgrade.models import StoredUpgrade

# A page asks again after so long; oftener while most reports end.
PAUSE_MS, SHORT_PAUSE_MS, SHORT_SECONDS = 1000, 250, 10


@dataclass(frozen=True)
class ReportProgress:
    """A report in lists, and what is shown in its place while there is none."""

    row: StoredUpgrade

    @property
    def url(self) -> str:
        """The address of its page."""
        return self._address("upgrade:report")

    @property
    def cancel_url(self) -> str:
        """The address that cancels it."""
        return self._address("upgrade:cancel")

    def _address(self, name: str) -> str:
        return reverse(name, args=[self.row.workspace.slug, self.row.revision.cluster.slug, self.row.pk])

    @property
    def again_url(self) -> str:
        """The address of the form, filled in as for this report."""
        row = self.row
        timeline = "" if row.timeline is None else row.timeline.timeline.slug
        same = {"before": row.before, "after": row.after, "config": row.config, "timeline": timeline, "seed": row.seed}
        gates = {"before_gates": row.before_gates, "after_gates": row.after_gates}
        path = reverse("upgrade:page", args=[row.workspace.slug, row.revision.cluster.slug])
        given = {name: value for name, value in {"r": row.revision.number, **same, **gates}.items() if value != ""}
        return f"{path}?{urlencode(given)}"

    @property
    def is_going(self) -> bool:
        """Whether it waits or is computed, so that pages are to ask again."""
        return self.row.ended_at is None

    @property
    def can_cancel(self) -> bool:
        """Whether cancelling would do anything."""
        return self.is_going and not self.row.is_cancelled

    @property
    def has_report(self) -> bool:
        """Whether there is something to read."""
        return not self.is_going and bool(self.row.size)

    @property
    def pause_ms(self) -> int:
        """After how many milliseconds to ask again."""
        is_new = (timezone.now() - self.row.asked_at).total_seconds() < SHORT_SECONDS
        return SHORT_PAUSE_MS if is_new else PAUSE_MS

    @property
    def load(self) -> str:
        """What is scheduled."""
        timeline = self.row.timeline
        return f"timeline {timeline}" if timeline is not None else f"the pods of r{self.row.revision.number}"

    @cached_property
    def text(self) -> str:
        """How far it is, or why there is no report, or what it answers."""
        if self.has_report:
            return self.row.headline
        match self.row.state:
            case "waiting":
                return self._waits
            case "running":
                return self._runs
            case "cancelled":
                by = self.row.cancelled_by
                return f"Cancelled by {by.label if by is not None else 'somebody'} before both runs were over"
        return self.row.error[:1].upper() + self.row.error[1:]

    @property
    def _waits(self) -> str:
        before = n_before(self.row)
        again = ", since the one before ended" if self.row.starts else ""
        return f"Waiting for a worker{again}{f'; {before:,} before it' if before else ''}"

    @property
    def _runs(self) -> str:
        row = self.row
        if row.is_cancelled:
            return "Cancelled; the worker keeps what is done"
        cycles = f", {row.cycles:,} cycles so far" if row.cycles else ""
        match row.step:
            case "runs":
                version = row.after if row.done else row.before
                words = f"Run {row.done + 1} of {row.total}, under {version}{cycles}"
            case "runs with one behaviour":
                words = f"Run {row.done + 1} of {row.total} with one behaviour alone{cycles}"
            case "causes":
                words = f"{row.done:,} of {row.total:,} first differences tried again with single behaviours"
            case _:
                words = "The engine reads the cluster"
        return f"{words}. Begun again, since the worker before ended" if row.starts > 1 else words
