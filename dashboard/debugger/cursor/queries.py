"""Reads about a cursor's place in the run: the attempt of a pod, and what woke the pod."""

from __future__ import annotations

from django.db.models import Subquery

from dashboard.runs.models import Cycle, QueueMove, Run
from dashboard.runs.queries import of_pod

FAILURES = ("unschedulable", "error")
ATTEMPTS = 500


def last_attempt(run: Run, pod: str, uid: str, seq: int) -> Cycle | None:
    """Return the pod's last cycle that started before event `seq`, None if there is none."""
    return Cycle.objects.filter(**of_pod(run, pod, uid), first_seq__lt=seq).order_by("-number").first()


def attempt_numbers(run: Run, pod: str, uid: str) -> list[int]:
    """Return the numbers of the pod's first ATTEMPTS cycles, none without a pod."""
    if not pod:
        return []
    cycles = Cycle.objects.filter(**of_pod(run, pod, uid)).order_by("number")
    return list(cycles.values_list("number", flat=True)[:ATTEMPTS])


def first_failure(run: Run) -> Cycle | None:
    """Return the first cycle that found no node or ended in an error, None if every pod was placed."""
    counted = dict(zip(FAILURES, (run.head.unschedulable, run.head.errors), strict=True))
    cycles = Cycle.objects.filter(run_id=run.pk).order_by("number")
    firsts = (cycles.filter(outcome=outcome).first() for outcome, count in counted.items() if count)
    return min((cycle for cycle in firsts if cycle is not None), key=lambda cycle: cycle.number, default=None)


def queued_before(run: Run, pod: str, uid: str, before: int) -> tuple[int | None, QueueMove | None]:
    """Return when the pod was first queued, in virtual microseconds, and the move that led it to activeQ.

    The move is the last one before the event `before` that is no backoff; both are None if the pod was not queued.
    """
    moves = QueueMove.objects.filter(**of_pod(run, pod, uid))
    first_at = Subquery(moves.order_by("seq").values("at_us")[:1])
    last = list(moves.filter(seq__lt=before).order_by("-seq").annotate(first_at=first_at)[:6])
    led = next((move for move in last if move.event not in ("Popped", "BackoffComplete", "Done")), None)
    return (last[0].first_at if last else None), led


def times_of(run: Run, numbers: list[int]) -> dict[int, int]:
    """Return {cycle: virtual microseconds} of these cycles."""
    rows = Cycle.objects.filter(run_id=run.pk, number__in=sorted(set(numbers)))
    return dict(rows.values_list("number", "at_us"))
