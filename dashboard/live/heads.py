"""The hot rows: where runs stand, read for all watched runs in one query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.live.messages import HeadPosition, RunStatus, Standing, StopPlace
from dashboard.runs.models import RunHead

if TYPE_CHECKING:
    from collections.abc import Collection


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
    stop_name: str | None = None
    stop_seq: int | None = None
    stop_index: int | None = None

    @property
    def head(self) -> HeadPosition:
        """Return the head as clients see it."""
        return HeadPosition(seq=self.seq, cycle=self.cycle, at=self.at_us)

    @property
    def standing(self) -> Standing:
        """Return what a status message tells besides the head."""
        return self.state, self.is_pausing, self.stop_seq

    @property
    def stop(self) -> StopPlace | None:
        """Return where a stopped run stands."""
        if self.stop_name is None or self.stop_seq is None or self.stop_index is None:
            return None
        return StopPlace(name=self.stop_name, seq=self.stop_seq, index=self.stop_index)

    def status(self) -> RunStatus:
        """Return the status message."""
        return RunStatus(
            type="status",
            run=self.run_id,
            state=self.state,
            is_pausing=self.is_pausing,
            reason=self.error or self.finish_reason,
            head=self.head,
            stop=self.stop,
        )


_FIELDS = (
    *("run_id", "seq", "cycle", "at_us", "run__state", "pause_requested", "run__error", "run__finish_reason"),
    *("run__workspace__access_version", "run__stop__name", "run__stop__seq", "run__stop__index"),
)


def progress_of(run_ids: Collection[int]) -> dict[int, RunProgress]:
    """Return {run: progress} in one query; runs that are gone are absent."""
    rows = RunHead.objects.filter(run_id__in=list(run_ids)).values_list(*_FIELDS)
    return {row[0]: RunProgress(*row) for row in rows}
