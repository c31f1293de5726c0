"""Faults planted by hand into the product's modules: each must be found within `MOST_SEEDS` seeds.

Idea: a simulation that finds nothing shows nothing, unless it is known what it would find. Each plant is a small slip
of a kind that the coordination code is written against; it replaces a function of the product for one simulation.

Invariant: the first seed that finds a plant is the same everywhere; without it the same seed finds nothing.
Cost: as many seeds as it takes, mostly fewer than ten.

    outcome = simulate(prepared, seed=3, plant=PLANTED["a cancel is ignored"])
    assert outcome.wrong
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from dashboard.accounts import once
from dashboard.accounts.models import SubmittedForm
from dashboard.answers.messages import AskResult
from dashboard.answers.transport import board
from dashboard.clusters.background import working
from dashboard.live.feed import hub, topics
from dashboard.live.models import ChangedTopic
from dashboard.runs import execution
from dashboard.runs.breakpoints import stopping
from dashboard.runs.lifecycle import leases, reconcile, waiting
from dashboard.runs.models import AttachedBreakpoint, Run, RunHead, State
from dashboard.runs.storage import batches

Plant = Callable[[ExitStack], object]
MOST_SEEDS = 200


def _replacing(target: Any, name: str, value: Any) -> Plant:
    return lambda stack: stack.enter_context(patch.object(target, name, value))


def _lease_is_not_renewed() -> Plant:
    write = batches.write

    def faulty(lease: Any, batch: Any) -> None:
        with transaction.atomic():
            until = RunHead.objects.values_list("lease_until", flat=True).get(run_id=lease.run_id)
            write(lease, batch)
            RunHead.objects.filter(run_id=lease.run_id).update(lease_until=until)

    return _replacing(batches, "write", faulty)


def _wake_up_is_lost() -> Plant:
    """The reconciler no longer makes good what the broker lost."""
    silent = SimpleNamespace(**{**vars(waiting), "wake": lambda is_background: None})
    return _replacing(reconcile, "waiting", silent)


def _hit_is_counted_twice() -> Plant:
    """A chunk's hits are written without how far was counted, so that the next check counts them again."""
    write = stopping.write_counts

    def faulty(run_id: int, checked: Any) -> None:
        write(run_id, checked)
        for one in checked.attachments:
            AttachedBreakpoint.objects.filter(pk=one.pk).update(counted_to=one.counted_to)

    return _replacing(stopping, "write_counts", faulty)


def _cancel_is_ignored() -> Plant:
    def faulty(lease: Any) -> Any:
        row = RunHead.objects.filter(run_id=lease.run_id, lease_epoch=lease.epoch)
        read = row.values_list("pause_requested", "step_to_cycle", "changes_wait").first()
        if read is None:
            raise leases.LostLease
        return leases.Requests(read[0], False, *read[1:])

    return _replacing(leases, "read_requests", faulty)


def _taken_over_without_looking() -> Plant:
    """A run is taken from whoever has it, whether the lease is out or not."""

    def everybody() -> list[tuple[int, int]]:
        held = RunHead.objects.filter(run__state__in=(State.RUNNING, State.CANCELLING))
        return sorted(held.values_list("run_id", "lease_epoch"))

    def plant(stack: ExitStack) -> None:
        stack.enter_context(patch.object(reconcile, "_orphans", everybody))
        stack.enter_context(patch.object(leases, "is_orphaned", lambda run_id: True))

    return plant


def _token_is_forgotten() -> Plant:
    """A form's token is kept under a key that no second sending has."""
    numbers = count()

    def plant(stack: ExitStack) -> None:
        stack.enter_context(patch.object(once, "led_before", lambda request: None))
        faulty = lambda key: SubmittedForm.objects.create(key=f"{key[:50]}-{next(numbers)}")  # noqa: E731
        stack.enter_context(patch.object(once, "_claimed", faulty))

    return plant


