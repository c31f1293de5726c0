"""The workspace's socket, which every page has: it tells what changed since the version that the page names."""

from __future__ import annotations

import logging
import time
from typing import Annotated, ClassVar

import msgspec
from django.db import DatabaseError
from msgspec import Meta

from dashboard.accounts.models import Role, Workspace
from dashboard.live.feed.hub import FeedFollower, hub
from dashboard.live.sockets import BAD_MESSAGE, NO_ACCESS, NOT_FOUND, TOO_MANY, TRY_AGAIN, Left, MemberSocket, read

log = logging.getLogger(__name__)

MAX_MESSAGE_BYTES = 200
MAX_VERSION = 2**62
# A page asks once for each connection; more is no page of ours.
MESSAGES_PER_SECOND, BURST = 2.0, 20.0


class Since(msgspec.Struct, tag="since", forbid_unknown_fields=True):
    """What a client sends: the feed's version that its page has; without one it is told what changes from now on."""

    version: Annotated[int, Meta(ge=0, le=MAX_VERSION)] | None = None


_decode = msgspec.json.Decoder(Since).decode


class Allowance:
    """How many messages a client may send now: so many a second, more after a pause."""

    def __init__(self) -> None:
        self.left, self.filled_at = BURST, time.monotonic()

    def admits_one(self) -> bool:
        """Return whether one more may come, and account for it."""
        now = time.monotonic()
        self.left = min(BURST, self.left + (now - self.filled_at) * MESSAGES_PER_SECOND)
        self.filled_at = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


class WorkspaceConsumer(MemberSocket):
    """One browser tab: it is told topics and counts, never contents, from the version on that it names."""

    MESSAGES: ClassVar[dict[type, Role]] = {Since: Role.VIEWER}

    async def find(self, slug: str) -> int:  # type: ignore[override]
        """Return 0 and remember the workspace, or the code that says why not."""
        workspace = await read(_workspace_of, slug)
        if workspace is None:
            return NOT_FOUND
        self.workspace_id, self.access_version = workspace
        member = await self.member()
        if member is None:
            return NOT_FOUND  # As for pages: strangers do not learn what exists.
        self.member_id, self.allowance = member.pk, Allowance()
        self.follower: FeedFollower | None = None
        return 0

    async def disconnect(self, code: int) -> None:
        """Stop sending."""
        await super().disconnect(code)
        self._leave()

    def _leave(self) -> None:
        if self.workspace_id and self.follower is not None:
            hub.leave(self.follower)
            self.follower = None

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Begin, or begin again, with what changed since the version that the client names."""
        if not self.workspace_id:
            return
        if text_data is None or len(text_data) > MAX_MESSAGE_BYTES:
            await self.close(BAD_MESSAGE)
            return
        if not self.allowance.admits_one():
            await self.close(TOO_MANY)
            return
        try:
            since = _decode(text_data.encode())
        except (msgspec.MsgspecError, UnicodeError):
            await self.close(BAD_MESSAGE)
            return
        await self.stop()
        self._leave()
        self.follower = FeedFollower(self.workspace_id, self.member_id, self.access_version, since.version)
        hub.join(self.follower)
        await self.begin(self._relay(self.follower))

    async def _relay(self, follower: FeedFollower) -> None:
        """Send what changed until the socket closes."""
        try:
            while True:
                await follower.changed.wait()
                follower.changed.clear()
                if follower.must_check_access:
                    follower.must_check_access = False
                    if await self.member() is None:
                        await self.close(NO_ACCESS)
                        return
                if follower.news is not None:
                    news, follower.news = follower.news, None
                    topics = None if news.topics is None else sorted(news.topics)
                    changes = {"type": "changes", "version": news.version, "topics": topics, "counts": news.counts}
                    await self._send(msgspec.json.encode(changes))
        except Left:
            log.debug("socket of workspace %s: the client left", self.workspace_id)
        except DatabaseError:
            log.exception("socket of workspace %s: cannot go on", self.workspace_id)
            await self.close(TRY_AGAIN)


def _workspace_of(slug: str) -> tuple[int, int] | None:
    return Workspace.objects.filter(slug=slug).values_list("pk", "access_version").first()
