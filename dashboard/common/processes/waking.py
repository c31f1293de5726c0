"""Messages that wake a worker up. They carry no data: the database says what is to be done.

A message that is lost is made good by the workers' next look into the database.
"""

from __future__ import annotations

import logging

from celery import current_app

from dashboard.common.processes.connections import connection_errors

log = logging.getLogger(__name__)


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
