"""Rooms without sockets: who is shown to whom, and when they are gone."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from dashboard.live.presence import board as board_module
from dashboard.live.presence.board import PresenceBoard, Seat

ROOM, OTHER = (1, "runs/7"), (1, "reviews/3")


class Watcher:
    """A socket that keeps what it hears."""

    def __init__(self):
        self.heard = []

    def hear(self, text):
        """Keep it."""
        self.heard.append(msgspec.json.decode(text))

    def ids(self):
        """Return the ids of all that are here by now."""
        here = set()
        for message in self.heard:
            here = (set() if message["all"] else here) - {one["id"] for one in message["left"]}
            here |= {one["id"] for one in message["here"]}
        return here


def seat(member, path="runs/7/", at=1.0, is_active=True, **more):
    """A seat of a member."""
    return Seat(member, f"Member {member}", "M", "a", path, "", is_active, at, **more)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Everything takes hundredths of a second."""
    monkeypatch.setattr(board_module, "TICK_SECONDS", 0.01)
    monkeypatch.setattr(board_module, "LEAVING_SECONDS", 0.03)


def within(scene):
    """Run a coroutine function with a new board."""

    async def visit():
        return await scene(PresenceBoard())

    return asyncio.run(visit())


async def settled():
    """Wait until everything that was put off has happened."""
    loop = asyncio.get_running_loop()
    while loop._scheduled:
        await asyncio.sleep(0.01)
        if all(one.cancelled() for one in loop._scheduled):
            return


def test_everybody_in_a_room_is_shown_to_all_of_it_and_to_nobody_else():
    async def scene(board):
        first, second, elsewhere = Watcher(), Watcher(), Watcher()
        board.sit(ROOM, first, seat(1))
        await settled()
        board.sit(ROOM, second, seat(2))
        board.sit((2, "runs/7"), elsewhere, seat(3))
        await settled()
        return first, second, elsewhere

    first, second, elsewhere = within(scene)
    assert second.heard[0]["all"]
    assert [one["name"] for one in second.heard[0]["here"]] == ["Member 1"]
    assert first.ids() == second.ids() == {1, 2}
    assert elsewhere.ids() == {3}


def test_moves_within_a_moment_are_one_message():
    async def scene(board):
        watcher, mover = Watcher(), Watcher()
        board.sit(ROOM, watcher, seat(1))
        board.sit(ROOM, mover, seat(2))
        await settled()
        before = len(watcher.heard)
        for at in range(2, 50):
            board.sit(ROOM, mover, seat(2, path=f"runs/7/{at}/", at=float(at)))
        await settled()
        return watcher.heard[before:]

    (message,) = within(scene)
    assert [one["path"] for one in message["here"]] == ["runs/7/49/"]


def test_a_persons_newest_tab_in_the_foreground_is_shown_once():
    async def scene(board):
        watcher = Watcher()
        board.sit(ROOM, watcher, seat(1))
        board.sit(ROOM, Watcher(), seat(2, path="runs/7/why/", at=5.0))
        board.sit(ROOM, Watcher(), seat(2, path="runs/7/events/", at=9.0, is_active=False))
        await settled()
        return watcher.heard[-1]["here"]

    assert {one["id"]: one["path"] for one in within(scene)}[2] == "runs/7/why/"


def test_whoever_leaves_is_gone_a_moment_later_and_whoever_comes_back_is_never_missed():
    async def scene(board):
        watcher, leaver, reloader = Watcher(), Watcher(), Watcher()
        for member, one in enumerate((watcher, leaver, reloader), 1):
            board.sit(ROOM, one, seat(member))
        await settled()
        before = len(watcher.heard)
        board.leave(ROOM, leaver)
        board.leave(ROOM, reloader)
        board.sit(ROOM, Watcher(), seat(3))
        await settled()
        return watcher.ids(), [one["left"] for one in watcher.heard[before:] if one["left"]]

    ids, left = within(scene)
    assert ids == {1, 3}
    assert left == [[{"id": 2, "to": None}]]


def test_whoever_goes_elsewhere_is_told_with_where_to():
    async def scene(board):
        watcher, leaver = Watcher(), Watcher()
        board.sit(ROOM, watcher, seat(1))
        board.sit(ROOM, leaver, seat(2))
        await settled()
        board.leave(ROOM, leaver)
        board.sit(OTHER, Watcher(), seat(2, path="reviews/3/"))
        await settled()
        return watcher.heard[-1]["left"], board.place_of(1, 2), board.place_of(2, 2)

    left, place, elsewhere = within(scene)
    assert left == [{"id": 2, "to": {"path": "reviews/3/", "query": ""}}]
    assert (place, elsewhere) == ({"path": "reviews/3/", "query": ""}, None)


def test_what_other_processes_say_is_forgotten_when_they_are_silent(monkeypatch):
    async def scene(board):
        watcher = Watcher()
        board.sit(ROOM, watcher, seat(1))
        board.take_remote(ROOM, "other", [seat(2), seat(3)])
        await settled()
        with_both = watcher.ids()
        board.take_remote(ROOM, "other", [seat(3)])
        await settled()
        with_one = watcher.ids()
        monkeypatch.setattr(board_module, "SILENCE_SECONDS", -1.0)
        board.forget_silent()
        await settled()
        return with_both, with_one, watcher.ids()

    assert within(scene) == ({1, 2, 3}, {1, 3}, {1})


def test_empty_rooms_are_dropped():
    async def scene(board):
        watcher = Watcher()
        board.sit(ROOM, watcher, seat(1))
        board.take_remote(OTHER, "other", [seat(2)])
        await settled()
        board.leave(ROOM, watcher)
        board.take_remote(OTHER, "other", [])
        await settled()
        return board.rooms

    assert within(scene) == {}


def test_a_crowd_is_named_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(board_module, "PEOPLE_LIMIT", 3)

    async def scene(board):
        watcher = Watcher()
        for member in range(1, 9):
            board.sit(ROOM, watcher if member == 8 else Watcher(), seat(member, at=float(member)))
        await settled()
        return watcher.ids()

    assert within(scene) == {6, 7, 8}
