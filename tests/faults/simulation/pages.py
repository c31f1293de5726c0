"""Open pages of browsers: what they hear of changes by the feed, and the answers that they wait for.

Idea: a page names the version that it has to the hub of a web process, and hears what changed since, over a connection
that ends with its process. A page that asks a question sends it over the answer worker's socket (`transport.local`) to
the board in that process, and asks again until the answer comes.

Invariant: a page that is connected has heard of every change since its first version; an answer is that of its question.
Cost: a look of the hub every 0.4 s, as in the product.

    page = Page(scheduler, web, member)
    scheduler.spawn(browser, "page", page.stay)
"""

from __future__ import annotations

import io
import socket as real_socket
from collections import deque
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec

from dashboard.answers.messages import Ask, Reply, Request
from dashboard.answers.transport import board as board_module
from dashboard.answers.transport import local
from dashboard.live import hints
from dashboard.live.feed import hub as hub_module
from tests.faults.simulation.shims import Event, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.accounts.models import Member
    from tests.faults.simulation.scheduling import Process, Scheduler
    from tests.faults.simulation.weather import Weather
    from tests.faults.simulation.web import Web

FIRST_WAIT, NEXT_WAIT = 1.0, 1.0
DEADLINE = 20.0
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
            self._scheduler.spawn(process, "socket", lambda process=process, arrived=arrived: self._join(process, arrived))
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


# ---------------------------------------------------------------- questions


class Wire:
    """The socket of the answer worker: connections of web processes to the handler in its process."""

    def __init__(self, scheduler: Scheduler, weather: Weather) -> None:
        self.scheduler, self.weather = scheduler, weather
        self.process: Process | None = None
        self.board: board_module.Board | None = None

    def module(self) -> SimpleNamespace:
        """What `transport.local` sees as the module `socket`."""
        return SimpleNamespace(AF_UNIX=real_socket.AF_UNIX, socket=lambda _family: Connection(self))


class Connection:
    """One connection: a line of JSON there, a line back."""

    def __init__(self, wire: Wire) -> None:
        self._wire, self._scheduler = wire, wire.scheduler
        self._timeout = 0.0
        self._server: Process | None = None
        self._parts: deque[bytes] = deque()
        self._waiting = Waiting(wire.scheduler)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_error: object) -> None:
        self._server = None

    def settimeout(self, seconds: float) -> None:
        """How long the next call may take."""
        self._timeout = seconds

    def connect(self, _address: str) -> None:
        """Connect to the process that listens now."""
        self._scheduler.pause("connects to the answer worker")
        self._server = self._wire.process
        if self._server is None or self._server.is_dead:
            raise ConnectionRefusedError

    def sendall(self, line: bytes) -> None:
        """Send the line; the handler of the process gets it, whole or, where the connection breaks, not at all."""
        self._scheduler.pause("sends a question")
        if self._wire.weather.is_lost() or self._server is None or self._server.is_dead:
            raise BrokenPipeError
        handler: Any = object.__new__(local.Handler)
        handler.rfile, handler.wfile = io.BytesIO(line), SimpleNamespace(write=self._receive)
        handler.server = SimpleNamespace(board=self._wire.board)
        self._scheduler.spawn(self._server, "handler", handler.handle)

    def recv(self, _size: int) -> bytes:
        """Return what came; b"" where the other side is gone."""
        until = self._scheduler.clock + self._timeout
        while not self._parts:
            if self._server is None or self._server.is_dead:
                return b""
            if self._scheduler.now >= until:
                raise TimeoutError
            self._waiting.wait("waits for an answer", min(until, self._scheduler.now + 0.5))
        return self._parts.popleft()

    def _receive(self, line: bytes) -> None:
        self._scheduler.pause("replies to a question")
        if self._wire.weather.is_lost():
            raise BrokenPipeError
        # In two parts, as a long line comes.
        self._parts.extend((line[:10], line[10:]))
        self._waiting.wake()


class Asker:
    """A part of a page that asks questions one after the other, each until its answer comes."""

    def __init__(self, scheduler: Scheduler, web: Web, name: str, n_questions: int) -> None:
        self._scheduler, self._web, self._name, self._n = scheduler, web, name, n_questions
        self.wrong: list[str] = []
        self.has_done_all = False

    def live(self) -> None:
        """Ask all questions."""
        for _ in range(self._n):
            # Few different ones: people often ask the same.
            self._ask(f"question {self._scheduler.random.randrange(6)}")
        self.has_done_all = True

    def _ask(self, key: str) -> None:
        person, page = self._name.partition("/")[0], self._name
        request = Request(key, 1, 1, msgspec.Raw(b"{}"), is_final=self._scheduler.random.random() < 0.5)
        deadline = self._scheduler.now + DEADLINE
        while True:
            seconds = deadline - self._scheduler.now
            asked = Ask(request, self._name, max(seconds, 0.0), FIRST_WAIT, person=person, page=page)
            result = self._web.ask("asks", lambda asked=asked: local.ask(asked))
            if result.reply is not None:
                said = msgspec.json.decode(bytes(result.reply.answer))
                if said != key:
                    self.wrong.append(f'{self._name} asked "{key}" and got the answer to "{said}"')
                return
            if seconds <= 0 or result.is_dropped:
                # The page offers to ask again, and its reader does.
                deadline = self._scheduler.now + DEADLINE
            self._scheduler.pause("waits and asks again", NEXT_WAIT)


def serve_answers(scheduler: Scheduler, wire: Wire, process: Process, clocks: Any) -> None:
    """Start the answer worker in its process."""

    def compute(request: Request, _seconds: float, _is_unwanted: Callable[[], bool]) -> Reply:
        clocks.sleep(scheduler.random.random())
        return Reply(msgspec.Raw(msgspec.json.encode(request.key)))

    board = board_module.Board(compute)
    wire.process, wire.board = process, board
    scheduler.spawn(process, "board", lambda: board.work(Event(scheduler)))  # type: ignore[arg-type]
