"""One thread per web process reads the heads of all watched runs and hands each run's new events to all its sockets.

A batch is decoded and serialised once, whatever the number of sockets. A client that joins receives the hub's seq: what
lies before it reads itself, what follows is kept for it meanwhile. So nobody has a gap, nobody gets anything twice, and
many who come at once need not hit the moment between two batches. Who cannot follow is dropped back to the database.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from django.db import DatabaseError, close_old_connections, connection

from dashboard.common.monitoring.metrics import look_seconds
from dashboard.live import messages
from dashboard.live.heads import RunProgress, progress_of
from dashboard.runs.storage import recordings
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

log = logging.getLogger(__name__)

POLL_SECONDS = 0.05
# Events per second that are sent whole; above it batches are thinned.
EVENTS_PER_SECOND = 500
QUEUE_LIMIT = 32
MAX_SPAN = 50_000


@dataclass(frozen=True)
class SocketMessage:
    """A serialised message; `end` is the seq after it."""

    text: bytes
    end: int


class Subscriber:
    """One socket's side: a bounded queue in its own event loop."""

    def __init__(self, run_id: int, access_version: int) -> None:
        self.run_id = run_id
        self.access_version = access_version
        self.loop = asyncio.get_running_loop()
        self.outgoing: deque[SocketMessage] = deque()
        self.changed = asyncio.Event()
        self.is_lagging = False
        self.must_check_access = False

    def offer(self, outgoing: Sequence[SocketMessage]) -> None:
        """Queue messages (in the socket's loop); a full queue marks the client as lagging and is emptied."""
        if len(self.outgoing) + len(outgoing) > QUEUE_LIMIT:
            self.is_lagging = True
            self.outgoing.clear()
        if not self.is_lagging:
            self.outgoing.extend(outgoing)
        self.changed.set()

    def ask_access(self) -> None:
        """Have the socket check its right again (in its loop)."""
        self.must_check_access = True
        self.changed.set()


def _in_loops(subscribers: Iterable[Subscriber], what: Callable[[Subscriber], None]) -> None:
    """Do something with each subscriber in its loop, from the tailer's thread.

    A loop is woken up once for all of its sockets: with 50 of them, waking it for each took longer than the batch.
    """
    by_loop: dict[asyncio.AbstractEventLoop, list[Subscriber]] = {}
    for subscriber in subscribers:
        by_loop.setdefault(subscriber.loop, []).append(subscriber)
    for loop, members in by_loop.items():
        if loop.is_closed():
            continue  # Its sockets are gone with it.
        try:
            loop.call_soon_threadsafe(_with_each, members, what)
        except RuntimeError:
            log.debug("a loop ended while a batch was handed to its sockets")


def _with_each(subscribers: Iterable[Subscriber], what: Callable[[Subscriber], None]) -> None:
    for subscriber in subscribers:
        what(subscriber)


@dataclass
class Hub:
    """A watched run: everything before `seq` was handed out. `budget` is how many events may be sent whole now."""

    seq: int
    standing: messages.Standing
    subscribers: set[Subscriber] = field(default_factory=set)
    budget: float = EVENTS_PER_SECOND
    filled_at: float = field(default_factory=time.monotonic)

    def admits(self, n_events: int) -> bool:
        """Return whether this many events may be sent whole, and account for them."""
        now = time.monotonic()
        self.budget = min(EVENTS_PER_SECOND, self.budget + (now - self.filled_at) * EVENTS_PER_SECOND)
        self.filled_at = now
        if n_events > self.budget:
            return False
        self.budget -= n_events
        return True


class Joined(NamedTuple):
    """What a subscriber has missed when it joins: events before `seq`, and how the run stood."""

    seq: int
    standing: messages.Standing


