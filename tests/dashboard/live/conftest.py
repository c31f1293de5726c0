"""Runs to watch, sockets as browsers open them, and a worker in a thread."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from django.conf import settings
from django.db import connection

from dashboard.asgi import application
from dashboard.runs import execution, sessions
from tests.dashboard.runs.conftest import again, launch, messages, save  # noqa: F401
from tests.patience import PATIENCE
from tests.sockets import SocketClient


class Browser(SocketClient):
    """A tab that watches a run: what it has received."""

    def __init__(self, person, run, origin="http://localhost", slug="team"):
        cookie = person.cookies.get(settings.SESSION_COOKIE_NAME)
        path = f"/ws/w/{slug}/runs/{run.number}/"
        super().__init__(application, path, origin=origin, session=cookie.value if cookie else "")
        self.batches, self.statuses = [], []

    async def start(self, seq=0):
        """Connect and ask from `seq` on."""
        assert await self.connect() is None
        await self.send({"from": seq})

    async def send_text(self, text):
        """Send text as it is."""
        await self._communicator.send_input({"type": "websocket.receive", "text": text})

    async def take(self, timeout=PATIENCE):
        """Receive one message; return it, or the close code."""
        message = await self.receive(timeout)
        if isinstance(message, dict):
            (self.batches if message["type"] == "batch" else self.statuses).append(message)
        return message

    async def take_until(self, seq):
        """Receive until everything before `seq` is there."""
        while not self.batches or self.batches[-1]["last"] + 1 < seq:
            assert isinstance(await self.take(), dict)


class Worker(threading.Thread):
    """Executes waiting runs, with a pause behind each slice so that watchers see it grow."""

    def __init__(self, monkeypatch, cycles, pause):
        super().__init__(daemon=True)
        advance = sessions.RunSession.advance

        def slowly(session, *limits):
            time.sleep(pause)
            return advance(session, max_cycles=cycles)

        monkeypatch.setattr(sessions.RunSession, "advance", slowly)

    def run(self):
        """Work until nothing waits."""
        try:
            while execution.work():
                pass
        finally:
            connection.close()


@pytest.fixture
def worker(monkeypatch):
    """A function that starts a worker; it has ended when the test is over."""
    started = []

    def start(cycles=10, pause=0.02):
        started.append(Worker(monkeypatch, cycles, pause))
        started[-1].start()
        return started[-1]

    yield start
    for thread in started:
        thread.join(30)
        assert not thread.is_alive()


@pytest.fixture
def in_loop():
    """A function that runs a coroutine to its end, in a loop of its own."""
    return asyncio.run
