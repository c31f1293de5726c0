"""What the sockets of members share: who may connect, the close code that says why not, one task that sends."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import get_channel_layer
from django.conf import settings

from dashboard.accounts.access import socket_member
from dashboard.common.monitoring.log_context import log_from_now_on
from dashboard.common.processes.celery_workers import connection_errors
from dashboard.live.feed.hub import hub
from dashboard.live.hints import FEED_GROUP
from dashboard.live.presence import relay
from dashboard.live.tailer import tailer
from dashboard.runs.lifecycle.wakeups import WAKEUP_GROUP

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from dashboard.accounts.models import Member

SIGN_IN, NO_ACCESS, NOT_FOUND, BAD_MESSAGE, TOO_MANY, TRY_AGAIN = 4401, 4403, 4404, 4400, 4429, 1013


class Left(Exception):
    """The client is gone."""


async def read(function: Any, *args: Any) -> Any:
    """Call a database function in a thread of its own pool, so that one slow reader does not hold up the others."""
    return await database_sync_to_async(function, thread_sensitive=False)(*args)


class MemberSocket(AsyncWebsocketConsumer):
    """One browser tab. Everything is sent by a single task, in order."""

    workspace_id = 0
    task: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Accept members of the workspace; for others the close code says why not."""
        user = self.scope["user"]
        self.user_id = user.pk
        self.session_key = self.scope["session"].session_key
        named = self.scope["url_route"]["kwargs"]
        place = {"slug": "workspace", "number": "run_number"}
        where = {place[name]: value for name, value in named.items() if name in place}
        log_from_now_on(request_id=uuid.uuid4().hex, person=self.user_id, **where)
        code = await self.find(**named) if user.is_authenticated else SIGN_IN
        # A refused handshake has no code that scripts could read, so it is accepted and closed.
        await self.accept()
        if code:
            self.workspace_id = 0
            await self.close(code)
        else:
            listen()

    async def find(self, **where: Any) -> int:
        """Return 0 and remember what the address names, or the code that says why not."""
        raise NotImplementedError

    async def member(self) -> Member | None:
        """Return the membership that the socket may go on under, as the database has it now."""
        return await read(socket_member, self.user_id, self.session_key, self.workspace_id)

    async def disconnect(self, code: int) -> None:
        """Stop sending."""
        await self.stop()

    async def begin(self, sending: Coroutine[Any, Any, None]) -> None:
        """Send by this from now on."""
        await self.stop()
        self.task = asyncio.create_task(sending)

    async def stop(self) -> None:
        """End the task that sends."""
        if self.task is not None:
            self.task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self.task
            self.task = None

    async def _send(self, text: bytes) -> None:
        try:
            await self.send(text_data=text.decode())
        except (OSError, RuntimeError) as error:
            # The server's words for a client that went away while we were sending.
            raise Left from error


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
