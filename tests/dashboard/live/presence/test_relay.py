"""Two web processes that share a channel layer: each shows the other's people."""

from __future__ import annotations

import asyncio

from dashboard.live.presence import board as board_module
from dashboard.live.presence import relay
from dashboard.live.presence.board import PresenceBoard, Seat
from dashboard.live.presence.relay import Relay

ROOM = (1, "runs/7")


class Layer:
    """Hands what one process sends to all of them, as long as it is not cut off."""

    def __init__(self):
        self.relays = []
        self.is_cut = False

    async def group_send(self, group, message):
        """Hand it on."""
        assert group == relay.GROUP
        if self.is_cut:
            raise OSError("the layer is away")
        for one in self.relays:
            await one.take(message)


class Deaf:
    """A socket that keeps nothing."""

    def hear(self, text):
        """Drop it."""


def seat(member):
    """A seat of a member."""
    return Seat(member, "Asha", "A", "a", "runs/7/", "", True, 1.0)


def members(board):
    """Return who is in the room, as this process knows."""
    state = board.rooms.get(ROOM)
    return sorted(one.member for one in state.seats()) if state else []


async def until(condition):
    """Wait until it holds."""
    while not condition():
        await asyncio.sleep(0.005)


def with_two(scene, monkeypatch):
    """Run a coroutine function with a layer and the boards of two processes."""
    monkeypatch.setattr(relay, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(board_module, "TICK_SECONDS", 0.01)
    monkeypatch.setattr(board_module, "LEAVING_SECONDS", 0.01)

    async def visit():
        layer, boards = Layer(), [PresenceBoard(), PresenceBoard()]
        layer.relays = [Relay(layer, one) for one in boards]
        try:
            return await scene(layer, *boards)
        finally:
            for one in layer.relays:
                one.stop()

    return asyncio.run(visit())


def test_people_of_one_process_are_shown_in_the_other_until_they_leave(monkeypatch):
    async def scene(layer, one, other):
        watcher = Deaf()
        one.sit(ROOM, watcher, seat(4))
        await until(lambda: members(other) == [4])
        one.leave(ROOM, watcher)
        await until(lambda: members(other) == [])
        return members(one)

    assert with_two(scene, monkeypatch) == []


def test_a_message_that_was_lost_is_made_up_for_by_the_next(monkeypatch):
    async def scene(layer, one, other):
        layer.is_cut = True
        one.sit(ROOM, Deaf(), seat(4))
        await asyncio.sleep(0)
        await until(lambda: not layer.relays[0].untold)
        layer.is_cut = False
        await until(lambda: members(other) == [4])
        return members(one)

    assert with_two(scene, monkeypatch) == [4]


def test_a_process_that_begins_is_told_who_is_there(monkeypatch):
    async def scene(layer, one, other):
        one.sit(ROOM, Deaf(), seat(4))
        late = PresenceBoard()
        begun = Relay(layer, late)
        layer.relays.append(begun)
        await begun.ask()
        await until(lambda: members(late) == [4])
        return members(late)

    assert with_two(scene, monkeypatch) == [4]


def test_people_of_a_process_that_died_are_forgotten(monkeypatch):
    monkeypatch.setattr(board_module, "SILENCE_SECONDS", 0.2)

    async def scene(layer, one, other):
        one.sit(ROOM, Deaf(), seat(4))
        await until(lambda: members(other) == [4])
        layer.relays[0].stop()
        await until(lambda: members(other) == [])
        return members(one)

    assert with_two(scene, monkeypatch) == [4]
