"""Questions of pages to the answer worker, over its socket, and the worker with its board.

Idea: a part of a page asks through a web process (`transport.local.ask`), whose connection leads to the handler and the
board (`transport.board`) in the answer worker's process. Lines are lost, connections break, the worker is killed; the
page asks again until the answer comes. The answer to a question is its own key.

Invariant: an answer is that of the question; each question is answered in the end.
Cost: about ten pauses for a question.

    asker = Asker(scheduler, web, "ann/0", n_questions=3)
    scheduler.spawn(browser, "part", asker.live)
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
from tests.faults.simulation.shims import Event, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.faults.simulation.scheduling import Process, Scheduler
    from tests.faults.simulation.shims import Clocks
    from tests.faults.simulation.weather import Weather
    from tests.faults.simulation.web import Web

PATIENCE, PAUSE = 1.0, 1.0
DEADLINE = 20.0
# Few different ones: people often ask the same.
N_KEYS = 6


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
            self._ask(f"question {self._scheduler.random.randrange(N_KEYS)}")
        self.has_done_all = True

    def _ask(self, key: str) -> None:
        person, page = self._name.partition("/")[0], self._name
        request = Request(key, 1, 1, msgspec.Raw(b"{}"), is_final=self._scheduler.random.random() < 0.5)
        deadline = self._scheduler.now + DEADLINE
        while True:
            seconds = deadline - self._scheduler.now
            asked = Ask(request, self._name, max(seconds, 0.0), PATIENCE, person=person, page=page)
            result = self._web.ask("asks", lambda asked=asked: local.ask(asked))
            if result.reply is not None:
                said = msgspec.json.decode(bytes(result.reply.answer))
                if said != key:
                    self.wrong.append(f'{self._name} asked "{key}" and got the answer to "{said}"')
                return
            if seconds <= 0 or result.is_dropped:
                # The page offers to ask again, and its reader does.
                deadline = self._scheduler.now + DEADLINE
            self._scheduler.pause("waits and asks again", PAUSE)


def serve_answers(scheduler: Scheduler, wire: Wire, clocks: Clocks, process: Process) -> None:
    """Start the answer worker in its process."""

    def compute(request: Request, _seconds: float, _is_unwanted: Callable[[], bool]) -> Reply:
        clocks.sleep(scheduler.random.random())
        return Reply(msgspec.Raw(msgspec.json.encode(request.key)))

    board = board_module.Board(compute)
    wire.process, wire.board = process, board
    scheduler.spawn(process, "board", lambda: board.work(Event(scheduler)))  # type: ignore[arg-type]
