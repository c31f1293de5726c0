"""The tailer's hubs without a thread: what is sent whole, who gets what, what a socket that came anew is spared."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from dashboard.live import tailer
from dashboard.live.heads import RunProgress
from dashboard.live.tailer import EVENTS_PER_SECOND, Hub, SocketMessage, Subscriber, Tailer

STANDING = ("running", False)


@pytest.fixture
def clock(monkeypatch):
    """The seconds that the tailer sees; a list of one number."""
    now = [100.0]
    monkeypatch.setattr(tailer, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_the_budget_of_whole_events_is_filled_up_again_with_time(clock):
    hub = Hub(0, STANDING, filled_at=clock[0])
    assert hub.admits(EVENTS_PER_SECOND)
    assert not hub.admits(1), "all of it is used"
    clock[0] += 0.5
    assert hub.admits(EVENTS_PER_SECOND // 2)
    assert not hub.admits(1)
    clock[0] += 60
    assert hub.admits(EVENTS_PER_SECOND)
    assert not hub.admits(1), "it never grows beyond a second's worth"


def test_what_is_refused_costs_nothing(clock):
    hub = Hub(0, STANDING, filled_at=clock[0])
    assert not hub.admits(EVENTS_PER_SECOND + 1)
    assert hub.admits(EVENTS_PER_SECOND)


# ---------------------------------------------------------------- handing out


def progress(seq, state="running"):
    """Return where run 7 stands."""
    return RunProgress(
        run_id=7, seq=seq, cycle=1, at_us=0, state=state, is_pausing=False, error="", finish_reason="", access_version=1
    )


class Still(Tailer):
    """A tailer whose thread ends at once; what it reads is given, and something may happen while it reads."""

    def __init__(self, meanwhile=lambda: None):
        super().__init__()
        self.meanwhile = meanwhile

    def _run(self):
        return

    def _outgoing(self, hub, seq, progress):
        self.meanwhile()
        return [SocketMessage(f"{seq} to {progress.seq}".encode(), progress.seq)]


def test_who_is_there_gets_what_is_new():
    async def visit():
        still, subscriber = Still(), Subscriber(7, 1)
        assert still.join(subscriber, 10, progress(10)).seq == 10
        still._advance(7, progress(20))
        await asyncio.wait_for(subscriber.changed.wait(), 5)
        return [message.text for message in subscriber.outgoing], still.join(Subscriber(7, 1), 20, progress(20)).seq

    assert asyncio.run(visit()) == ([b"10 to 20"], 20)


def test_a_socket_that_came_anew_while_the_thread_read_gets_nothing_from_before_its_seq():
    """The only socket leaves and another comes further on: the batch that was read for the first is for nobody."""

    async def visit():
        first, second, joined = Subscriber(7, 1), Subscriber(7, 1), []

        def swap():
            still.leave(first)
            joined.append(still.join(second, 40, progress(40)))

        still = Still(swap)
        still.join(first, 10, progress(10))
        still._advance(7, progress(20))
        still.meanwhile = lambda: None
        still._advance(7, progress(50))
        await asyncio.wait_for(second.changed.wait(), 5)
        return (
            joined[0].seq,
            [message.text for message in first.outgoing],
            [message.text for message in second.outgoing],
        )

    assert asyncio.run(visit()) == (40, [], [b"40 to 50"])
