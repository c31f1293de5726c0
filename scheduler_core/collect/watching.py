"""Watches: one for each kind, from the version that was written last; after a 410 the kind is listed and compared."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import msgspec

from scheduler_core.collect.gaps import GapLedger
from scheduler_core.collect.journal import DiskFull
from scheduler_core.collect.listing import list_into
from scheduler_core.collect.recording import EVENT, ChangeRecorder, WatchTarget
from scheduler_core.collect.room import DiskRoom
from scheduler_core.collect.server.pace import Pace
from scheduler_core.collect.server.requests import Away, Denied, Gone, NotServed, Refused, Requester
from scheduler_core.manifests.bundle.model import BundleGap, GapCode

MOST_LINE_BYTES = 16 << 20
"""Of one event; the API server stores objects of 1.5 MB at most."""
_INITIAL_END = "k8s.io/initial-events-end"
_AT_ONCE = 1e-9
_BOOKMARK = "BOOKMARK"


_STREAMS_FROM = (1, 32)


def may_stream(version: str) -> bool:
    """Whether servers of the version, such as "v1.34.1", may send a list as a stream (the feature WatchList)."""
    parts = version.removeprefix("v").split(".")[:2]
    numbers = [int(part) for part in parts if part.isascii() and part.isdigit()]
    return len(numbers) == 2 and tuple(numbers) >= _STREAMS_FROM


class WatchBroke(Exception):
    """The watch sent what is no event, or ended with an error that is no 410."""


_BROKEN = (WatchBroke, httpx.TransportError, httpx.DecodingError)
"""How a watch ends that is to be begun again from the last version."""


class _WatchEvent(msgspec.Struct):
    type: str
    object: dict[str, Any]


_decode = msgspec.json.Decoder(_WatchEvent).decode


class WatchShared:
    """What the watches of a collection share. ``streams_lists``: whether the server may send lists as a stream."""

    def __init__(
        self, requester: Requester, recorder: ChangeRecorder, ledger: GapLedger, room: DiskRoom, pace: Pace, page: int
    ) -> None:
        self.requester = requester
        self.recorder = recorder
        self.ledger = ledger
        self.room = room
        self.pace = pace
        self.page = page
        self.streams_lists = False
        self.lists = asyncio.Semaphore(4)


class KindWatch:
    """Keeps one target up to date. ``listed`` is set when it was listed whole, or cannot be."""

    def __init__(self, target: WatchTarget, shared: WatchShared, *, can_watch: bool = True) -> None:
        self.target = target
        self.listed = asyncio.Event()
        self._shared = shared
        self._can_watch = can_watch
        self._heard = shared.recorder.clock()

    async def run(self) -> None:
        """List where that was not done yet, then watch for ever. Raises OSError where the journal is broken."""
        if self.target.version:
            self.listed.set()
        while True:
            try:
                if not self.target.version:
                    await self._list()
                if not self._can_watch:
                    return
                await self._watch()
            except Gone:
                await self._after_expiry()
            except DiskFull:
                await self._shared.room.wait()
            except (Away, Denied, NotServed, Refused) as problem:
                await self._after_refusal(problem)

    def note_unlisted(self, since: float) -> None:
        """Note that the collection is closed before the kind was listed."""
        text = f"{self.target.words} were not listed to their end before the collection was closed"
        self._add_gap("LIST_FAILED", text, since)

    # ------------------------------------------------------------ lists

    async def _list(self) -> None:
        target, shared = self.target, self._shared
        async with shared.lists:
            if not (shared.streams_lists and target.kind.kind != EVENT and await self._list_by_stream()):
                await list_into(shared.recorder, shared.requester, target, shared.page, shared.pace.start)
        self._note_heard()
        self._end_gaps("STOPPED")
        if self._can_watch:
            self._note_allowed()
        self.listed.set()

    async def _list_by_stream(self) -> bool:
        """List by a watch that begins with all objects; whether the server can do that. Raises DiskFull."""
        target, shared = self.target, self._shared
        target.seen.begin_list()
        params = {
            **self._params(""),
            "sendInitialEvents": "true",
            "resourceVersionMatch": "NotOlderThan",
        }
        try:
            async with shared.requester.stream(
                target.path, params, kind=target.kind.kind, patience=_AT_ONCE, silence=shared.pace.answer
            ) as response:
                async for event in _events(response):
                    if event.type in ("ADDED", "MODIFIED"):
                        shared.recorder.listed(target, event.object)
                    elif event.type == "DELETED":
                        # It came and went between the beginning of the list and its end.
                        shared.recorder.changed(target, event.type, event.object)
                    elif event.type == _BOOKMARK and (version := _version_at_end(event)):
                        shared.recorder.ended_list(target, version)
                        return True
        except (Away, Denied, NotServed, Gone, Refused, *_BROKEN):
            pass  # Pages say what is wrong, where it is more than that the server cannot do this.
        shared.streams_lists = False
        return False

    # ------------------------------------------------------------ watches

    def _params(self, version: str) -> dict[str, str]:
        seconds = max(1, round(self._shared.pace.watch * random.uniform(0.9, 1.0)))
        params = {"watch": "true", "allowWatchBookmarks": "true", "timeoutSeconds": str(seconds)}
        return {**params, "resourceVersion": version} if version else params

    async def _watch(self) -> None:
        """Watch until it ends, again and again. Raises Gone, Denied, NotServed, Refused and DiskFull."""
        target, shared, n_failures = self.target, self._shared, 0
        while True:
            began, version, is_broken = time.monotonic(), target.version, False
            silence = shared.pace.watch + shared.pace.slack
            try:
                async with shared.requester.stream(
                    target.path, self._params(version), kind=target.kind.kind, silence=silence
                ) as response:
                    self._note_allowed()
                    async for event in _events(response):
                        self._take(event)
            except _BROKEN:
                is_broken = True
            if target.version != version:
                n_failures = 0
            elif is_broken or time.monotonic() - began < shared.pace.first_wait:
                # One that ends at once would be asked for without end.
                n_failures += 1
                await asyncio.sleep(shared.pace.after_failure(n_failures))

    def _take(self, event: _WatchEvent) -> None:
        """Carry out an event; the version moves on after it was written."""
        metadata = event.object.get("metadata")
        if event.type == "ERROR":
            if event.object.get("code") == 410:
                raise Gone(str(event.object.get("message", "")))
            raise WatchBroke("the watch ended with an error")
        if not isinstance(metadata, dict):
            raise WatchBroke("an event has no metadata")
        if event.type in ("ADDED", "MODIFIED", "DELETED"):
            self._shared.recorder.changed(self.target, event.type, event.object)
        version = metadata.get("resourceVersion")
        if isinstance(version, str) and version:
            self.target.version = version
        self._note_heard()

    def _note_heard(self) -> None:
        self._heard = self._shared.recorder.clock()

    def _note_allowed(self) -> None:
        """What had been refused is allowed again."""
        self._end_gaps("NO_RIGHTS", "NOT_SERVED", "LIST_FAILED")

    def _end_gaps(self, *codes: GapCode) -> None:
        target, shared = self.target, self._shared
        for code in codes:
            shared.ledger.end(code, target.kind.kind, shared.recorder.clock(), target.written_namespace)

    def _add_gap(self, code: GapCode, text: str, since: float, until: float | None = None) -> None:
        kind, namespace = self.target.kind.kind, self.target.written_namespace
        gap = BundleGap(code=code, text=text, kind=kind, namespace=namespace, since=since, until=until)
        self._shared.ledger.add(gap)

    # ------------------------------------------------------------ troubles

    async def _after_expiry(self) -> None:
        """The server no longer has the changes: list, compare, and note between which moments some may be unknown."""
        target, shared, since = self.target, self._shared, self._heard
        target.version = ""
        while not target.version:
            try:
                await self._list()
            except DiskFull:
                await shared.room.wait()
            except (Away, Denied, NotServed, Refused) as problem:
                await self._after_refusal(problem)
        text = (
            f"the server no longer had the changes of {target.words}: they were listed and compared, so that "
            "times between are not known, nor what came and went between"
        )
        self._add_gap("WATCH_EXPIRED", text, since, shared.recorder.clock())

    async def _after_refusal(self, problem: Exception) -> None:
        """Note that the kind cannot be read now, and wait: rights may be given back."""
        target, shared = self.target, self._shared
        code: GapCode = "LIST_FAILED"
        why = (
            f"the server refused it with {problem.status}"
            if isinstance(problem, Refused)
            else "a single one is too large"
        )
        if isinstance(problem, Denied):
            code, why = "NO_RIGHTS", "the rights do not reach"
        elif isinstance(problem, NotServed):
            code, why = "NOT_SERVED", "the server does not know it"
        if not isinstance(problem, Denied):
            target.version = ""
        if not shared.ledger.is_open(code, target.kind.kind, target.written_namespace):
            self._add_gap(code, f"{target.words} could not be read: {why}", self._heard)
        self.listed.set()
        await asyncio.sleep(shared.pace.longest_wait)


def _version_at_end(bookmark: _WatchEvent) -> str:
    """The version of the bookmark that ends the objects that a watch begins with, "" for another one."""
    metadata = bookmark.object.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(annotations, dict) or _INITIAL_END not in annotations:
        return ""
    version = metadata.get("resourceVersion")
    return version if isinstance(version, str) else ""


async def _events(response: httpx.Response) -> AsyncIterator[_WatchEvent]:
    """The events of a watch; half a line at its end is no event, and comes again. Raises WatchBroke."""
    rest = b""
    async for chunk in response.aiter_bytes():
        lines = (rest + chunk).split(b"\n") if b"\n" in chunk else [rest + chunk]
        rest = lines.pop()
        if len(rest) > MOST_LINE_BYTES:
            raise WatchBroke(f"an event has more than {MOST_LINE_BYTES >> 20} MiB")
        for line in lines:
            if line:
                try:
                    event = _decode(line)
                except (msgspec.MsgspecError, RecursionError):
                    raise WatchBroke("the watch sent what is no event") from None
                yield event
