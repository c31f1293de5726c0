"""What a long task asks of the worker it runs in."""

from __future__ import annotations

from celery.worker import state


def worker_is_stopping() -> bool:
    """Return whether this worker was asked to stop, so that a run ends its segment at the next cycle.

    True only where the task runs in the worker's own process (pool solo or threads); a prefork child is
    waited for by its parent, and its segments are short.
    """
    return state.should_stop not in (None, False) or state.should_terminate not in (None, False)
