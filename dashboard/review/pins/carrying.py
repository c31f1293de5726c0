"""Threads of earlier runs, carried over to a run that does the same again: derived when somebody looks, never copied.

The same decision is the same attempt of the same pod (by name and uid), at the same point, of the same plugin on the
same node; the same queue move is the one at the same place among the pod's. Where what is recorded of it is equal, the
thread carries over; where it differs, it is outdated, with both values; where the run has no such decision, it is gone.
Events are identified by what they are (`same_event.py`), findings and fields of diffs by keys (`carried_fields.py`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from django.db.models import Q

from dashboard.review import threads
from dashboard.review.findings.gathering import gathered
from dashboard.review.findings.groups import Gathered
from dashboard.review.models import Thread, ThreadKind
from dashboard.review.pins.carried_fields import (
    CARRIED,
    GONE,
    OUTDATED,
    SAME,
    UNKNOWN,
    CarriedThread,
    carried_finding,
)
from dashboard.review.pins.facts import RecordedFact, fact_of
from dashboard.review.pins.pin import pin_of
from dashboard.review.pins.same_event import TooFar, same_attempt, same_event, same_move
from dashboard.runs import queries
from dashboard.runs.models import Cycle, QueueMove, Run
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.review.pins.pin import Pin
    from dashboard.review.threads import ThreadView

EARLIER_RUNS = 5


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
    about = Thread.objects.filter(run__in=earlier_runs(run), resolved_at=None)
    chosen = list(
        about.select_related("run", "review__run", "created_by", "resolved_by").order_by("-run__number", "cycle", "id")
    )[:CARRIED]
    views = threads.thread_views(member, chosen)
    has_findings = any(thread.kind == ThreadKind.FIELD for thread in chosen)
    there = gathered(member, run) if has_findings else Gathered([])
    return [_carried(view, run, there) for view in views]


def _carried(view: ThreadView, run: Run, findings: Gathered) -> CarriedThread:
    thread = view.thread
    assert thread.run is not None
    if thread.kind == ThreadKind.FIELD:
        return carried_finding(view, findings, partial(_number_there, thread.run, run))
    old = fact_of(thread.run, pin_of(thread))
    before = old.short if old else thread.fact
    try:
        pin = counterpart(thread, run)
    except (RecordingError, TooFar):
        return CarriedThread(view, UNKNOWN, before)
    new = _fact_there(run, pin) if pin is not None else None
    if new is None:
        return CarriedThread(view, GONE, before)
    state = SAME if old is not None and old.value == new.value else OUTDATED
    return CarriedThread(view, state, before, new.short, pin)


def _fact_there(run: Run, pin: Pin) -> RecordedFact | None:
    """What is recorded there; of a node that was scored and is refused now, the verdict."""
    fact = fact_of(run, pin)
    return fact_of(run, replace(pin, kind="")) if fact is None and pin.kind == ThreadKind.SCORE else fact


def counterpart(thread: Thread, run: Run) -> Pin | None:
    """Return where the thing of a thread is in another run, None where that has no such decision.

    Raises RecordingError or TooFar where an event cannot be looked for.
    """
    pin = pin_of(thread)
    match thread.kind:
        case ThreadKind.EVENT:
            return _event_there(thread, run, pin)
        case ThreadKind.MOVE:
            return _same_move(thread, run, pin)
        case ThreadKind.STORY:
            return _same_stretch(thread, run, pin)
    there = _same_attempt(thread, run)
    # The moment within the cycle is only where somebody stood; the value is that of the whole cycle.
    return replace(pin, cycle=there.number, seq=there.last_seq + 1) if there is not None else None


def _number_there(before: Run, run: Run, cycle: int) -> int | None:
    row = _same_cycle(before, run, cycle)
    return row.number if row is not None else None


def _same_attempt(thread: Thread, run: Run) -> Cycle | None:
    return _same_cycle(thread.run, run, thread.cycle)


def _same_cycle(before: Run | None, run: Run, cycle: int) -> Cycle | None:
    row = Cycle.objects.filter(run=before, number=cycle).first()
    return None if row is None else same_attempt(row, run)


def _event_there(thread: Thread, run: Run, pin: Pin) -> Pin | None:
    seq = same_event(thread.run, thread.seq - 1, run) if thread.run is not None else None
    if seq is None:
        return None
    row = queries.cycle_at_seq(run, seq + 1)
    return replace(pin, cycle=row.number if row else 0, seq=seq + 1)


def _same_move(thread: Thread, run: Run, pin: Pin) -> Pin | None:
    seq = same_move(thread.run, thread.seq - 1, thread.pod, thread.pod_uid, run)
    return None if seq is None else replace(pin, seq=seq + 1)


def _same_stretch(thread: Thread, run: Run, pin: Pin) -> Pin | None:
    """The story up to the attempt that had ended last, or where there was none, to the pod's first move."""
    mine = {"pod": thread.pod, "pod_uid": thread.pod_uid or None}
    n = Cycle.objects.filter(run=thread.run, last_seq__lt=thread.seq, **mine).count()
    if n:
        rows = Cycle.objects.filter(run_id=run.pk, **mine).order_by("number")[n - 1 : n]
        return next((replace(pin, cycle=row.number, seq=row.last_seq + 1) for row in rows), None)
    first = QueueMove.objects.filter(run_id=run.pk, **mine).order_by("seq").first()
    return replace(pin, cycle=0, seq=first.seq + 1) if first is not None else None
