"""The part of a worker that takes messages, made to outlive its broker; the setting `worker_consumer` names it."""

from __future__ import annotations

import logging
import time
import warnings
from typing import Any

from celery.bootsteps import CLOSE, TERMINATE
from celery.exceptions import CPendingDeprecationWarning
from celery.worker.consumer import Consumer
from celery.worker.state import maybe_shutdown

log = logging.getLogger(__name__)

RETRY_SECONDS = 2.0
# While the broker is away, a line at once and then one per minute.
SAY_AGAIN_SECONDS = 60.0


class PatientConsumer(Consumer):
    """Celery's consumer, which connects again after every failure; only a request to stop ends it.

    Celery takes up the connection again after the errors that the transport lists. Where a broker goes away in the
    middle of closing or opening a connection, kombu meets its own half-closed objects and raises an AttributeError,
    which is in no list: the worker ended with status 1 and stayed away where nothing starts it again. Here every
    exception that leaves the loop counts as a lost connection. What a message itself could do wrong is caught by Celery
    before, and a task's exception never gets here.

    Celery also waits up to 30 s between two attempts and gives up after 100 of them; here it is `RETRY_SECONDS`. And
    its workers tell each other who is there, over connections of their own that break as well; nobody asks them here.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        silent = {"without_gossip": True, "without_mingle": True, "without_heartbeat": True}
        super().__init__(*args, **options | silent)
        self.connection_errors = (Exception,)
        # Each lost connection would announce that a later Celery cancels running tasks then; ours go on. It is said
        # here, since Celery switches these warnings on when it sets up its logging.
        warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)

    def start(self) -> None:
        """Consume until the worker is to stop."""
        while self.blueprint.state not in (CLOSE, TERMINATE):
            try:
                super().start()
            except Exception:
                # Giving up the old connection failed as well: let go of it without asking it anything.
                log.exception("the worker's connection to the broker could not be closed; opening another one")
                self.connection = None
                self.blueprint.restart(self)
                time.sleep(RETRY_SECONDS)

    def ensure_connected(self, conn: Any) -> Any:
        """Return the connection, connected; asks for as long as it takes, or until the worker is to stop."""
        said_at: float | None = None

        def tell(error: Exception, _seconds: float) -> None:
            nonlocal said_at
            now = time.monotonic()
            if said_at is None or now - said_at >= SAY_AGAIN_SECONDS:
                said_at = now
                log.warning("no connection to the broker %s (%s); trying again", conn.as_uri(), error)

        steps = {"interval_start": 0.2, "interval_step": 0.2, "interval_max": RETRY_SECONDS}
        connected = conn.ensure_connection(tell, None, callback=maybe_shutdown, **steps)
        self.first_connection_attempt = False
        return connected
