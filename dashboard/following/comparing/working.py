"""The worker's side: the record of the last day becomes a bundle, and reality is computed of it as of one imported."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from dashboard.agreement.models import CollectedBundle, FollowedComparison
from dashboard.agreement.reality import computing
from dashboard.common.database import work_queue
from dashboard.common.problems import Problem
from dashboard.following.moments.record import record_of
from dashboard.runs.lifecycle import waiting

if TYPE_CHECKING:
    from django.db.models import QuerySet

NAME = "followed comparisons"
TASK = "dashboard.following.tasks.compare"
EVERY = timedelta(hours=1)
LEASE = timedelta(minutes=10)
KEPT = 2
NO_TIMELINE = "It is what a collector sent lately: import a bundle to run it from its beginning."


def is_waiting() -> bool:
    """Return whether one has found no worker for a moment."""
    return _due_since(waiting.FOUND_NOBODY).exists()


def wake() -> None:
    """Wake a worker up for what is due."""
    if _due_since(timedelta()).exists():
        waiting.wake_task(TASK)


def work() -> bool:
    """Compare what is due; return whether there was anything. Raises OperationalError, InterfaceError."""
    done = False
    for comparison in _due_since(timedelta()).select_related("cluster__workspace", "cluster__following", "config"):
        # Who moves the time has the work; of a worker that dies the next one takes over after the lease.
        lease, rows = timezone.now() + LEASE, FollowedComparison.objects.filter(pk=comparison.pk)
        if rows.filter(due_at=comparison.due_at).update(due_at=lease):
            problem = work_queue.run_job(comparison, lambda: _compare(comparison), expected=(Problem,))  # noqa: B023
            # Somebody may have stopped it meanwhile, or asked again.
            rows.update(problem=problem[:300])
            rows.filter(due_at=lease).update(due_at=timezone.now() + EVERY)
            done = True
    return done


def _due_since(some_time: timedelta) -> QuerySet[FollowedComparison]:
    return FollowedComparison.objects.filter(due_at__lte=timezone.now() - some_time)


def _compare(comparison: FollowedComparison) -> None:
    cluster = comparison.cluster
    record = record_of(cluster.following)
    with transaction.atomic():
        bundle = CollectedBundle.objects.create(
            cluster=cluster,
            began=record.began.revision,
            ended=record.ended.revision,
            config=comparison.config,
            name=f"{cluster.name}, as followed",
            is_followed=True,
            said=NO_TIMELINE,
            size=len(record.data),
            data=record.data,
        )
        followed = CollectedBundle.objects.filter(cluster=cluster, is_followed=True)
        # The one before is shown until the new one is compared.
        newest = list(followed.values_list("pk", flat=True)[:KEPT])
        followed.exclude(pk__in=newest).delete()
        FollowedComparison.objects.filter(pk=comparison.pk).update(bundle=bundle)
    computing.ask(bundle, computing.of_bundle(bundle))
