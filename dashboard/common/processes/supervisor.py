"""Keeps the processes of an embedded installation alive: web server, Celery worker and answer worker.

Only standard library: it must go on when what it watches does not. `manage.py serve` prepares the
installation and then hands over to `Supervisor.run`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

POLL_SECONDS = 0.1
STOP_SECONDS = 6.0  # A run costs at most the work since its last commit, so waiting longer saves nothing.
READY_SECONDS = 60.0
BACKOFF_SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
STEADY_SECONDS = 60.0  # A child that lived this long is healthy again: its next death starts the back-off anew.
PR_SET_PDEATHSIG = 1


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
        return f"port {port} does not exist; choose one from 1024 to 65535: make run PORT=8000"
    if error.errno in {errno.EADDRINUSE, errno.EACCES}:
        another = port + 1 if 1024 <= port < 65535 else 8000
        return f"port {port} of {host} cannot be used ({error.strerror}); choose another: make run PORT={another}"
    return f"cannot listen on {host} ({error.strerror}); name an address of this machine: make run HOST=127.0.0.1"


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


# Somebody waits for an answer, for some seconds; a start costs one.
ANSWERS_PAUSE_SECONDS = 5.0


def _die_with_parent() -> None:
    """Ask the kernel to stop this child when the supervisor is gone, even by kill -9 (Linux only)."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


@dataclass
class Child:
    """One watched process, with what its next restart depends on; it is started again after `longest_pause` at most."""

    name: str
    command: Sequence[str]
    pass_fds: tuple[int, ...] = ()
    longest_pause: float = BACKOFF_SECONDS[-1]
    process: subprocess.Popen[bytes] | None = None
    deaths: int = 0
    started_at: float = 0.0
    start_again_at: float = field(default=0.0)

    def start(self) -> None:
        """Start the process in a session of its own, so that Ctrl-C reaches the supervisor only."""
        self.started_at = time.monotonic()
        self.process = subprocess.Popen(
            self.command,
            pass_fds=self.pass_fds,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # Banners; everything worth reading is logged to standard error.
            start_new_session=True,
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )

    def died(self) -> int | None:
        """Return the exit status of a process that has just ended, None while it lives or waits for its restart."""
        if self.process is None:
            return None
        status = self.process.poll()
        if status is not None:
            self.process = None
        return status

    def plan_restart(self) -> float:
        """Return the seconds until the next start, more after each early death."""
        now = time.monotonic()
        self.deaths = 1 if now - self.started_at > STEADY_SECONDS else self.deaths + 1
        delay = min(BACKOFF_SECONDS[min(self.deaths, len(BACKOFF_SECONDS)) - 1], self.longest_pause)
        self.start_again_at = now + delay
        return delay

    def signal(self, number: int) -> None:
        """Send a signal to the process and what it started."""
        if self.process is not None and self.process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)


class Supervisor:
    """Starts the children, restarts the dead ones, and stops all of them on SIGINT, SIGTERM or SIGHUP."""

    def __init__(self, children: Sequence[Child], say: Callable[[str], None]) -> None:
        self.children = list(children)
        self.say = say
        self.stopping = threading.Event()
        self.interrupts = 0

    def run(self, is_ready: Callable[[], bool], on_ready: Callable[[], None]) -> int:
        """Return the exit status: 0 after a requested stop, 1 when the children never became ready."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        for child in self.children:
            child.start()
        try:
            ready = self._wait_until(is_ready)
            if ready:
                on_ready()
                self._watch()
            return 0 if ready or self.interrupts else 1
        finally:
            self._stop_children()

    def _on_signal(self, number: int, _frame: object) -> None:
        self.interrupts += 1
        self.stopping.set()
        if self.interrupts > 1:
            for child in self.children:
                child.signal(signal.SIGKILL)

    def _wait_until(self, is_ready: Callable[[], bool]) -> bool:
        """Return whether the children became ready; a child that dies before has nothing to wait for."""
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline and not self.stopping.is_set():
            for child in self.children:
                status = child.died()
                if status is not None:
                    self.say(f"{child.name} did not start (exit status {status}); its message is above")
                    return False
            if is_ready():
                return True
            self.stopping.wait(POLL_SECONDS)
        if not self.stopping.is_set():
            self.say(f"not ready after {READY_SECONDS:.0f} s, giving up")
        return False

    def _watch(self) -> None:
        while not self.stopping.wait(POLL_SECONDS):
            for child in self.children:
                status = child.died()
                if status is not None:
                    delay = child.plan_restart()
                    self.say(f"{child.name} ended (exit status {status}); starting it again in {delay:g} s")
                elif child.process is None and time.monotonic() >= child.start_again_at:
                    child.start()

    def _stop_children(self) -> None:
        """Ask every child to stop; kill what is still there after STOP_SECONDS."""
        for child in self.children:
            child.signal(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        for child in self.children:
            if child.process is None:
                continue
            try:
                child.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.signal(signal.SIGKILL)
                child.process.wait()


def answers(address: tuple[str, int], path: str = "/healthz") -> bool:
    """Return whether a web server answers there with any HTTP status."""
    host, port = address
    try:
        with socket.create_connection((host, port), timeout=1.0) as connection:
            connection.sendall(f"GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n".encode("ascii"))
            return connection.recv(5) == b"HTTP/"
    except OSError:
        return False
