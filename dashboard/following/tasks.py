"""The message that wakes a worker up for pieces that were received."""

from __future__ import annotations

from celery import shared_task

from dashboard.following.workers import working


@shared_task
def fold() -> None:
    """Fold what was received, and compute overviews that are due."""
    working.work()
