"""The hot rows: where runs stand, read for all watched runs in one query."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from dashboard.live.messages import HeadPosition, RunStatus
from dashboard.runs.models import RunHead


@dataclass(frozen=True)
class RunProgress:
    """A run's head and state, and the access version of its workspace."""

    run_id: int
    seq: int
    cycle: int
    at_us: int
    state: str
    is_pausing: bool
    error: str
    finish_reason: str
    access_version: int

    @property
    def head(self) -> HeadPosition:
        """Return the head as clients see it."""
        return HeadPosition(seq=self.seq, cycle=self.cycle, at=self.at_us)

    @property
    def standing(self) -> tuple[str, bool]:
        """Return what a status message tells besides the head."""
        return self.state, self.is_pausing

    def status(self) -> RunStatus:
        """Return the status message."""
        return RunStatus(
            type="status",
            run=self.run_id,
            state=self.state,
            is_pausing=self.is_pausing,
            reason=self.error or self.finish_reason,
            head=self.head,
        )


_FIELDS = (
    *("run_id", "seq", "cycle", "at_us", "run__state", "pause_requested", "run__error", "run__finish_reason"),
    "run__workspace__access_version",
)


def progress_of(run_ids: Collection[int]) -> dict[int, RunProgress]:
    """Return {run: progress} in one query; runs that are gone are absent."""
    rows = RunHead.objects.filter(run_id__in=list(run_ids)).values_list(*_FIELDS)
    return {row[0]: RunProgress(*row) for row in rows}
