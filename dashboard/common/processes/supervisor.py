"""Keeps the processes of an embedded installation alive: web server, Celery worker and answer worker.

Only standard library: it must go on when what it watches does not. `manage.py serve` hands over to `Supervisor.run`,
which prepares the installation in a process of its own, starts the others and watches them.
"""

from __future__ import annotations

import errno
import signal
import socket
import sys
import threading
import time
from typing import TYPE_CHECKING

from dashboard.common.processes.child import REFUSED, Child, ChildEnding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

POLL_SECONDS = 0.1
STOP_SECONDS = 6.0  # A run costs at most the work since its last commit, so waiting longer saves nothing.
MOST_STARTS = 5
"""At most this many starts of a child that has never been ready; then it is given up."""


class PortError(Exception):
    """The address cannot be listened on; the message is one line for the person who started the program."""


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; it stays open while the web server is restarted, so no request is refused."""
    try:
        family, _type, _protocol, _name, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
    except (OSError, OverflowError) as error:
        raise PortError(f"cannot listen on {host}:{port} ({error})") from error
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(512)
    except (OSError, OverflowError) as error:
        listener.close()
        raise PortError(_why_not(host, port, error)) from error
    return listener


def _why_not(host: str, port: int, error: OSError | OverflowError) -> str:
    if isinstance(error, OverflowError):
        return f"port {port} does not exist; choose one from 1024 to 65535, by --port (make run PORT=8000)"
    if error.errno in {errno.EADDRINUSE, errno.EACCES}:
        another = port + 1 if 1024 <= port < 65535 else 8000
        choice = f"--port {another} (make run PORT={another})"
        return f"port {port} of {host} cannot be used ({error.strerror}); choose another: {choice}"
    choice = "--host 127.0.0.1 (make run HOST=127.0.0.1)"
    return f"cannot listen on {host} ({error.strerror}); name an address of this machine: {choice}"


def web_command(listener: socket.socket) -> list[str]:
    """Return the command of a web server on the inherited socket."""
    return [sys.executable, "-m", "dashboard.webserver", str(listener.fileno())]


def worker_command() -> list[str]:
    """Return the command of the embedded worker: one process, both queues."""
    arguments = "-m celery --quiet -A dashboard worker --pool solo --queues runs,background --loglevel WARNING"
    return [sys.executable, *arguments.split()]


def answers_command() -> list[str]:
    """Return the command of the embedded answer worker."""
    return [sys.executable, "-m", "dashboard.answers.worker"]


class Supervisor:
    """Starts the children, restarts the dead ones, and stops all of them on SIGINT, SIGTERM or SIGHUP.

    `clock` and `pause` are the kernel's; a test has its own. `pause` waits and returns whether it is time to stop.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], bool] | None = None,
    ) -> None:
        self.say, self.clock = say, clock
        self.children: list[Child] = []
        self.stopping = threading.Event()
        self.pause = pause or self.stopping.wait
        self.signals: list[int] = []

    def run(self, preparation: Child, children: Sequence[Child], on_ready: Callable[[], None]) -> int:
        """Return the exit status: 0 after a requested stop, 1 when something could not be started.

        `preparation` ends by itself before the children start; `on_ready` is called once the first of them is ready.
        Raises KeyboardInterrupt where Ctrl-C ended the preparation.
        """
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        try:
            if not self._carried_out(preparation):
                if signal.SIGINT in self.signals:
                    raise KeyboardInterrupt
                return 0 if self.signals else 1
            self.children = list(children)
            for child in self.children:
                child.start(self.clock())
            return self._watch(on_ready)
        finally:
            self._stop_children()

    def _on_signal(self, number: int, _frame: object) -> None:
        self.signals.append(number)
        self.stopping.set()
        if len(self.signals) > 1:
            for child in self.children:
                child.signal(signal.SIGKILL)

    def _carried_out(self, task: Child) -> bool:
        """Return whether a child that is to end by itself did so in good order."""
        self.children = [task]
        task.start(self.clock())
        while not self.pause(POLL_SECONDS):
            now = self.clock()
            if task.is_due(now):
                task.start(now)
            ending = task.look(now)
            if ending is not None and ending.status in (0, REFUSED):
                return ending.status == 0
            if ending is not None and not self._goes_on(task, ending):
                return False
        return False

    def _watch(self, on_ready: Callable[[], None]) -> int:
        """Return the exit status once it is time to stop, or a child could not be started."""
        is_greeted = False
        while not self.pause(POLL_SECONDS):
            for child in self.children:
                now = self.clock()
                ending = child.look(now)
                if ending is not None and not self._goes_on(child, ending):
                    return 1
                if child.is_due(now):
                    child.start(now)
            if not is_greeted and self.children[0].is_ready:
                is_greeted = True
                on_ready()
        return 0

    def _goes_on(self, child: Child, ending: ChildEnding) -> bool:
        """Say how a child ended and when it starts again; return False where that has no hope any more."""
        if not child.was_ready and child.failed_starts >= MOST_STARTS:
            tries = f"{MOST_STARTS} tries, the last with {ending}"
            self.say(f"{child.name} did not get ready in {tries}; its messages are above")
            return False
        delay = child.plan_restart(self.clock())
        said = "ended" if ending.was_ready else "did not get ready"
        self.say(f"{child.name} {said} ({ending}); starting it again in {delay:g} s")
        return True

    def _stop_children(self) -> None:
        """Ask every child to stop; kill what is still there after STOP_SECONDS."""
        for child in self.children:
            child.signal(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        for child in self.children:
            if child.process is not None:
                child.process.wait(max(0.0, deadline - time.monotonic()))
