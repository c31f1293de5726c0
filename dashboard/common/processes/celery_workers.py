"""Celery's workers: messages that wake them, a broker that is away, and whether this worker is to stop.

A message carries no data: the database says what is to be done. One that is lost is made good by the workers' next
look into the database.
"""

from __future__ import annotations

import logging

from celery import current_app

log = logging.getLogger(__name__)


def connection_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of a broker or a Redis that is away, for an ``except``, which asks once something failed.

    Imported then: redis takes a tenth of a process's start, and the embedded set-up has none.
    """
    from kombu.exceptions import OperationalError
    from redis.exceptions import RedisError

    return OperationalError, RedisError, OSError


def wake_worker(task: str, queue: str = "background") -> None:
    """Send the Celery task by name; where the broker cannot be reached, it only runs later."""
    try:
        current_app.send_task(task, queue=queue)
    except connection_errors() as error:
        log.warning("no worker could be woken up (%s); the next reconciliation will find the work", error)
    except Exception:
        # A broker that goes away at the wrong moment has kombu stumble over its own half-closed connection. What the
        # message is about is saved already.
        log.exception("no worker could be woken up; the next reconciliation will find the work")


def worker_is_stopping() -> bool:
    """Return whether this worker was asked to stop, so that a run ends its segment at the next cycle.

    True only where the task runs in the worker's own process (pool solo or threads); a prefork child is
    waited for by its parent, and its segments are short.
    """
    from celery.worker import state  # which pages that wake a worker do not need

    # Celery puts the exit status there, and 0 means "stop", so only these two mean "go on".
    return any(flag is not None and flag is not False for flag in (state.should_stop, state.should_terminate))