class Tailer:
    """The thread and its hubs; it ends when nobody watches and starts again with the next socket."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hubs: dict[int, Hub] = {}
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()

    def join(self, subscriber: Subscriber, seq: int, progress: RunProgress) -> Joined | None:
        """Give the subscriber, who has everything before `seq`, what the hub hands out from now on.

        What lies between `seq` and the hub's seq is the subscriber's to read. None while the hub is behind `seq`: it
        will have looked in a moment.
        """
        with self._lock:
            hub = self._hubs.get(subscriber.run_id)
            if hub is None:
                hub = self._hubs[subscriber.run_id] = Hub(seq, progress.standing)
            if hub.seq < seq:
                return None
            hub.subscribers.add(subscriber)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="tailer", daemon=True)
                self._thread.start()
            return Joined(hub.seq, hub.standing)

    def leave(self, subscriber: Subscriber) -> None:
        """Send nothing more to the subscriber."""
        with self._lock:
            hub = self._hubs.get(subscriber.run_id)
            if hub is not None:
                hub.subscribers.discard(subscriber)
                if not hub.subscribers:
                    del self._hubs[subscriber.run_id]

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
                    watched = {run_id: hub.seq for run_id, hub in self._hubs.items()}
                    if not watched:
                        self._thread = None
                        return
                with look_seconds.time():
                    self._look(watched)
        finally:
            connection.close()

    def _look(self, watched: dict[int, int]) -> None:
        try:
            progress = progress_of(watched)
            for run_id in watched:
                self._advance(run_id, progress.get(run_id))
        except (DatabaseError, RecordingError) as error:
            # Clients keep what they have; the next look, or their own reading, continues from there.
            log.warning("the tailer could not read (%s); trying again", error)
            self._pause()
        except Exception:
            # The thread serves all runs; without it every open page would stand still until the server is restarted.
            log.exception("the tailer failed; trying again")
            self._pause()

    def _pause(self) -> None:
        close_old_connections()
        time.sleep(POLL_SECONDS * 4)

    def _advance(self, run_id: int, progress: RunProgress | None) -> None:
        """Hand out what is new of a run; sockets of a run that is gone have to look for themselves."""
        with self._lock:
            hub = self._hubs.get(run_id)
            if hub is None:
                return
            seq, subscribers = hub.seq, list(hub.subscribers)
        if progress is None:
            _in_loops(subscribers, Subscriber.ask_access)
            return
        changed = [one for one in subscribers if one.access_version != progress.access_version]
        for subscriber in changed:
            subscriber.access_version = progress.access_version
        _in_loops(changed, Subscriber.ask_access)
        outgoing = self._outgoing(hub, seq, progress)
        if outgoing:
            self._hand_out(run_id, seq, outgoing, progress)

    def _outgoing(self, hub: Hub, seq: int, progress: RunProgress) -> list[SocketMessage]:
        outgoing = []
        if progress.seq > seq:
            end = min(progress.seq, seq + MAX_SPAN)
            events = recordings.read_events(progress.run_id, seq, end - 1)
            full = messages.batch(progress.run_id, events, (seq, end), (progress.head, progress.state))
            whole = hub.admits(len(full["events"]))
            outgoing.append(SocketMessage(messages.encode(full if whole else messages.thinned(full)), end))
            seq = end
        if progress.standing != hub.standing and seq == progress.seq:
            hub.standing = progress.standing
            outgoing.append(SocketMessage(messages.encode(progress.status()), seq))
        return outgoing

    def _hand_out(self, run_id: int, seq: int, outgoing: list[SocketMessage], progress: RunProgress) -> None:
        """Move the hub's seq and hand the messages to the subscribers of this moment."""
        with self._lock:
            hub = self._hubs.get(run_id)
            if hub is None or hub.seq != seq:
                return  # The last socket left and another came, at a seq of its own.
            hub.seq = outgoing[-1].end
            subscribers = list(hub.subscribers)
        _in_loops(subscribers, lambda subscriber: subscriber.offer(outgoing))


tailer = Tailer()