def _late_change_is_skipped() -> Plant:
    """The feed's version is read after its topics: what is committed between the two is never sent."""

    def faulty(workspace_id: int, version: int) -> topics.TopicChanges:
        newer = ChangedTopic.objects.filter(workspace_id=workspace_id, version__gt=version)
        names = frozenset(newer.values_list("name", flat=True)[: topics.TOPICS_NAMED + 1])
        return topics.TopicChanges(topics.version_of(workspace_id), names)

    return _replacing(hub, "changes_since", faulty)


def _reply_of_another() -> Plant:
    """Whoever waited for an answer gets the one that was used longest ago."""
    result_of = board.Board._job_result

    def faulty(self: board.Board, job: board.Job, who: board.Who) -> AskResult:
        oldest = next(iter(self.replies._replies.values()), None)
        return AskResult(oldest[0]) if job.reply is not None and oldest else result_of(self, job, who)

    return _replacing(board.Board, "_job_result", faulty)


def _stop_keeps_the_run() -> Plant:
    """A worker that is to stop ends its segment and keeps the lease."""
    gave_way = execution.Segment._gave_way

    def faulty(self: execution.Segment, running: Any) -> bool:
        return execution.worker_is_stopping() or gave_way(self, running)

    return _replacing(execution.Segment, "_gave_way", faulty)


def _claim_without_condition() -> Plant:
    """A claim looks whether the run is free, and then takes it without looking."""

    def faulty(run_id: int) -> Any:
        if not RunHead.objects.filter(leases.is_out(), run_id=run_id, run__state=State.QUEUED).exists():
            return None
        with transaction.atomic():
            head = RunHead.objects.filter(run_id=run_id)
            head.update(
                lease_epoch=F("lease_epoch") + 1, lease_owner=leases.owner(), lease_until=Now() + leases.LOADING
            )
            Run.everything.filter(pk=run_id).update(state=State.RUNNING)
            return leases.Lease(run_id, head.values_list("lease_epoch", flat=True).get())

    return _replacing(leases, "claim", faulty)


def _late_owner_commits() -> Plant:
    """A chunk is fenced neither by the epoch of its lease nor by the head."""
    write = batches.write

    def faulty(lease: Any, batch: Any) -> None:
        with transaction.atomic():
            epoch, seq = RunHead.objects.values_list("lease_epoch", "seq").get(run_id=lease.run_id)
            batch.old_seq = seq
            write(leases.Lease(lease.run_id, epoch), batch)

    return _replacing(batches, "write", faulty)


def _cancelled_task_goes_on() -> Plant:
    """A worker writes what its task made without looking whether the task has ended."""

    def write(task: Any, **fields: Any) -> bool:
        return bool(working.BackgroundTask.objects.filter(pk=task.pk).update(**fields))

    def end(task: Any, *_conditions: Any, **fields: Any) -> bool:
        return write(task, ended_at=Now(), claimed_at=None, **fields)

    def renew(self: Any, **fields: Any) -> None:
        write(self._task, claimed_at=Now(), **fields)

    def plant(stack: ExitStack) -> None:
        stack.enter_context(patch.object(working, "end", end))
        stack.enter_context(patch.object(working._Claim, "renew", renew))

    return plant


PLANTED: dict[str, Plant] = {
    "a lease is not renewed": _lease_is_not_renewed(),
    "a wake-up is lost": _wake_up_is_lost(),
    "a hit is counted twice": _hit_is_counted_twice(),
    "a cancel is ignored": _cancel_is_ignored(),
    "a takeover does not look at the lease": _taken_over_without_looking(),
    "a once-token is forgotten": _token_is_forgotten(),
    "the feed skips a change committed late": _late_change_is_skipped(),
    "a reply goes to another asker": _reply_of_another(),
    "a stopped worker keeps its run": _stop_keeps_the_run(),
    "a claim is not conditional": _claim_without_condition(),
    "a late owner commits": _late_owner_commits(),
    "a cancelled task goes on": _cancelled_task_goes_on(),
}
