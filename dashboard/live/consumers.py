"""The run's socket: checks who connects, catches up from the database, then follows the tailer."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from typing import ClassVar

import msgspec
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError

from dashboard.accounts.models import Role
from dashboard.live import messages
from dashboard.live.heads import RunProgress, progress_of
from dashboard.live.sockets import BAD_MESSAGE, NO_ACCESS, NOT_FOUND, TRY_AGAIN, Left, MemberSocket, read
from dashboard.live.tailer import Subscriber, tailer
from dashboard.runs.models import Run
from dashboard.runs.storage import recordings
from scheduler_core.recording.errors import RecordingError

log = logging.getLogger(__name__)

PAGE_EVENTS = 2000
WAIT_SECONDS = 0.02
MAX_MESSAGE_BYTES = 1000


class SeqRequest(msgspec.Struct):
    """What a client sends: the seq of the first event that it does not have."""

    seq: int = msgspec.field(name="from")


_decode_ask = msgspec.json.Decoder(SeqRequest).decode


class RunConsumer(MemberSocket):
    """One browser tab that watches one run. Everything is sent by a single task, in order of seq."""

    MESSAGES: ClassVar[dict[type[SeqRequest], Role]] = {SeqRequest: Role.VIEWER}
    run_id = 0
    sent = 0
    shown: messages.Standing | None = None

    async def find(self, slug: str, number: int) -> int:  # type: ignore[override]
        """Return 0 and remember the run, or the code that says why not."""
        run = await read(_find_run, slug, number)
        if run is None:
            return NOT_FOUND
        self.run_id, self.workspace_id = run
        if await self.member() is None:
            self.run_id = 0
            return NOT_FOUND  # As for pages: strangers do not learn what exists.
        return 0

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Begin, or begin again, at the seq that the client names."""
        if text_data is None or len(text_data) > MAX_MESSAGE_BYTES or not self.run_id:
            await self.close(BAD_MESSAGE)
            return
        try:
            ask = _decode_ask(text_data.encode())
        except msgspec.MsgspecError:
            await self.close(BAD_MESSAGE)
            return
        await self.stop()
        self.shown = None
        await self.begin(self._follow(max(0, ask.seq)))

    # ---------------------------------------------------------------- following

    async def _follow(self, seq: int) -> None:
        """Send everything from `seq` on until the socket closes."""
        try:
            progress = await self._checked()
            while progress is not None:
                seq = await self._catch_up(min(seq, progress.seq), progress)
                progress = await self._live(seq)
                if progress is not None:
                    seq = self.sent
        except Left:
            log.debug("socket of run %s: the client left", self.run_id)
        except (DatabaseError, RecordingError):
            log.exception("socket of run %s: cannot go on", self.run_id)
            await self.close(TRY_AGAIN)

    async def _catch_up(self, seq: int, progress: RunProgress) -> int:
        """Return the seq after what was sent: the status if it is news, pages from the database up to the head."""
        await self._tell(progress)
        await self._send_pages(seq, progress.seq, progress)
        self.sent = max(seq, progress.seq)
        return self.sent

    async def _tell(self, progress: RunProgress) -> None:
        if self.shown != progress.standing:
            self.shown = progress.standing
            await self._send(messages.encode(progress.status()))

    async def _send_pages(self, seq: int, end: int, progress: RunProgress) -> None:
        while seq < end:
            page_end = min(seq + PAGE_EVENTS, end)
            await self._send(await read(batch_page, progress, seq, page_end))
            seq = page_end

    async def _live(self, seq: int) -> RunProgress | None:
        """Follow the tailer; return how far to catch up where that is needed, None once the socket is closed."""
        progress = await self._checked()
        if progress is None or progress.seq > seq + PAGE_EVENTS:
            return progress
        subscriber = Subscriber(self.run_id, progress.access_version)
        while (joined := tailer.join(subscriber, seq, progress)) is None:
            await asyncio.sleep(WAIT_SECONDS)
        try:
            if joined.standing != self.shown or joined.seq > seq:
                progress = await self._checked()
                if progress is None:
                    return None
                await self._tell(progress)
                await self._send_pages(seq, joined.seq, progress)
            self.sent = joined.seq
            return await self._relay(subscriber)
        finally:
            tailer.leave(subscriber)

    async def _relay(self, subscriber: Subscriber) -> RunProgress | None:
        while True:
            await subscriber.changed.wait()
            subscriber.changed.clear()
            if subscriber.must_check_access:
                subscriber.must_check_access = False
                if await self._checked() is None:
                    return None
            while subscriber.outgoing:
                message = subscriber.outgoing.popleft()
                await self._send(message.text)
                self.sent = message.end
            if subscriber.is_lagging:
                self.shown = None  # A status may have been among what was dropped.
                return await self._checked()

    async def _checked(self) -> RunProgress | None:
        """Return the run's progress, None after closing the socket of somebody who lost access or whose run is gone."""
        member = await self.member()
        progress = (await read(progress_of, [self.run_id])).get(self.run_id)
        if member is None or progress is None:
            # Closing from outside of this task: disconnect() cancels it.
            await self.close(NO_ACCESS if member is None else NOT_FOUND)
            return None
        return progress


def _find_run(slug: str, number: int) -> tuple[int, int] | None:
    runs = Run.objects.filter(workspace__slug=slug, number=number)
    return runs.values_list("pk", "workspace_id").first()


class NoSuchSocket(AsyncWebsocketConsumer):
    """Whatever has no socket: says so instead of failing in the log."""

    MESSAGES: ClassVar[dict[type, Role]] = {}

    async def connect(self) -> None:
        """Tell that nothing is here."""
        await self.accept()
        await self.close(NOT_FOUND)


# A page of 2,000 seqs is about 300 kB.
KEPT_PAGES = 16

# Events of a seq never change, so an entry is right for ever: (run, first, end): events and counts as JSON.
_kept: OrderedDict[tuple[int, int, int], tuple[msgspec.Raw, msgspec.Raw]] = OrderedDict()
_lock = threading.Lock()


def batch_page(progress: RunProgress, first: int, end: int) -> bytes:
    """Return the batch of seqs first .. end - 1, with head and state as the progress has them."""
    key, here = (progress.run_id, first, end), ((first, end), (progress.head, progress.state))
    # Held while reading: others who want the page wait for it, and a run is read by one thread at a time anyway.
    with _lock:
        encoded = _kept.pop(key, None)
        if encoded is None:
            full = messages.batch(progress.run_id, recordings.read_events(progress.run_id, first, end - 1), *here)
            encoded = (msgspec.Raw(messages.encode(full["events"])), msgspec.Raw(messages.encode(full["counts"])))
        _kept[key] = encoded
        while len(_kept) > KEPT_PAGES:
            _kept.popitem(last=False)
    return messages.encode({**messages.batch(progress.run_id, [], *here), "events": encoded[0], "counts": encoded[1]})
