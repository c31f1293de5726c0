"""Tells web servers that a head moved, through the channel layer where there is one between processes; else they poll.

A hint is sent from a thread with an event loop of its own: the layer's connections belong to their loop, and making
both again for each hint cost 4 ms of a worker's time. The thread has no work but this.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

from channels.layers import get_channel_layer
from django.conf import settings

if TYPE_CHECKING:
    from concurrent.futures import Future

log = logging.getLogger(__name__)

WAKEUP_GROUP = "runs.heads"


def notify(run_id: int) -> None:
    """Tell web servers that a run's head moved; a lost hint costs them one interval of polling."""
    send(WAKEUP_GROUP, {"type": "head.moved", "run": run_id})


def send(group: str, hint: dict[str, Any]) -> None:
    """Send a hint to the web servers without waiting; does nothing without a channel layer between processes."""
    layer = get_channel_layer() if settings.REDIS_URL else None
    if layer is not None:
        sending = layer.group_send(group, hint)
        asyncio.run_coroutine_threadsafe(sending, _loop(os.getpid())).add_done_callback(_tell)


def _tell(sent: Future[None]) -> None:
    if error := sent.exception():
        log.debug("web servers were not notified (%s)", error)


@cache
def _loop(_process: int) -> asyncio.AbstractEventLoop:
    """Return the running loop of this process; a forked child has no thread of its parent's."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="hints", daemon=True).start()
    return loop
