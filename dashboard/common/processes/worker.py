"""What a long task asks of the worker it runs in."""

from __future__ import annotations

from celery.worker import state


def worker_is_stopping() -> bool:
    """Return whether this worker was asked to stop, so that a run ends its segment at the next cycle.

    True only where the task runs in the worker's own process (pool solo or threads); a prefork child is
    waited for by its parent, and its segments are short.
    """
    # Celery puts the exit status there, and 0 means "stop", so only these two mean "go on".
    return any(flag is not None and flag is not False for flag in (state.should_stop, state.should_terminate))
