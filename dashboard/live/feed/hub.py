"""One thread per web process reads the feeds of all workspaces that somebody has open, and tells their sockets.

Every socket has a version of its own, so joining late, lagging and lost hints are one case: a socket that is behind
the feed receives what changed since its version. What it has not sent yet is merged with what comes after it.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from django.db import DatabaseError, connection

from dashboard.accounts.models import Member, Workspace
from dashboard.live import hints
from dashboard.live.feed.counts import counts_of
from dashboard.live.feed.topics import TopicChanges, changes_since, own_topic

if TYPE_CHECKING:
    from collections.abc import Iterable

log = logging.getLogger(__name__)

# Without a hint; with one, at once.
POLL_SECONDS = 0.4


class News(NamedTuple):
    """What a socket has to say: the feed's version, topics (None for all), and the member's counts."""

    version: int
    topics: frozenset[str] | None
    counts: dict[str, int]

    def after(self, earlier: News | None) -> News:
        """Return both as one."""
        if earlier is None:
            return self
        is_all = earlier.topics is None or self.topics is None
        return self._replace(topics=None if is_all else (earlier.topics or frozenset()) | (self.topics or frozenset()))


class FeedFollower:
    """One socket's side, in its own event loop. `version` is the hub's: what the socket has received, or will."""

    def __init__(self, workspace_id: int, member_id: int, access_version: int, version: int | None) -> None:
        self.workspace_id, self.member_id = workspace_id, member_id
        self.access_version, self.version = access_version, version
        self.loop = asyncio.get_running_loop()
        self.changed = asyncio.Event()
        self.news: News | None = None
        self.must_check_access = False
        self.is_new = True

    def offer(self, news: News) -> None:
        """Take what changed (in the socket's loop)."""
        self.news = news.after(self.news)
        self.changed.set()

    def ask_access(self) -> None:
        """Have the socket check its right again (in its loop)."""
        self.must_check_access = True
        self.changed.set()


class FeedHub:
    """The thread and the followers of each workspace; it ends when nobody follows and starts with the next socket."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._followers: dict[int, set[FeedFollower]] = defaultdict(set)
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()

    def join(self, follower: FeedFollower) -> None:
        """Tell the follower what changed since its version, now and from now on; None gets the version only."""
        with self._lock:
            self._followers[follower.workspace_id].add(follower)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="feeds", daemon=True)
                self._thread.start()
        self.wake()

    def leave(self, follower: FeedFollower) -> None:
        """Tell the follower nothing more."""
        with self._lock:
            followers = self._followers[follower.workspace_id]
            followers.discard(follower)
            if not followers:
                del self._followers[follower.workspace_id]
        self.wake()

    def wake(self) -> None:
        """Look now instead of at the end of the pause."""
        self._wake.set()

    # ---------------------------------------------------------------- the thread

    def _run(self) -> None:
        try:
            while True:
                self._wake.wait(POLL_SECONDS)
                self._wake.clear()
                with self._lock:
                    followed = self._those_with_loops()
                    if not followed:
                        self._thread = None
                        return
                self._look(followed)
        finally:
            connection.close()

    def _those_with_loops(self) -> dict[int, list[FeedFollower]]:
        """Return {workspace: followers}; those of a loop that ended are gone with it."""
        for workspace_id, followers in list(self._followers.items()):
            followers -= {one for one in followers if one.loop.is_closed()}
            if not followers:
                del self._followers[workspace_id]
        return {workspace_id: list(followers) for workspace_id, followers in self._followers.items()}

    def _look(self, followed: dict[int, list[FeedFollower]]) -> None:
        try:
            rows = Workspace.objects.filter(pk__in=followed).values_list("pk", "feed__version", "access_version")
            versions = {pk: (feed or 0, access) for pk, feed, access in rows}
            for workspace_id, followers in followed.items():
                feed, access = versions.get(workspace_id, (0, -1))
                self._ask_again(followers, access)
                self._tell(workspace_id, [one for one in followers if one.is_new or one.version != feed])
        except DatabaseError as error:
            # Versions stay as they are, so the next look begins where this one ended.
            log.warning("the feeds could not be read (%s); trying again", error)
            self._pause()
        except Exception:
            # The thread serves all pages; without it each would stand still until the server is restarted.
            log.exception("reading the feeds failed; trying again")
            self._pause()

    def _pause(self) -> None:
        connection.close()
        time.sleep(POLL_SECONDS)

    def _ask_again(self, followers: Iterable[FeedFollower], access_version: int) -> None:
        for one in followers:
            if one.access_version != access_version:
                one.access_version = access_version
                _in_loop(one, one.ask_access)

    def _tell(self, workspace_id: int, behind: list[FeedFollower]) -> None:
        """Tell each of them what changed since its version, with the counts of all of them, asked for at once."""
        since: dict[int | None, TopicChanges] = {}
        members = Member.objects.select_related("workspace", "user").in_bulk({one.member_id for one in behind})
        offers: list[tuple[FeedFollower, int, frozenset[str] | None]] = []
        for one in behind:
            if one.member_id not in members:
                continue  # Who left is closed by the check of their right.
            if one.version not in since:
                since[one.version] = _changes(workspace_id, one.version)
            changes = since[one.version]
            news = _theirs(changes.topics, one.member_id)
            if news is None or news or one.is_new:
                offers.append((one, changes.version, news))
            else:
                one.version = changes.version
        counts = counts_of([members[pk] for pk in {one.member_id for one, _, _ in offers}])
        for one, version, news in offers:
            _in_loop(one, one.offer, News(version, news, counts[one.member_id]))
            one.version, one.is_new = version, False


def _changes(workspace_id: int, version: int | None) -> TopicChanges:
    if version is not None:
        return changes_since(workspace_id, version)
    return changes_since(workspace_id, 0)._replace(topics=frozenset())


def _theirs(topics: frozenset[str] | None, member_id: int) -> frozenset[str] | None:
    """Return the topics without those that only others receive."""
    if topics is None:
        return None
    return frozenset(name for name in topics if not name.startswith("member:") or name == own_topic(member_id))


def _in_loop(follower: FeedFollower, what: object, *arguments: object) -> None:
    if follower.loop.is_closed():
        return  # The socket is gone with it.
    try:
        follower.loop.call_soon_threadsafe(what, *arguments)  # type: ignore[arg-type]
    except RuntimeError:
        log.debug("a loop ended while one of its sockets received what changed")


hub = FeedHub()
hints.on_feed_moved(hub.wake)
