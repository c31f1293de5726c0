"""Questions about a cursor's place in the run: where to step, and what woke its pod."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.runs.models import Cycle, QueueMove, Run
from dashboard.runs.queries import of_pod

AHEAD = 16
FAILURES = ("unschedulable", "error")


@dataclass(frozen=True)
class Steps:
    """Where one can go from a cursor. `ahead` are the next cycles as (number, seq behind it), at most AHEAD."""

    last: int
    before: tuple[int, int] | None
    ahead: list[tuple[int, int]]

    @property
    def ahead_text(self) -> str:
        """Return the next cycles as scripts read them: "12:340 13:371"."""
        return " ".join(f"{number}:{seq}" for number, seq in self.ahead)


def steps_from(run: Run, seq: int, at: Cycle | None) -> Steps:
    """Return the neighbours of the cursor; `at` is the last cycle that had started there."""
    number, end = (at.number, at.last_seq + 1) if at else (0, 0)
    low = number if at and end > seq else number + 1
    high = number if at and end < seq else number - 1
    cycles = Cycle.objects.filter(run_id=run.pk).values_list("number", "last_seq")
    before = cycles.filter(number=high).first() if high > 0 else None
    ahead = cycles.filter(number__gte=low).order_by("number")[:AHEAD]
    return Steps(
        last=run.head.seq,
        before=(before[0], before[1] + 1) if before else None,
        ahead=[(number, last + 1) for number, last in ahead],
    )


def last_attempt(run: Run, pod: str, uid: str, seq: int) -> Cycle | None:
    """Return the pod's last cycle that had started when `seq` events had happened, None where it had none."""
    return Cycle.objects.filter(**of_pod(run, pod, uid), first_seq__lt=seq).order_by("-number").first()


def first_failure(run: Run) -> Cycle | None:
    """Return the first cycle that found no node or ended in an error, None where every pod was placed."""
    firsts = (Cycle.objects.filter(run_id=run.pk, outcome=outcome).order_by("number").first() for outcome in FAILURES)
    return min((cycle for cycle in firsts if cycle is not None), key=lambda cycle: cycle.number, default=None)


def last_move_into_active(run: Run, pod: str, uid: str, before: int) -> QueueMove | None:
    """Return the move that brought the pod into activeQ before the event `before`, past a backoff that it sat out."""
    moves = QueueMove.objects.filter(**of_pod(run, pod, uid), seq__lt=before).order_by("-seq")[:6]
    return next((move for move in moves if move.event not in ("Popped", "BackoffComplete", "Done")), None)


def first_seen(run: Run, pod: str, uid: str) -> int | None:
    """Return the virtual time (microseconds) at which the pod came to the queue, None where it never did."""
    moves = QueueMove.objects.filter(**of_pod(run, pod, uid)).order_by("seq")
    return moves.values_list("at_us", flat=True).first()


def times_of(run: Run, numbers: list[int]) -> dict[int, int]:
    """Return {cycle: virtual microseconds} of these cycles."""
    rows = Cycle.objects.filter(run_id=run.pk, number__in=sorted(set(numbers)))
    return dict(rows.values_list("number", "at_us"))
