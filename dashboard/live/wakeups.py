"""What other processes say, received through the channel layer where processes share one: hints, and who is where."""

from __future__ import annotations

import asyncio
import logging
from typing import Any
from weakref import WeakKeyDictionary

from channels.layers import get_channel_layer
from django.conf import settings

from dashboard.common.processes.connections import connection_errors
from dashboard.live.feed.hub import hub
from dashboard.live.hints import FEED_GROUP
from dashboard.live.presence import relay
from dashboard.live.tailer import tailer
from dashboard.runs.lifecycle.wakeups import WAKEUP_GROUP

log = logging.getLogger(__name__)

RETRY_SECONDS = 5.0
_listeners: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[None]] = WeakKeyDictionary()


def listen() -> None:
    """Have this event loop listen, once; without a layer between processes the tailer's own pace is enough."""
    loop = asyncio.get_running_loop()
    if settings.REDIS_URL and loop not in _listeners:
        _listeners[loop] = loop.create_task(_listen())


async def _listen() -> None:
    while True:
        try:
            layer = get_channel_layer()
            channel = await layer.new_channel()
            for group in (WAKEUP_GROUP, FEED_GROUP, relay.GROUP):
                await layer.group_add(group, channel)
            await relay.begin(layer)
            while True:
                await _take(await layer.receive(channel))
        except connection_errors() as error:
            log.warning("no wake-ups from other processes (%s); polling only", error)
            await asyncio.sleep(RETRY_SECONDS)
        except Exception:
            log.exception("wake-ups from other processes cannot be received; polling only")
            await asyncio.sleep(RETRY_SECONDS)


async def _take(message: dict[str, Any]) -> None:
    if message["type"] == "head.moved":
        tailer.wake()
    elif message["type"] == "feed.moved":
        hub.wake()
    else:
        await relay.take(message)
