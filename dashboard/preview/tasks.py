"""The message that wakes a background worker up for what is to be computed."""

from __future__ import annotations

from celery import shared_task

from dashboard.preview import computing


@shared_task
def compute() -> None:
    """Compute what waits."""
    computing.work()
