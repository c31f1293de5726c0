"""The run's socket: checks who connects, catches up from the database, then follows the tailer."""

from __future__ import annotations

import asyncio
import logging
from typing import ClassVar

import msgspec
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError

from dashboard.accounts.models import Role
from dashboard.live import messages
from dashboard.live.heads import RunProgress, progress_of
from dashboard.live.pages import page
from dashboard.live.sockets import BAD_MESSAGE, NO_ACCESS, NOT_FOUND, TRY_AGAIN, Left, MemberSocket, read
from dashboard.live.tailer import Subscriber, tailer
from dashboard.runs.models import Run
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
        run = await read(_run_of, slug, number)
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
        """Return the seq behind what was sent: the status if it is news, pages from the database up to the head."""
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
            await self._send(await read(page, progress, seq, page_end))
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


def _run_of(slug: str, number: int) -> tuple[int, int] | None:
    runs = Run.objects.filter(workspace__slug=slug, number=number)
    return runs.values_list("pk", "workspace_id").first()


class NoSuchSocket(AsyncWebsocketConsumer):
    """Whatever has no socket: says so instead of failing in the log."""

    MESSAGES: ClassVar[dict[type, Role]] = {}

    async def connect(self) -> None:
        """Tell that nothing is here."""
        await self.accept()
        await self.close(NOT_FOUND)
