"""The messages that wake a worker up: for pieces that were received, for comparisons that are due."""

from __future__ import annotations

from celery import shared_task

from dashboard.following.comparing import working as comparing
from dashboard.following.workers import working


@shared_task
def fold() -> None:
    """Fold what was received, and compute overviews that are due."""
    working.work()


@shared_task
def compare() -> None:
    """Compare what is due."""
    comparing.work()
