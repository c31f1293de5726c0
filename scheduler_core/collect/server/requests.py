"""Requests to an API server: tried again where that helps, with the waits that the server asks for, and counted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
import msgspec

from scheduler_core.collect.gaps import GapLedger
from scheduler_core.collect.server.connection import Connection, NoServer
from scheduler_core.collect.server.pace import Pace
from scheduler_core.manifests.bundle.model import BundleGap
from scheduler_core.manifests.model import printable

MOST_BYTES = 64 << 20
"""Of an answer that is read whole."""
_MOST_OF_STATUS = 1 << 16
_LONGEST_TEXT = 300
_AGAIN = frozenset((408, 429, 500, 502, 503, 504))


class Denied(Exception):
    """403: the rights do not reach."""


class NotServed(Exception):
    """404: the server does not know it."""


class Gone(Exception):
    """410: the version, or the rest of the list, is no longer there."""


class Refused(Exception):
    """Another answer that trying again does not change; ``status`` is its number."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Away(Exception):
    """No usable answer for as long as was allowed; the text has the last reason."""


class AnswerTooLarge(Refused):
    """The answer has more than MOST_BYTES."""

    def __init__(self, most: int) -> None:
        super().__init__(200, f"an answer has more than {most >> 20} MiB")


class _Message(msgspec.Struct):
    message: str = ""


class Requester:
    """Sends requests over a connection. ``clock``: seconds since 1970, for the times of gaps."""

    def __init__(self, way: Connection, pace: Pace, ledger: GapLedger, clock: Callable[[], float] = time.time) -> None:
        self.n_requests = 0
        self._way = way
        self._pace = pace
        self._ledger = ledger
        self._clock = clock

    async def read(
        self, path: str, params: Mapping[str, str] | None = None, kind: str = "", patience: float = 0
    ) -> bytes:
        """The body of a 200, at most MOST_BYTES. Raises as ``stream``, and AnswerTooLarge; a body that breaks off is
        asked for again."""
        failures = _Failures(self, kind, patience)
        while True:
            try:
                async with self.stream(path, params, kind=kind, patience=patience) as response:
                    body = await _body(response, MOST_BYTES)
                failures.end()
                return body
            except (httpx.TransportError, httpx.DecodingError) as problem:
                await failures.wait(_words(problem), "no connection", is_of_server=True)

    async def value(self, path: str, params: Mapping[str, str] | None = None, patience: float = 0) -> Any:
        """The JSON of a 200. Raises as ``read``, and Refused where it is no JSON."""
        body = await self.read(path, params, patience=patience)
        try:
            return msgspec.json.decode(body)
        except (msgspec.MsgspecError, RecursionError):
            raise Refused(200, f"{path} answers with something else than JSON") from None

    @asynccontextmanager
    async def stream(
        self,
        path: str,
        params: Mapping[str, str] | None = None,
        *,
        kind: str = "",
        patience: float = 0,
        silence: float = 0,
    ) -> AsyncIterator[httpx.Response]:
        """A response 200, to be read inside of the block, where reading may raise httpx.TransportError.

        429, 5xx, lost connections and 401 are tried again: for ever, or for ``patience`` seconds, after which Away is
        raised. Raises Denied, NotServed, Gone and Refused by the status. ``silence``: the longest inside of it.
        """
        failures = _Failures(self, kind, patience)
        while True:
            response = await self._sent(path, params, failures, silence or self._pace.answer)
            if response is None:
                continue
            try:
                if response.status_code == 200:
                    failures.end()
                    yield response
                    return
                reason = await _reason(response)
            finally:
                await response.aclose()
            await self._after(response, reason, failures)

    async def _sent(
        self, path: str, params: Mapping[str, str] | None, failures: _Failures, silence: float
    ) -> httpx.Response | None:
        """The response, or None after a wait where there is none."""
        seen = self._way.generation
        timeout = httpx.Timeout(self._pace.answer, read=silence, pool=None)
        try:
            client, headers = self._way.client, self._way.headers()
            request = client.build_request("GET", path, params=params, headers=headers, timeout=timeout)
            self.n_requests += 1
            return await client.send(request, stream=True)
        except (httpx.TransportError, NoServer, RuntimeError) as problem:
            # RuntimeError: a client that another task's renewal has closed.
            await failures.wait(_words(problem), "no connection", is_of_server=True)
            if isinstance(problem, httpx.ConnectError | NoServer):
                await self._renew(seen)
            return None

    async def _after(self, response: httpx.Response, reason: str, failures: _Failures) -> None:
        status = response.status_code
        if status == 401:
            seen = self._way.generation
            await failures.wait(f"401: {reason}", "401", is_of_server=True)
            await self._renew(seen)
        elif status == 403:
            raise Denied(reason)
        elif status in (404, 405):
            raise NotServed(reason)
        elif status == 410:
            raise Gone(reason)
        elif status in _AGAIN:
            asked_for = self._pace.asked_for(response.headers.get("Retry-After", ""))
            await failures.wait(f"{status}: {reason}", str(status), is_of_server=False, at_least=asked_for)
        else:
            raise Refused(status, f"{status}: {reason}")

    async def _renew(self, seen: int) -> None:
        try:
            await self._way.renew(seen)
        except NoServer:
            return  # The next request fails for the same reason, and says so.


class _Failures:
    """Failures in a row of one request; after more than ``pace.away`` seconds they are a gap."""

    def __init__(self, requester: Requester, kind: str, patience: float) -> None:
        self._requester = requester
        self._kind = kind
        self._patience = patience
        self._since: float | None = None
        self._began = time.monotonic()
        self._n = 0
        self._sort, self._is_of_server = "", False

    async def wait(self, reason: str, sort: str, *, is_of_server: bool, at_least: float = 0) -> None:
        """Wait after a failure; ``sort`` is what the bundle says of it, as reasons may name people and addresses.
        Raises Away when patience ends."""
        pace = self._requester._pace
        self._n += 1
        self._sort, self._is_of_server = sort, is_of_server
        if self._since is None:
            self._since = self._requester._clock()
        if self._patience and time.monotonic() - self._began > self._patience:
            raise Away(reason)
        await asyncio.sleep(max(at_least, pace.after_failure(self._n)))

    def end(self) -> None:
        """Note the gap, where it was one, as there is an answer again."""
        since, self._since, self._n = self._since, None, 0
        now = self._requester._clock()
        if since is None or now - since < self._requester._pace.away:
            return
        kind = "" if self._is_of_server else self._kind
        of = f" for {kind}" if kind else ""
        text = f"the server did not answer{of} ({self._sort}); changes came later, with the times of their receipt"
        gap = BundleGap(code="SERVER_AWAY", text=text, kind=kind, since=since, until=now)
        self._requester._ledger.add(gap)


async def _body(response: httpx.Response, most: int) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > most:
            raise AnswerTooLarge(most)
    return bytes(body)


async def _reason(response: httpx.Response) -> str:
    """The message of a Status, or the first line of another body."""
    try:
        body = await _body(response, _MOST_OF_STATUS)
    except (httpx.HTTPError, AnswerTooLarge):
        body = b""
    try:
        text = msgspec.json.decode(body, type=_Message).message
    except msgspec.MsgspecError:
        text = body.decode("utf-8", "replace").partition("\n")[0]
    return printable(text[:_LONGEST_TEXT]) or response.reason_phrase


def _words(problem: Exception) -> str:
    return printable(str(problem)[:_LONGEST_TEXT]) or type(problem).__name__
