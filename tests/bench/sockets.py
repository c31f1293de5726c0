"""Browser tabs that watch a run, without the browser: ``python -m tests.bench.sockets URL ORIGIN COOKIE SOCKETS OUT``.

Waits until the run exists, reads everything until its end, and writes {"sockets": [[[monotonic seconds at receipt,
first seq, last seq], ...], ...], "bytes": n} to OUT. A gap or a repetition in the seqs is an error.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import websockets

if TYPE_CHECKING:
    from collections.abc import Iterator

NOT_FOUND = 4404
ENDED = ("finished", "failed", "cancelled")
SILENCE_SECONDS = 120.0
RETRY_SECONDS = 0.1


class Head(msgspec.Struct):
    """How many events there are, and the last cycle."""

    seq: int
    cycle: int = 0


class Message(msgspec.Struct):
    """What a socket brings, as far as it is looked at."""

    type: str
    state: str
    head: Head
    first: int = 0
    last: int = -1


_decode = msgspec.json.Decoder(Message).decode


class Tab:
    """One socket, which asks for the events from `first` on: the receipts of its batches, and the run's last cycle."""

    def __init__(self, url: str, origin: str, cookie: str, first: int = 0) -> None:
        self.url, self.origin, self.first = url, origin, first
        self.headers = {"Cookie": f"schedscope_session={cookie}"}
        self.receipts: list[tuple[float, int, int]] = []
        self.seen, self.bytes, self.cycle = first, 0, 0

    async def watch(self, exists: asyncio.Event) -> None:
        """Read until the run has ended and everything was received."""
        while not self.receipts:
            with contextlib.suppress(OSError):
                await self._visit(exists)
            await asyncio.sleep(RETRY_SECONDS)

    async def _visit(self, exists: asyncio.Event) -> None:
        connection = websockets.connect(
            self.url, additional_headers=self.headers, origin=websockets.Origin(self.origin), max_size=None
        )
        async with connection as socket:
            try:
                await socket.send(json.dumps({"from": self.first}))
                while True:
                    text = await asyncio.wait_for(socket.recv(decode=False), SILENCE_SECONDS)
                    exists.set()
                    if self._ends(text):
                        return
            except websockets.ConnectionClosed as closed:
                if closed.rcvd is None or closed.rcvd.code != NOT_FOUND or self.receipts:
                    raise

    def _ends(self, text: bytes) -> bool:
        now = time.monotonic()
        message = _decode(text)
        self.bytes += len(text)
        self.cycle = message.head.cycle
        if message.type == "batch":
            if message.first != self.seen:
                raise ValueError(f"a batch begins at seq {message.first}, the socket has everything before {self.seen}")
            self.seen = message.last + 1
            self.receipts.append((now, message.first, message.last))
        return message.state in ENDED and self.seen >= message.head.seq


@contextlib.contextmanager
def quiet_collector() -> Iterator[None]:
    """No passes of the garbage collector: the clients are the clock here."""
    import gc

    gc.disable()
    try:
        yield
    finally:
        gc.enable()


async def _watch_all(tabs: list[Tab]) -> None:
    """One tab looks for the run, the others come when it is there."""
    exists = asyncio.Event()
    first = asyncio.create_task(tabs[0].watch(exists))
    await asyncio.wait([first, asyncio.create_task(exists.wait())], return_when=asyncio.FIRST_COMPLETED)
    await asyncio.gather(first, *(tab.watch(exists) for tab in tabs[1:]))


def main(argv: list[str]) -> None:
    url, origin, cookie, sockets, out = argv
    tabs = [Tab(url, origin, cookie) for _ in range(int(sockets))]
    with quiet_collector():
        asyncio.run(_watch_all(tabs))
    figures = {"sockets": [tab.receipts for tab in tabs], "bytes": sum(tab.bytes for tab in tabs)}
    Path(out).write_text(json.dumps(figures))


if __name__ == "__main__":
    main(sys.argv[1:])
