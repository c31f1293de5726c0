"""Who is in the rooms of a workspace: every tab has a seat in one, and a person's newest seat there is what others see.

Each process keeps the seats of its own sockets, and what other processes last said of theirs (`relay.py`); these are
forgotten when their process was silent for too long, so one that dies leaves nobody behind. Changes are gathered for a
moment and sent as one message to all sockets of the room: who is new or moved, and who left. A seat stays for a moment
after its socket closed: people who only go on to another page do not flicker, and are seen to arrive there.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

import msgspec

from dashboard.live.presence.places import draft_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Movements within it are one message.
TICK_SECONDS = 0.1
# As long as a page takes to load.
LEAVING_SECONDS = 2.0
# A process that says nothing for so long has died: three of its heartbeats.
SILENCE_SECONDS = 12.0
PEOPLE_LIMIT = 200
"""At most this many people are named in a room, those who moved last."""

Room = tuple[int, str]
"""A workspace's id and a place (`places.room_of`)."""


class Seat(msgspec.Struct, frozen=True, array_like=True):
    """A tab: whose it is, where it is, when it last moved (wall seconds), what it points at: (node, plugin, column).

    `n_spots` counts what it pointed at so far, so that the same thing can be pointed at twice.
    """

    member: int
    name: str
    initials: str
    tone: str
    path: str
    query: str
    is_active: bool
    at: float
    spot: tuple[str, str, str] | None = None
    n_spots: int = 0

    def place(self) -> dict[str, str]:
        """Return where the person is, as it is sent to pages."""
        return {"path": self.path, "query": self.query}

    def shown(self) -> dict[str, Any]:
        """Return the person as it is sent to pages."""
        person = {"id": self.member, "name": self.name, "initials": self.initials, "tone": self.tone}
        spot = (
            dict(zip(("node", "plugin", "column"), self.spot, strict=True)) | {"n": self.n_spots} if self.spot else None
        )
        return person | self.place() | {"active": self.is_active, "spot": spot}


class Watcher(Protocol):
    """A socket in a room."""

    def hear(self, text: bytes) -> None:
        """Queue a message, in order."""


@dataclass
class RoomState:
    """Seats of this process by socket, of others by process with when they were heard of, and who is shown."""

    local: dict[Watcher, Seat] = field(default_factory=dict)
    leaving: set[Watcher] = field(default_factory=set)
    remote: dict[str, tuple[float, list[Seat]]] = field(default_factory=dict)
    shown: dict[int, dict[str, Any]] = field(default_factory=dict)
    is_due: bool = False

    def seats(self) -> Iterable[Seat]:
        """Yield all seats, those of other processes included."""
        yield from self.local.values()
        for _, theirs in self.remote.values():
            yield from theirs


