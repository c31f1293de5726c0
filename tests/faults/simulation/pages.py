"""Open pages of browsers, and what they hear of changes by the feed.

Idea: a page names the version that it has to the hub of a web process (`live.feed.hub`), and hears what changed since,
over a connection that ends with its process; the next connection begins where the last one ended.

Invariant: a page that is connected has heard of every change since its first version.
Cost: a look of the hub every 0.4 s, as in the product.

    page = Page(scheduler, web, member)
    scheduler.spawn(browser, "page", page.stay)
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from dashboard.live import hints
from dashboard.live.feed import hub as hub_module
from tests.faults.simulation.shims import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.accounts.models import Member
    from tests.faults.simulation.scheduling import Process, Scheduler
    from tests.faults.simulation.web import Web

RECONNECT_SECONDS = 4.0


class Loop:
    """The event loop of a web process, as far as the hub knows it; it is closed with its process."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def is_closed(self) -> bool:
        """Whether the process has ended."""
        return self._process.is_dead

    def call_soon_threadsafe(self, call: Callable[..., object], *arguments: object) -> None:
        """Call it."""
        call(*arguments)


class Follower(hub_module.FeedFollower):
    """A socket's side, in sets by its number and not by its address."""

    def __init__(self, number: int, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.number = number

    def __hash__(self) -> int:
        return self.number

    def __eq__(self, other: object) -> bool:
        return self is other


class Page:
    """A page that stays open: its version of the feed, and the topics that it heard of (`is_all`: of everything)."""

    def __init__(self, scheduler: Scheduler, web: Web, member: Member, number: int) -> None:
        self._scheduler, self._web, self._member, self._number = scheduler, web, member, number
        self.version: int | None = None
        self.first_version: int | None = None
        self.topics: set[str] = set()
        self.is_all = False

    def stay(self) -> None:
        """Be connected to a web process, another one after its death."""
        while True:
            process = self._web.any_process()
            arrived = Event(self._scheduler)
            self._scheduler.spawn(
                process, "socket", lambda process=process, arrived=arrived: self._join(process, arrived)
            )
            while not process.is_dead:
                if arrived.wait(RECONNECT_SECONDS):
                    arrived.clear()

    def _join(self, process: Process, arrived: Event) -> None:
        hub = process.hub
        if hub is None:
            return
        follower = Follower(self._number, self._member.workspace_id, self._member.pk, 0, self.version)
        follower.changed = SimpleNamespace(set=lambda: self._receive(follower, arrived))  # type: ignore[assignment]
        hub.join(follower)

    def _receive(self, follower: Follower, arrived: Event) -> None:
        news, follower.news = follower.news, None
        if news is None:
            return
        if self.first_version is None:
            self.first_version = news.version
        elif news.topics is None:
            self.is_all = True
        else:
            self.topics |= news.topics
        self.version = news.version
        arrived.set()


def loops(scheduler: Scheduler) -> SimpleNamespace:
    """What the hub sees as the module `asyncio`: the loop of the process that runs now."""
    return SimpleNamespace(get_running_loop=lambda: Loop(scheduler.process), Event=lambda: None)


def serve_feeds(process: Process) -> None:
    """Give a web process its hub, which is woken by what the process itself announces."""
    process.hub = hub_module.FeedHub()
    hints.on_feed_moved(process.hub.wake)
