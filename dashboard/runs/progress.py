"""Progress of a run, its speed, and an estimate of the time left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, plural
from dashboard.runs.models import State

if TYPE_CHECKING:
    from dashboard.runs.models import Run


@dataclass(frozen=True)
class Progress:
    """The progress of a run.

    `rate` is cycles per second of work, 0 before the first. `share` is the share of steps done, from 0 to 1: None if
    there are none, 1 at the end even if pods stay pending. `seconds_left` is an estimate while the run goes on, None
    without data for one.
    """

    state: str
    is_pausing: bool
    seq: int
    cycles: int
    at_us: int
    scheduled: int
    unschedulable: int
    errors: int
    skipped: int
    preemptions: int
    victims: int
    rate: float
    share: float | None
    seconds_left: float | None
    size_bytes: int

    @property
    def in_words(self) -> str:
        """Return the outcomes of cycles so far, in words."""
        not_scheduled, errors = grouped(self.unschedulable), grouped(self.errors)
        return (
            f"{plural(self.scheduled, 'cycle')} scheduled a pod, {not_scheduled} did not, {errors} failed; "
            f"{plural(self.preemptions, 'preemption')}"
        )


def read_progress(run: Run) -> Progress:
    """Return the run's progress from its head as loaded."""
    head, seconds = run.head, _seconds_of_work(run)
    rate = head.cycle / seconds if seconds > 0 else 0.0
    share = min(1.0, head.steps_done / run.n_steps) if run.n_steps else None
    return Progress(
        state=run.state,
        is_pausing=head.pause_requested and run.state == State.RUNNING,
        seq=head.seq,
        cycles=head.cycle,
        at_us=head.at_us,
        scheduled=head.scheduled,
        unschedulable=head.unschedulable,
        errors=head.errors,
        skipped=head.skipped,
        preemptions=head.preemptions,
        victims=head.victims,
        rate=rate,
        share=1.0 if run.state == State.FINISHED else share,
        seconds_left=seconds * (1 - share) / share if run.state == State.RUNNING and share and share < 1 else None,
        size_bytes=head.size_bytes,
    )


def _seconds_of_work(run: Run) -> float:
    """Return the seconds of work: the account, which is settled when a segment ends, and since then the wall time of
    the current one.
    """
    head, seconds = run.head, run.head.busy_seconds
    if run.state == State.RUNNING and run.started_at and head.heartbeat:
        seconds += max(0.0, (head.heartbeat - max(run.started_at, run.queued_at)).total_seconds())
    return seconds