class PresenceBoard:
    """The rooms as one event loop knows them; all of its methods are called in that loop."""

    def __init__(self, on_change: Callable[[Room], None] = lambda room: None) -> None:
        self.rooms: dict[Room, RoomState] = {}
        self.on_change = on_change

    def sit(self, room: Room, watcher: Watcher, seat: Seat) -> None:
        """Put the socket's seat there; one that was not in the room receives everybody."""
        self._end_leaving(room[0], seat.member)
        state = self.rooms.setdefault(room, RoomState())
        if watcher not in state.local:
            watcher.hear(self.everybody(room))
        state.local[watcher] = seat
        self._changed(room)

    def leave(self, room: Room, watcher: Watcher) -> None:
        """Tell the socket nothing more; its seat goes a moment later."""
        state = self.rooms.get(room)
        if state and watcher in state.local:
            state.leaving.add(watcher)
            asyncio.get_running_loop().call_later(LEAVING_SECONDS, self._remove, room, watcher)

    def everybody(self, room: Room) -> bytes:
        """Return the message that names everybody in the room, as the others received it last."""
        state = self.rooms.get(room)
        return _message(list(state.shown.values()) if state else [], [], is_all=True)

    def place_of(self, workspace_id: int, member: int) -> dict[str, str] | None:
        """Return {path, query} of where the member is in the workspace, None where they are in no room.

        People in a draft are seen by the others in it alone: it may be nobody else's to know of.
        """
        seats = (
            (room, seat)
            for (workspace, room), state in self.rooms.items()
            if workspace == workspace_id
            for seat in state.seats()
            if seat.member == member
        )
        room, newest = max(seats, key=lambda one: _order(one[1]), default=("", None))
        return newest.place() if newest and draft_in(room) is None else None

    def seats(self, room: Room) -> list[Seat]:
        """Return the seats of this process."""
        state = self.rooms.get(room)
        return list(state.local.values()) if state else []

    # ---------------------------------------------------------------- other processes

    def take_remote(self, room: Room, process: str, seats: Iterable[Seat]) -> None:
        """Take what another process says of its seats in a room: all of them, none where the room is empty there."""
        state = self.rooms.setdefault(room, RoomState())
        state.remote[process] = (time.monotonic(), list(seats))
        self._due(room, state)

    def forget_silent(self) -> None:
        """Drop what was said by processes that have been silent for too long."""
        before = time.monotonic() - SILENCE_SECONDS
        for room, state in list(self.rooms.items()):
            silent = [process for process, (heard, _) in state.remote.items() if heard < before]
            for process in silent:
                del state.remote[process]
            if silent:
                self._due(room, state)

    # ---------------------------------------------------------------- what changed

    def _end_leaving(self, workspace_id: int, member: int) -> None:
        """Note that somebody who arrives somewhere has left where they were leaving."""
        for room, state in list(self.rooms.items()):
            if room[0] == workspace_id:
                for watcher in [one for one in state.leaving if state.local[one].member == member]:
                    self._remove(room, watcher)

    def _remove(self, room: Room, watcher: Watcher) -> None:
        state = self.rooms.get(room)
        if state and watcher in state.leaving:
            state.leaving.discard(watcher)
            del state.local[watcher]
            self._changed(room)

    def _changed(self, room: Room) -> None:
        self.on_change(room)
        self._due(room, self.rooms[room])

    def _due(self, room: Room, state: RoomState) -> None:
        if not state.is_due:
            state.is_due = True
            asyncio.get_running_loop().call_later(TICK_SECONDS, self._send_changes, room)

    def _send_changes(self, room: Room) -> None:
        state = self.rooms[room]
        state.is_due = False
        people = _people(state)
        moved = [person for member, person in people.items() if state.shown.get(member) != person]
        left = [{"id": one, "to": self.place_of(room[0], one)} for one in state.shown if one not in people]
        state.shown = people
        if moved or left:
            text = _message(moved, left)
            for watcher in state.local.keys() - state.leaving:
                watcher.hear(text)
        if not state.local and not any(theirs for _, theirs in state.remote.values()):
            del self.rooms[room]


def _order(seat: Seat) -> tuple[bool, float]:
    """A seat in the foreground before those in the background, the newest of them."""
    return seat.is_active, seat.at


def _people(state: RoomState) -> dict[int, dict[str, Any]]:
    """Return {member: as shown} by each one's newest seat."""
    newest = {seat.member: seat for seat in sorted(state.seats(), key=_order)}
    shown = sorted(newest.values(), key=_order, reverse=True)[:PEOPLE_LIMIT]
    return {seat.member: seat.shown() for seat in shown}


def _message(here: list[dict[str, Any]], left: list[dict[str, Any]], *, is_all: bool = False) -> bytes:
    return msgspec.json.encode({"type": "people", "here": here, "left": left, "all": is_all})


_boards: WeakKeyDictionary[asyncio.AbstractEventLoop, PresenceBoard] = WeakKeyDictionary()


def board() -> PresenceBoard:
    """Return the board of the running event loop: a web process has one."""
    return _boards.setdefault(asyncio.get_running_loop(), PresenceBoard())
