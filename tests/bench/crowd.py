"""People at one run, without the browser: ``python -m tests.bench.crowd URL ORIGIN COOKIES SECONDS``.

COOKIES names a file with a session per person. Each moves once a second; every other one notes when it hears of it.
What somebody writes for all of them (topics "bench:<monotonic seconds>" of the feed) is noted likewise. Prints
{"moves": [seconds until heard, ...], "changes": [...], "waiting": [reviews that each was told wait for them], "people":
n, "bytes": n}. A move or a change that somebody never heard of is an error.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import websockets

from tests.bench.sockets import quiet_collector

if TYPE_CHECKING:
    from collections.abc import Sequence

PATIENCE = 120.0
MOVES_PER_SECOND = 1.0
_decode = msgspec.json.Decoder().decode


class Visitor:
    """A person's page: what it heard of whom, and when."""

    def __init__(self, crowd: Crowd, index: int, cookie: str) -> None:
        self.crowd, self.index = crowd, index
        self.headers = {"Cookie": f"schedscope_session={cookie}"}
        self.topics: dict[str, float] = {}
        self.heard: dict[str, float] = {}
        self.bytes = self.waiting = 0

    async def visit(self, url: str, origin: str) -> None:
        """Connect, look at the run, move once a second, and hear all the while."""
        connection = websockets.connect(
            url,
            additional_headers=self.headers,
            origin=websockets.Origin(origin),
            max_size=None,
            open_timeout=PATIENCE,
        )
        async with connection as socket:
            await socket.send('{"type": "since"}')
            hearing = asyncio.create_task(self._hear(socket))
            await self._move(socket, 0)
            await self.crowd.all_are_here(self)
            # Not all in the same moment.
            await asyncio.sleep(self.index / self.crowd.size / MOVES_PER_SECOND)
            for move in range(1, self.crowd.moves + 1):
                await self._move(socket, move)
                await asyncio.sleep(1 / MOVES_PER_SECOND)
            await self.crowd.all_was_heard()
            hearing.cancel()

    async def _move(self, socket: Any, move: int) -> None:
        query = f"seq={self.index}.{move}"
        self.crowd.moved[query] = time.monotonic()
        await socket.send(json.dumps({"type": "look", "path": "runs/1/", "query": query}))

    async def _hear(self, socket: Any) -> None:
        while True:
            text = await socket.recv(decode=False)
            now = time.monotonic()
            self.bytes += len(text)
            message = _decode(text)
            if message["type"] == "people":
                for person in message["here"]:
                    self.heard.setdefault(person["query"], now)
            elif message["type"] == "changes":
                self.waiting = message["counts"].get("inbox", 0)
                for topic in message["topics"] or ():
                    if topic.startswith("bench:"):
                        self.topics.setdefault(topic, now)


class Crowd:
    """Everybody, and when each of them moved."""

    def __init__(self, cookies: Sequence[str], seconds: float) -> None:
        self.moves = int(seconds * MOVES_PER_SECOND)
        self.moved: dict[str, float] = {}
        self.visitors = [Visitor(self, index, cookie) for index, cookie in enumerate(cookies)]

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.visitors)

    async def all_are_here(self, visitor: Visitor) -> None:
        """Wait until the visitor has heard of everybody's first look, and of a change."""
        first = [f"seq={one.index}.0" for one in self.visitors]
        await _until(lambda: bool(visitor.topics) and all(query in visitor.heard for query in first))

    async def all_was_heard(self) -> None:
        """Wait until everybody has heard of the last move of each."""
        last = [f"seq={one.index}.{self.moves}" for one in self.visitors]
        await _until(lambda: all(query in one.heard for one in self.visitors for query in last))

    def figures(self) -> dict[str, Any]:
        """What is printed. Raises ValueError for a change that somebody never heard of."""
        # Of moves that follow each other at once only the last is told; at one a second all are.
        began = [query for query in self.moved if not query.endswith(".0")]
        moves = [one.heard[query] - self.moved[query] for one in self.visitors for query in began if query in one.heard]
        spans = [sorted(float(name[6:]) for name in one.topics) for one in self.visitors]
        if not all(spans):
            raise ValueError("somebody heard of no change")
        # Everybody was there between the last one's first change and the first one's last.
        since, until = max(span[0] for span in spans), min(span[-1] for span in spans)
        written = {name for one in self.visitors for name in one.topics}
        counted = [name for name in written if since <= float(name[6:]) <= until]
        missing = sum(name not in one.topics for one in self.visitors for name in counted)
        if missing or not counted:
            raise ValueError(f"{missing} of {len(counted)} changes were not told to somebody")
        changes = [one.topics[name] - float(name[6:]) for one in self.visitors for name in counted]
        expected = len(began) * self.size
        return {
            "moves": moves,
            "changes": changes,
            "heard_share": len(moves) / expected,
            "waiting": [one.waiting for one in self.visitors],
            "people": self.size,
            "bytes": sum(one.bytes for one in self.visitors),
        }

    async def meet(self, url: str, origin: str) -> None:
        """Let everybody visit."""
        await asyncio.gather(*(one.visit(url, origin) for one in self.visitors))


async def _until(condition: Any) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise ValueError(f"somebody did not hear of everybody within {PATIENCE} s")
        await asyncio.sleep(0.05)


def main(argv: list[str]) -> None:
    url, origin, cookies, seconds = argv
    crowd = Crowd(json.loads(Path(cookies).read_text()), float(seconds))
    with quiet_collector():
        asyncio.run(crowd.meet(url, origin))
    print(json.dumps(crowd.figures()))


if __name__ == "__main__":
    main(sys.argv[1:])
