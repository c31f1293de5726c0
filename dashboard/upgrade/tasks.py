"""The message that wakes a background worker up for upgrade reports."""

from __future__ import annotations

from celery import shared_task

from dashboard.upgrade import computing


@shared_task
def compute() -> None:
    """Compute what waits."""
    computing.work()
