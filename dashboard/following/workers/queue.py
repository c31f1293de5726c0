"""Which followed clusters wait for a worker: pieces to fold, or an overview that is due."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q
from django.utils import timezone

from dashboard.clusters.models import Following
from dashboard.common.database import work_queue
from dashboard.runs.lifecycle import waiting

if TYPE_CHECKING:
    from datetime import timedelta

    from django.db.models import QuerySet

TASK = "dashboard.following.tasks.fold"
NAME = "following"


def is_waiting() -> bool:
    """Return whether one has found no worker for a moment."""
    return _waiting_since(waiting.FOUND_NOBODY).exists()


def wake() -> None:
    """Wake a worker for what waits so long that its message may be lost, and for overviews that are due."""
    if _waiting_since(work_queue.SENT_AGAIN).exists():
        waiting.wake_task(TASK)


def due_overviews() -> QuerySet[Following]:
    """Return the followed clusters whose overview is to be computed now."""
    return Following.objects.filter(work_queue.unclaimed(), overview_due_at__lte=timezone.now())


def _waiting_since(some_time: timedelta) -> QuerySet[Following]:
    waits = Q(work_queue.longer_ago("asked_at", some_time)) | Q(overview_due_at__lte=timezone.now() - some_time)
    return Following.objects.filter(waits, work_queue.unclaimed())
