"""Threads of earlier runs, carried over to a run that does the same again: derived when somebody looks, never copied.

The same decision is the same attempt of the same pod (by name and uid), at the same point, of the same plugin on the
same node; the same queue move is the one at the same place among the pod's. Where what is recorded of it is equal, the
thread carries over; where it differs, it is outdated, with both values; where the run has no such decision, it is gone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.db.models import Q

from dashboard.review import threads
from dashboard.review.models import Thread, ThreadKind
from dashboard.review.pins.facts import RecordedFact, fact_of
from dashboard.review.pins.pin import pin_of
from dashboard.runs.models import Cycle, QueueMove, Run

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.review.pins.pin import Pin
    from dashboard.review.threads import ThreadView

EARLIER_RUNS = 5
CARRIED = 20
SAME, OUTDATED, GONE = "same", "outdated", "gone"


@dataclass(frozen=True)
class CarriedThread:
    """An open thread of an earlier run: `before` and `now` are what both recordings say; `pin` is where it is now."""

    view: ThreadView
    state: str
    before: str
    now: str = ""
    pin: Pin | None = None

    @property
    def query(self) -> str:
        """Return the address of the thing in the later run, as the page of its threads reads it."""
        return f"cycle={self.pin.cycle}&{self.pin.query()}" if self.pin is not None else ""


def earlier_runs(run: Run) -> list[Run]:
    """Return the newest earlier runs with open threads that a run does again.

    The run that it leaves, as a branch; else those of its cluster with the same timeline, schedule and seed, whatever
    their revisions and configurations: what these change is what the threads may be about.
    """
    before = Run.objects.filter(workspace=run.workspace_id, number__lt=run.number)
    origin = Q(pk=run.branch.origin_id) if run.is_branch and run.branch.origin_id else Q(pk=None)
    again = Q(revision__cluster=run.revision.cluster_id, schedule=run.schedule, seed=run.seed, branch=None)
    timeline = run.timeline_revision.timeline_id if run.timeline_revision else None
    again &= Q(timeline_revision__timeline=timeline) if timeline else Q(timeline_revision=None)
    with_threads = Q(pk__in=Thread.objects.filter(resolved_at=None, run__isnull=False).values("run"))
    return list(before.filter(origin | again).filter(with_threads).order_by("-number")[:EARLIER_RUNS])


def carried_to(member: Member, run: Run) -> list[CarriedThread]:
    """Return the open threads of earlier runs with what has become of their decisions, the newest run's first."""
    about = Thread.objects.filter(run__in=earlier_runs(run), resolved_at=None).exclude(kind=ThreadKind.FIELD)
    chosen = list(
        about.select_related("run", "review__run", "created_by", "resolved_by").order_by("-run__number", "cycle", "id")
    )[:CARRIED]
    return [_carried(view, run) for view in threads.thread_views(member, chosen)]


def _carried(view: ThreadView, run: Run) -> CarriedThread:
    thread = view.thread
    assert thread.run is not None
    old = fact_of(thread.run, pin_of(thread))
    before = old.short if old else thread.fact
    pin = counterpart(thread, run)
    new = _fact_there(run, pin) if pin is not None else None
    if new is None or not _is_comparable(thread, old, new):
        return CarriedThread(view, GONE, before)
    state = SAME if old is not None and old.value == new.value else OUTDATED
    return CarriedThread(view, state, before, new.short, pin)


def _fact_there(run: Run, pin: Pin) -> RecordedFact | None:
    """What is recorded there; of a node that was scored and is refused now, the verdict."""
    fact = fact_of(run, pin)
    return fact_of(run, replace(pin, kind="")) if fact is None and pin.kind == ThreadKind.SCORE else fact


def _is_comparable(thread: Thread, old: RecordedFact | None, new: RecordedFact) -> bool:
    """An event is told by its number alone: another event in its place is not the same one with another value."""
    return thread.kind != ThreadKind.EVENT or (old is not None and old.value == new.value)


def counterpart(thread: Thread, run: Run) -> Pin | None:
    """Return where the thing of a thread is in another run, None where that has no such decision."""
    pin = pin_of(thread)
    match thread.kind:
        case ThreadKind.EVENT:
            return pin
        case ThreadKind.MOVE:
            return _same_move(thread, run, pin)
        case ThreadKind.STORY:
            return _same_stretch(thread, run, pin)
    there = _same_attempt(thread, run)
    # The moment within the cycle is only where somebody stood; the value is that of the whole cycle.
    return replace(pin, cycle=there.number, seq=there.last_seq + 1) if there is not None else None


def _same_attempt(thread: Thread, run: Run) -> Cycle | None:
    row = Cycle.objects.filter(run=thread.run, number=thread.cycle).first()
    if row is None:
        return None
    return Cycle.objects.filter(run_id=run.pk, pod=row.pod, pod_uid=row.pod_uid, attempt=row.attempt).first()


def _same_move(thread: Thread, run: Run, pin: Pin) -> Pin | None:
    mine = {"pod": thread.pod, "pod_uid": thread.pod_uid or None}
    n_before = QueueMove.objects.filter(run=thread.run, seq__lt=thread.seq - 1, **mine).count()
    moves = QueueMove.objects.filter(run_id=run.pk, **mine).order_by("seq")[n_before : n_before + 1]
    return next((replace(pin, seq=move.seq + 1) for move in moves), None)


def _same_stretch(thread: Thread, run: Run, pin: Pin) -> Pin | None:
    """The story up to the attempt that had ended last, or where there was none, to the pod's first move."""
    mine = {"pod": thread.pod, "pod_uid": thread.pod_uid or None}
    n = Cycle.objects.filter(run=thread.run, last_seq__lt=thread.seq, **mine).count()
    if n:
        rows = Cycle.objects.filter(run_id=run.pk, **mine).order_by("number")[n - 1 : n]
        return next((replace(pin, cycle=row.number, seq=row.last_seq + 1) for row in rows), None)
    first = QueueMove.objects.filter(run_id=run.pk, **mine).order_by("seq").first()
    return replace(pin, cycle=0, seq=first.seq + 1) if first is not None else None
