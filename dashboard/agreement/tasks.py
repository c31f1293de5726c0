"""The message that wakes a worker up for what pages of agreement asked for."""

from __future__ import annotations

from celery import shared_task

from dashboard.agreement import computing
from dashboard.agreement.reality import computing as reality


@shared_task
def compute() -> None:
    """Compute what is asked for."""
    computing.work()


@shared_task
def compute_reality() -> None:
    """Compute what is asked for of bundles."""
    reality.work()
