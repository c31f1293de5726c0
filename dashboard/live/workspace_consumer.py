"""The workspace's socket, which every page has: what changed since its version, and who else looks at what it shows."""

from __future__ import annotations

import logging
import time
from collections import deque
from typing import ClassVar

import msgspec
from django.db import DatabaseError
from django.db.models import Q

from dashboard.accounts.models import Member, Role, Workspace
from dashboard.clusters.models import Draft
from dashboard.common.pages.avatars import avatar_tone, initials
from dashboard.live.feed.hub import FeedFollower, hub
from dashboard.live.presence.board import PresenceBoard, Room, Seat, board
from dashboard.live.presence.messages import MAX_BYTES, ROLES, ClientMessage, LookAt, Since, Spot, WhereIs, decode
from dashboard.live.presence.places import draft_in
from dashboard.live.sockets import BAD_MESSAGE, NO_ACCESS, NOT_FOUND, TOO_MANY, TRY_AGAIN, Left, MemberSocket, read

log = logging.getLogger(__name__)

# A page that steps by a held key says where it is five times a second.
MESSAGES_PER_SECOND, BURST = 10.0, 40.0
QUEUE_LIMIT = 64
# How long what the database said about a room holds.
ADMITTED_SECONDS = 10.0


class Allowance:
    """How many messages a client may send now: some a second, more after a pause."""

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
    """One browser tab: it receives what changed as soon as it names a version, and has a seat where it looks.

    Of the feed it receives topics and counts, never contents; of the other people, where they are.
    """

    MESSAGES: ClassVar[dict[type[ClientMessage], Role]] = ROLES

    async def find(self, slug: str) -> int:  # type: ignore[override]
        """Return 0 and remember the workspace, or the code that says why not."""
        workspace = await read(_find_workspace, slug)
        if workspace is None:
            return NOT_FOUND
        self.workspace_id, access_version = workspace
        member = await self.member()
        if member is None:
            return NOT_FOUND  # As for pages: strangers do not learn what exists.
        self._remember(member)
        self.allowance = Allowance()
        self.follower = FeedFollower(self.workspace_id, member.pk, access_version, None)
        self.outgoing: deque[bytes] = deque()
        self.board: PresenceBoard = board()
        self.room: Room | None = None
        self.seat: Seat | None = None
        self.admitted_at = 0.0
        return 0

    def _remember(self, member: Member) -> None:
        user = member.user
        self.role, self.place = Role(member.role), member.workspace.name
        self.face = (member.pk, user.label, initials(user.label), avatar_tone(user))

    async def disconnect(self, code: int) -> None:
        """Leave the room and stop sending."""
        await super().disconnect(code)
        if self.workspace_id:
            hub.leave(self.follower)
            self._stand_up()

    # ---------------------------------------------------------------- what the page says

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Do what a message says, if it is one, is not one too many, and the member's role covers it."""
        if not self.workspace_id:
            return
        if text_data is None or len(text_data) > MAX_BYTES:
            await self.close(BAD_MESSAGE)
            return
        if not self.allowance.admits_one():
            await self.close(TOO_MANY)
            return
        try:
            message = decode(text_data.encode())
        except (msgspec.MsgspecError, UnicodeError):
            await self.close(BAD_MESSAGE)
            return
        if self.task is None and not isinstance(message, Since):
            await self.close(BAD_MESSAGE)  # Nothing would notice yet that the right ended.
            return
        needed = self.MESSAGES[type(message)]
        if self.role.covers(needed):
            await self._do(message)
        else:
            why = f"Your role in {self.place} is {self.role}; pointing for others needs {needed.label}."
            self.hear(msgspec.json.encode({"type": "refused", "why": why}))

    async def _do(self, message: ClientMessage) -> None:
        match message:
            case Since():
                await self._follow_from(message.version)
            case LookAt():
                await self._look(message)
            case WhereIs():
                place = self.board.place_of(self.workspace_id, message.member)
                self.hear(msgspec.json.encode({"type": "place", "member": message.member, "at": place}))
            case Spot():
                self._point(message)

    async def _follow_from(self, version: int | None) -> None:
        await self.stop()
        hub.leave(self.follower)
        before = self.follower
        self.follower = FeedFollower(self.workspace_id, before.member_id, before.access_version, version)
        hub.join(self.follower)
        await self.begin(self._relay(self.follower))

    async def _look(self, look: LookAt) -> None:
        room = (self.workspace_id, look.room)
        if self.room != room:
            self._stand_up()
        if not look.room or not await self._may_be_in(look.room):
            return
        # A person who goes elsewhere points at nothing there.
        stays = self.seat is not None and (self.seat.path, self.seat.query) == (look.path, look.query)
        spot = self.seat.spot if self.seat is not None and stays else None
        n_spots = self.seat.n_spots if self.seat is not None else 0
        self._sit(room, Seat(*self.face, look.path, look.query, look.active, time.time(), spot, n_spots))

    def _point(self, spot: Spot) -> None:
        if self.room is None or self.seat is None:
            return  # Nobody would see it.
        names = (spot.node, spot.plugin, spot.column)
        moved = msgspec.structs.replace(self.seat, spot=names, n_spots=self.seat.n_spots + 1, at=time.time())
        self._sit(self.room, moved)

    def _sit(self, room: Room, seat: Seat) -> None:
        self.room, self.seat = room, seat
        self.board.sit(room, self, seat)

    async def _may_be_in(self, name: str) -> bool:
        """Return whether the member may see who is in a room; stand up where not."""
        self.admitted_at = time.monotonic()
        if draft_in(name) is None or await read(may_enter, self.user_id, self.workspace_id, name):
            return True
        self._stand_up()
        return False

    def _stand_up(self) -> None:
        if self.room is not None:
            self.board.leave(self.room, self)
        self.room = self.seat = None

    # ---------------------------------------------------------------- what is sent to the page

    def hear(self, text: bytes) -> None:
        """Queue a message; a client that does not read them receives everybody again once it does."""
        if len(self.outgoing) >= QUEUE_LIMIT:
            self.outgoing.clear()
            if self.room is not None:
                self.outgoing.append(self.board.everybody(self.room))
        self.outgoing.append(text)
        self.follower.changed.set()

    async def _relay(self, follower: FeedFollower) -> None:
        """Send what changed and what is heard until the socket closes."""
        if self.outgoing:
            follower.changed.set()
        try:
            while True:
                await follower.changed.wait()
                follower.changed.clear()
                if follower.must_check_access and not await self._still_may(follower):
                    return
                if follower.news is not None:
                    news, follower.news = follower.news, None
                    topics = None if news.topics is None else sorted(news.topics)
                    changes = {"type": "changes", "version": news.version, "topics": topics, "counts": news.counts}
                    await self._send(msgspec.json.encode(changes))
                if self.outgoing and not await self._still_admitted():
                    self.outgoing.clear()
                while self.outgoing:
                    await self._send(self.outgoing.popleft())
        except Left:
            log.debug("socket of workspace %s: the client left", self.workspace_id)
        except DatabaseError:
            log.exception("socket of workspace %s: cannot go on", self.workspace_id)
            await self.close(TRY_AGAIN)

    async def _still_admitted(self) -> bool:
        """Return whether the member may still see who is in the room: a draft is not shared for ever."""
        if self.room is None or time.monotonic() - self.admitted_at < ADMITTED_SECONDS:
            return True
        return await self._may_be_in(self.room[1])

    async def _still_may(self, follower: FeedFollower) -> bool:
        """Return whether the membership goes on, with the role that it has now; close the socket where it does not."""
        follower.must_check_access = False
        member = await self.member()
        if member is None:
            self._stand_up()
            await self.close(NO_ACCESS)
            return False
        self._remember(member)
        return True


def _find_workspace(slug: str) -> tuple[int, int] | None:
    return Workspace.objects.filter(slug=slug).values_list("pk", "access_version").first()


def may_enter(user_id: int, workspace_id: int, room: str) -> bool:
    """Return whether a member of the workspace may see who is there, and where; asks the database for drafts."""
    number = draft_in(room)
    if number is None:
        return True
    slug = room.split("/")[1]
    sees = Q(author=user_id) | Q(invited=user_id)
    return Draft.objects.filter(sees, pk=number, cluster__slug=slug, cluster__workspace=workspace_id).exists()
