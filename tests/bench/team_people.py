"""People of a team at one run, without browsers: ``python -m tests.bench.team_people ORIGIN SLUG COOKIES OUT``.

COOKIES names a file with a session per person. Each has the two sockets of a page of the first run, and reads its
events from there to their end; meanwhile each opens pages, steps to the next cycle as the debugger does, and comments,
with THINK_SECONDS between two of these on average. Writes {"sockets": [[first seq, receipts as of
``tests.bench.sockets``], ...], "requests": [[what, seconds], ...], "cpu_share": of this process, "lags": [seconds that
this process was late, ...]} to OUT. An answer that is no success, a gap and a repetition are errors.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

import websockets

from tests.bench.sockets import Tab, quiet_collector

if TYPE_CHECKING:
    from collections.abc import Sequence

THINK_SECONDS = 10.0
ARRIVE_SECONDS = 30.0
"""People come one by one within this time."""
CSRF = "a" * 32
WEIGHTS = {"step": 6, "page": 3, "comment": 1}
PAGES = ("runs/1/", "runs/", "runs/1/events/", "runs/1/review/", "runs/1/outcomes/", "")
_HEAD = re.compile(rb'data-head="(\d+)"')
_LAG_SECONDS = 0.05
_CONNECT_SECONDS = 120.0


class Browser:
    """Requests of one person over one connection, which is made again where the server closed it (`again` times)."""

    def __init__(self, origin: str, cookie: str) -> None:
        address = urlsplit(origin)
        self.host, self.port = str(address.hostname), address.port
        self.headers = f"Host: {address.netloc}\r\nOrigin: {origin}\r\nX-CSRFToken: {CSRF}\r\n"
        self.headers += f"Cookie: schedscope_session={cookie}; schedscope_session_csrf={CSRF}\r\n"
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.again = 0

    async def ask(self, path: str, target: str = "", form: dict[str, Any] | None = None) -> bytes:
        """Return the answer's body. Raises ValueError where it is no success."""
        body = urlencode(form).encode() if form else b""
        headers = self.headers + (f"HX-Request: true\r\nHX-Target: {target}\r\n" if target else "")
        if form:
            headers += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
        head = f"{'POST' if form else 'GET'} {path} HTTP/1.1\r\n{headers}\r\n".encode()
        try:
            status, text = await self._ask(head + body)
        except (ConnectionError, asyncio.IncompleteReadError):
            # As browsers do: the server closed a connection that nobody used for a while, just as it was used again.
            self.streams, self.again = None, self.again + 1
            status, text = await self._ask(head + body)
        if status >= 400:
            raise ValueError(f"{path}: {status} {text[:500]!r}")
        return text

    async def _ask(self, request: bytes) -> tuple[int, bytes]:
        if self.streams is None or self.streams[0].at_eof():
            self.streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self.streams
        writer.write(request)
        return await _answer(reader)


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
    status = int(head[0].split()[1])
    if headers.get("transfer-encoding") != "chunked":
        return status, await reader.readexactly(int(headers.get("content-length", 0)))
    chunks = []
    while size := int(await reader.readline(), 16):
        chunks.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readexactly(2)
    return status, b"".join(chunks)


class Person:
    """One person: the sockets of a page, and requests until the run has ended; `cycle` is where they stand."""

    def __init__(self, origin: str, slug: str, cookie: str, index: int) -> None:
        self.sockets, self.here = f"{origin.replace('http', 'ws', 1)}/ws/w/{slug}/", f"/w/{slug}/"
        self.tab = Tab(f"{self.sockets}runs/1/", origin, cookie)
        self.browser, self.chance, self.cycle = Browser(origin, cookie), random.Random(index), 0
        self.requests: list[tuple[str, float]] = []

    async def work(self, exists: asyncio.Event) -> None:
        """Come as soon as the run exists, and stay until its events have all been received."""
        await exists.wait()
        await asyncio.sleep(self.chance.uniform(0, ARRIVE_SECONDS))
        page = await self._timed("page", self.browser.ask(f"{self.here}runs/1/"))
        # As the page's script does: it follows from where the page was made.
        head = _HEAD.search(page)
        self.tab.first = self.tab.seen = int(head[1]) if head else 0
        connection = websockets.connect(
            self.sockets,
            additional_headers=self.tab.headers,
            origin=websockets.Origin(self.tab.origin),
            max_size=None,
            open_timeout=_CONNECT_SECONDS,
        )
        async with connection as socket:
            await socket.send('{"type": "since"}')
            reading, watching = asyncio.create_task(_read(socket)), asyncio.create_task(self.tab.watch(exists))
            while not watching.done():
                what = self.chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
                await self._do(what, socket)
                await asyncio.wait([watching], timeout=THINK_SECONDS * self.chance.uniform(0.5, 1.5))
            await watching
            reading.cancel()

    async def _do(self, what: str, socket: Any) -> None:
        run = f"{self.here}runs/1/"
        if what == "page" or not self.tab.cycle:
            await self._timed("page", self.browser.ask(f"{self.here}{self.chance.choice(PAGES)}"))
        elif what == "step":
            self.cycle = self.cycle % self.tab.cycle + 1
            await socket.send(json.dumps({"type": "look", "path": "runs/1/", "query": f"cycle={self.cycle}"}))
            await self._timed("step", self.browser.ask(f"{run}?cycle={self.cycle}", target="main"))
        else:
            form = {"cycle": self.chance.randint(1, self.tab.cycle), "text": "Why **this** node?", "from": "run"}
            await self._timed("comment", self.browser.ask(f"{run}review/threads/new", "threads", form))

    async def _timed(self, what: str, asking: Any) -> bytes:
        began = time.monotonic()
        text: bytes = await asking
        self.requests.append((what, time.monotonic() - began))
        return text


async def _read(socket: Any) -> None:
    """Receive whatever comes, so that nothing waits."""
    async for _text in socket:
        pass


async def _lags(lags: list[float]) -> None:
    """Note how late this process gets to what is due: what it adds to each latency."""
    while True:
        began = time.monotonic()
        await asyncio.sleep(_LAG_SECONDS)
        lags.append(time.monotonic() - began - _LAG_SECONDS)


async def _exists(origin: str, slug: str, cookie: str, exists: asyncio.Event) -> None:
    browser = Browser(origin, cookie)
    while not exists.is_set():
        try:
            await browser.ask(f"/w/{slug}/runs/1/")
            exists.set()
        except ValueError:
            await asyncio.sleep(1)


async def _meet(origin: str, slug: str, cookies: Sequence[str]) -> dict[str, Any]:
    people = [Person(origin, slug, cookie, index) for index, cookie in enumerate(cookies)]
    exists, lags = asyncio.Event(), list[float]()
    await _exists(origin, slug, cookies[0], exists)
    began, cpu, lagging = time.monotonic(), time.process_time(), asyncio.create_task(_lags(lags))
    await asyncio.gather(*(person.work(exists) for person in people))
    lagging.cancel()
    return {
        "sockets": [[person.tab.first, person.tab.receipts] for person in people],
        "requests": [request for person in people for request in person.requests],
        "bytes": sum(person.tab.bytes for person in people),
        "cpu_share": (time.process_time() - cpu) / (time.monotonic() - began),
        "lags": lags,
        "asked_again": sum(person.browser.again for person in people),
    }


def main(argv: list[str]) -> None:
    origin, slug, cookies, out = argv
    with quiet_collector():
        figures = asyncio.run(_meet(origin, slug, json.loads(Path(cookies).read_text())))
    Path(out).write_text(json.dumps(figures))


if __name__ == "__main__":
    main(sys.argv[1:])
