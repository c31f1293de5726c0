"""Tells the other web processes who is in the rooms here, through the channel layer, and hears it from them.

A message holds all seats of one room in one process, so any later one makes up for one that was lost. They are sent
when something changed and as a heartbeat. Without a layer between processes there is one process, and nothing to tell.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from dashboard.common.processes.celery_workers import connection_errors
from dashboard.live.presence.board import PresenceBoard, Room, Seat, board

log = logging.getLogger(__name__)

GROUP = "live.people"
HEARTBEAT_SECONDS = 4.0
# At most this many messages on a room in a second, however many people move.
PAUSE_SECONDS = 0.05

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[Seat]).decode


class Relay:
    """One process's side: which rooms it still has to tell of, and the task that does."""

    def __init__(self, layer: Any, rooms: PresenceBoard) -> None:
        self.process = uuid.uuid4().hex
        self.layer, self.board = layer, rooms
        self.untold: set[Room] = set()
        self.has_untold = asyncio.Event()
        rooms.on_change = self.tell
        self.tasks = [asyncio.create_task(self._send_on()), asyncio.create_task(self._beat())]

    def tell(self, room: Room) -> None:
        """Send the seats of a room soon."""
        self.untold.add(room)
        self.has_untold.set()

    def tell_all(self) -> None:
        """Send the seats of all rooms soon."""
        for room in self.board.rooms:
            self.tell(room)

    async def take(self, message: dict[str, Any]) -> None:
        """Take what another process says, or answer one that has begun and knows nobody."""
        if message["process"] == self.process:
            return
        if message["type"] == "people.ask":
            self.tell_all()
        else:
            workspace_id, path = message["room"]
            self.board.take_remote((workspace_id, path), message["process"], _decode(message["seats"]))

    async def ask(self) -> None:
        """Have the others say who is there."""
        await self.layer.group_send(GROUP, {"type": "people.ask", "process": self.process})

    def stop(self) -> None:
        """End the tasks."""
        for task in self.tasks:
            task.cancel()

    async def _send_on(self) -> None:
        while True:
            await self.has_untold.wait()
            self.has_untold.clear()
            while self.untold:
                room = self.untold.pop()
                try:
                    await self._send(room)
                except connection_errors() as error:
                    # The next heartbeat tells it.
                    log.debug("other processes were not told who is here (%s)", error)
            await asyncio.sleep(PAUSE_SECONDS)

    async def _send(self, room: Room) -> None:
        seats = _encode(self.board.seats(room))
        message = {"type": "people.here", "process": self.process, "room": list(room), "seats": seats}
        await self.layer.group_send(GROUP, message)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            self.tell_all()
            self.board.forget_silent()


_relays: WeakKeyDictionary[asyncio.AbstractEventLoop, Relay] = WeakKeyDictionary()


async def begin(layer: Any) -> None:
    """Begin to tell and to hear, in this event loop; again after the layer was away."""
    loop = asyncio.get_running_loop()
    if loop not in _relays:
        _relays[loop] = Relay(layer, board())
    await _relays[loop].ask()
    _relays[loop].tell_all()


async def take(message: dict[str, Any]) -> None:
    """Hand on what another process said."""
    await _relays[asyncio.get_running_loop()].take(message)
