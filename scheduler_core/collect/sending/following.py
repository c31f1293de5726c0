"""Sends what is collected to a workspace while it goes on, in pieces, each until it is acknowledged.

The journal is the queue: a piece is a range of its lines, whose end is noted before it is sent. So a piece that is sent
again, in this process or in one that resumes, has the same lines.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Literal
from urllib.parse import urlsplit

import httpx
import msgspec

from scheduler_core.collect.journal import FILES, FULL, Journal
from scheduler_core.collect.sending.address import is_this_machine
from scheduler_core.collect.server.pace import Pace
from scheduler_core.manifests.bundle.model import PIECES, BundleMeta
from scheduler_core.manifests.bundle.pieces import PieceHead, PieceLine, encoded
from scheduler_core.manifests.model import printable

PIECE_BYTES, PIECE_LINES = 4 << 20, 20_000
"""Of a piece, inflated: well below what receivers take."""
HEARTBEAT_SECONDS = 30.0
"""A piece without lines is sent as often, so that the receiver knows that nothing changed."""
SPOOL_BYTES = 64 << 20
"""What is acknowledged is removed from a journal that nobody keeps, beyond this size."""
_LAST_SECONDS = 20.0
_MOST_ANSWER_BYTES = 4_096


class NotFollowed(Exception):
    """Nothing more can be sent; the text says why and what to do."""


class PieceEnd(msgspec.Struct, frozen=True):
    """Where a piece ends in each of FILES."""

    number: int
    ends: tuple[int, int, int]
    is_listed: bool = False


class _Answer(msgspec.Struct):
    """``next``: the piece that is expected, None where none of this collection is taken; ``collection``: the one whose
    pieces are taken then, "" where there is none."""

    next: int | None
    collection: str = ""


class PieceSender:
    """Sends pieces of a journal. ``token`` gives the token of the next request; ``meta`` the bundle's meta as of now;
    ``is_listed`` whether every kind has been listed. ``keeps``: the journal is kept as a file."""

    def __init__(  # noqa: PLR0913
        self,
        url: str,
        token: Callable[[], str],
        journal: Journal,
        collection: str,
        meta: Callable[[], BundleMeta],
        *,
        is_listed: Callable[[], bool],
        pace: Pace,
        keeps: bool,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.n_acknowledged = 0
        self._url = url
        self._token = token
        self._journal = journal
        self._collection = collection
        self._meta = meta
        self._is_listed = is_listed
        self._pace = pace
        self._keeps = keeps
        self._ends: dict[int, PieceEnd] = {}
        self._next = 0
        self._first = 0
        # The next piece may have been received already, as one that is not the last.
        self._is_unanswered = False
        self._listed_at: tuple[int, ...] | None = None
        self._most_bytes, self._most_lines = PIECE_BYTES, PIECE_LINES
        self._stopping = asyncio.Event()
        is_local = is_this_machine(urlsplit(url).hostname or "")
        self._client = httpx.AsyncClient(transport=transport, trust_env=not is_local, follow_redirects=False)

    def resume(self) -> None:
        """Go on from the pieces of an earlier process; the last of them may not have been acknowledged."""
        path = self._journal.folder / PIECES
        if not path.exists():
            return
        for line in path.read_bytes().split(b"\n"):
            with contextlib.suppress(msgspec.MsgspecError):
                end = msgspec.json.decode(line, type=PieceEnd)
                self._ends[end.number], self._next, self._is_unanswered = end, end.number, True

    async def run(self) -> None:
        """Send until ``finish``. Raises NotFollowed."""
        idle = 0.0
        while not self._stopping.is_set():
            if self._is_new() or idle >= HEARTBEAT_SECONDS:
                await self._send(is_last=False)
                idle = 0.0
                if self._is_new():
                    continue
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), self._pace.piece)
            idle += self._pace.piece

    async def finish(self) -> bool:
        """Send what is left, and that all is sent; whether it was acknowledged in some seconds. Raises NotFollowed."""
        try:
            async with asyncio.timeout(_LAST_SECONDS):
                while self._is_unanswered or self._is_new(beyond_one=True):
                    await self._send(is_last=False)
                await self._send(is_last=True)
                return True
        except TimeoutError:
            return False

    def stop(self) -> None:
        """Let ``run`` return after the piece that it is sending."""
        self._stopping.set()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    # ------------------------------------------------------------ pieces

    def _start(self, number: int) -> tuple[int, int, int]:
        before = self._ends.get(number - 1)
        return before.ends if before is not None else (0, 0, 0)

    def _is_new(self, *, beyond_one: bool = False) -> bool:
        """Whether there are lines after the last piece; more than a piece takes, with ``beyond_one``."""
        start = self._start(self._next)
        left = sum(self._journal.sizes[name] - at for name, at in zip(FILES, start, strict=True))
        return left > (self._most_bytes if beyond_one else 0)

    def _piece(self, number: int) -> tuple[PieceEnd, list[PieceLine]]:
        """The piece of a number: as it was noted, or of the lines that there are now, noted then. It has no more lines
        than the receiver takes."""
        start, noted = self._start(number), self._ends.get(number)
        if self._listed_at is None and self._is_listed():
            self._listed_at = tuple(self._journal.sizes[name] for name in FILES)
        lines: list[PieceLine] = []
        ends, room, is_full = list(start), self._most_bytes, False
        for at, name in enumerate(FILES):
            until = noted.ends[at] if noted is not None else self._journal.sizes[name]
            for line in self._journal.lines(name, start[at], until):
                is_full = bool(lines) and (room < len(line) or len(lines) >= self._most_lines)
                if is_full:
                    break
                room -= len(line)
                ends[at] += len(line) + 1
                lines.append(PieceLine(_FILE_NAMES[at], msgspec.Raw(line)))
            if is_full:
                # A change may rest on an object that the piece has no room for.
                break
        is_listed = noted is not None and noted.is_listed
        if self._listed_at is not None:
            is_listed = all(end >= listed for end, listed in zip(ends, self._listed_at, strict=True))
        end = PieceEnd(number, (ends[0], ends[1], ends[2]), is_listed)
        if noted is None or noted.ends != end.ends:
            self._note(end)
        return end, lines

    def _note(self, end: PieceEnd) -> None:
        with (self._journal.folder / PIECES).open("ab", buffering=0) as file:
            # What a full disk cut off does not take the next line with it.
            file.write(b"\n" + msgspec.json.encode(end) + b"\n")
        self._ends[end.number] = end

    # ------------------------------------------------------------ sending

    async def _send(self, *, is_last: bool) -> None:
        """Send the next piece until it is acknowledged. Raises NotFollowed."""
        n_failures = 0
        while True:
            number = self._next
            try:
                end, lines = self._piece(number)
            except OSError as problem:
                if problem.errno not in FULL:
                    raise
                await asyncio.sleep(self._pace.longest_wait)
                continue
            head = PieceHead(
                collection=self._collection,
                number=number,
                is_listed=end.is_listed,
                is_last=is_last,
                meta=self._meta(),
            )
            wait = await self._posted(head, lines)
            if wait is None:
                if self._next > number:
                    await self._trim()
                    return
                n_failures = 0
            else:
                n_failures += 1
                await asyncio.sleep(max(wait, self._pace.after_failure(n_failures)))

    async def _posted(self, head: PieceHead, lines: list[PieceLine]) -> float | None:
        """Post a piece: None where the answer was understood, else how long to wait at least. Raises NotFollowed."""
        body = await asyncio.to_thread(encoded, head, lines)
        headers = {"Authorization": f"Bearer {self._token()}", "Content-Type": "application/gzip"}
        self._is_unanswered = not head.is_last
        try:
            timeout = httpx.Timeout(self._pace.answer)
            async with self._client.stream(
                "POST", self._url, content=body, headers=headers, timeout=timeout
            ) as response:
                text = await _read(response)
        except (httpx.HTTPError, OSError):
            return 0.0
        status, self._is_unanswered = response.status_code, False
        if status in (200, 409):
            self._move_to(head.number, self._next_of(text))
            return None
        if status == 413:
            self._halve(len(lines))
            return None
        if status == 429 or status >= 500:
            return self._pace.asked_for(response.headers.get("Retry-After", ""))
        raise NotFollowed(_refusal(status, response.headers.get("Location", "")))

    def _next_of(self, text: bytes) -> int:
        """The piece that an answer asks for. Raises NotFollowed where it asks for none of this collection."""
        try:
            answer = msgspec.json.decode(text, type=_Answer)
        except msgspec.MsgspecError:
            raise NotFollowed("the receiver's answer is not one of Schedscope. Look at the address") from None
        if answer.next is not None:
            return answer.next
        if answer.collection in ("", self._collection):
            raise NotFollowed("the workspace does not know this collection. Start the collector again")
        raise NotFollowed(
            "another collection of this cluster has taken over. Stop its collector before this one is started again"
        )

    def _move_to(self, sent: int, asked_for: int) -> None:
        if asked_for == sent + 1:
            self.n_acknowledged += 1
        elif not self._first <= asked_for <= sent:
            raise NotFollowed(
                f"the receiver asks for piece {asked_for}, which is not here any more. Start the collector again: it "
                "begins a new collection with all objects"
            )
        self._next = asked_for

    def _halve(self, n_lines: int) -> None:
        if n_lines <= 1:
            raise NotFollowed("the receiver refuses a piece with a single object as too large (413)")
        self._most_lines = max(1, min(self._most_lines, n_lines) // 2)
        self._most_bytes = max(1, self._most_bytes // 2)

    async def _trim(self) -> None:
        """Remove what is acknowledged from a journal that nobody keeps."""
        start = self._start(self._next)
        if not self._keeps and sum(start) > SPOOL_BYTES:
            await self._journal.forget(dict(zip(FILES, start, strict=True)))
            self._ends.clear()
            self._first = self._next
            if self._listed_at is not None:
                self._listed_at = (0, 0, 0)
            (self._journal.folder / PIECES).unlink(missing_ok=True)


_FILE_NAMES: tuple[Literal["objects.jsonl"], Literal["events.jsonl"], Literal["changes.jsonl"]] = (
    "objects.jsonl",
    "events.jsonl",
    "changes.jsonl",
)


async def _read(response: httpx.Response) -> bytes:
    text = b""
    async for chunk in response.aiter_bytes():
        text += chunk
        if len(text) > _MOST_ANSWER_BYTES:
            break
    return text


def _refusal(status: int, location: str) -> str:
    if status in (401, 403):
        return f"the receiver refuses the token ({status}): it is wrong, expired, or of another cluster. Make a new one"
    if 300 <= status < 400:
        other = printable(location[:200])
        return f"the receiver answers with another address ({other}), which is not followed. Write the right one"
    return f"the receiver refuses what is sent ({status}). Look at the address, and at both versions of Schedscope"
