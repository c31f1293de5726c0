"""Installations whose processes and servers can be killed one by one: embedded, and of the production set-up."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psycopg

from dashboard.common.processes.supervisor import listen, web_command, worker_command
from tests.faults.processes import OWNERS_SESSION, ROOT, embedded_environment, prepare, prepared_cluster
from tests.services import servers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

PRODUCTION_WORKER = ("-m", "celery", "-A", "dashboard", "worker", "--concurrency", "1", "--loglevel", "WARNING")


@dataclass
class Installation:
    """The processes of an installation, without a supervisor: what dies stays dead until somebody starts it.

    `ask` gives the first row of a query; `servers` are empty for an embedded installation.
    """

    environment: dict[str, str]
    folder: Path
    ask: Callable[[str], Any]
    rows: Callable[[str], list[tuple[Any, ...]]]
    commands: dict[str, Sequence[str | Path]]
    port: int
    pass_fds: tuple[int, ...] = ()
    servers: Mapping[str, servers.Server] = field(default_factory=dict)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def log(self) -> Path:
        """Return the file that all processes write to."""
        return self.folder / "log"

    def start(self, *names: str) -> None:
        """Start processes of `commands`."""
        for name in names:
            with self.log.open("ab") as log:
                self.processes[name] = subprocess.Popen(
                    self.commands[name],
                    cwd=ROOT,
                    env=self.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=self.pass_fds,
                    start_new_session=True,
                )

    def kill(self, name: str) -> None:
        """End a server or a process with all that it started, as the kernel does when memory is out."""
        if name in self.servers:
            self.servers[name].kill()
            return
        process = self.processes[name]
        servers.kill_all(process.pid)
        process.wait()

    def kill_alone(self, name: str) -> None:
        """End a process, not what it started: children of a supervisor or of a worker are to notice by themselves."""
        self.processes[name].kill()
        self.processes[name].wait()

    def ended(self) -> dict[str, int]:
        """Return {name: exit status} of the processes that ended."""
        statuses = {name: process.poll() for name, process in self.processes.items()}
        return {name: status for name, status in statuses.items() if status is not None}

    def stop(self) -> None:
        """Stop all processes, in order where they still listen to that."""
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                servers.kill_all(process.pid)
                process.wait()


@contextmanager
def embedded(folder: Path) -> Iterator[Installation]:
    """Yield an installation with SQLite and a folder as broker: `web` and `worker1`, not started."""
    environment = prepare(embedded_environment(folder / "var"))
    rows = _reader(folder / "var" / "schedscope.sqlite3")
    with listen("127.0.0.1", 0) as listener:
        fds = (listener.fileno(),)
        commands = {"web": web_command(listener), "worker1": worker_command()}
        port = listener.getsockname()[1]
        yield from _running(Installation(environment, folder, _first(rows), rows, commands, port, fds))


@contextmanager
def supervised(folder: Path) -> Iterator[Installation]:
    """Yield what `make run` starts: a `supervisor`, not started, with web server and worker of its own."""
    with served(prepare(embedded_environment(folder / "var")), folder) as installation:
        yield installation


@contextmanager
def served(environment: dict[str, str], folder: Path) -> Iterator[Installation]:
    """Yield what `make run` starts on the data that is in `folder` / var, as `supervised`."""
    port, rows = servers.free_port(), _reader(folder / "var" / "schedscope.sqlite3")
    commands = {"supervisor": [sys.executable, "manage.py", "serve", "--no-demo", "--port", str(port)]}
    yield from _running(Installation(environment, folder, _first(rows), rows, commands, port))


@contextmanager
def production(folder: Path, workers: int = 2) -> Iterator[Installation]:
    """Yield one with PostgreSQL and Redis of its own: `web`, `worker1` .. `workerN` and `answers`, not started."""
    with ExitStack() as stack:
        data, session = prepared_cluster()
        postgres, redis = stack.enter_context(servers.postgres(data)), stack.enter_context(servers.redis())
        environment = servers.production_environment(postgres.url, redis.url, folder / "var") | {
            OWNERS_SESSION: session
        }
        listener = stack.enter_context(listen("127.0.0.1", 0))

        def rows(query: str) -> list[tuple[Any, ...]]:
            with psycopg.connect(postgres.url, autocommit=True) as connection:
                return connection.execute(query).fetchall()

        commands: dict[str, Sequence[str | Path]] = {"web": web_command(listener)}
        queues = {f"worker{number}": "runs,background" for number in range(1, workers + 1)} | {"answers": "answers"}
        for name, read in queues.items():
            commands[name] = [sys.executable, *PRODUCTION_WORKER, "--queues", read, "--hostname", f"{name}@%h"]
        fds, service_ports = (listener.fileno(),), {"postgres": postgres, "redis": redis}
        port = listener.getsockname()[1]
        yield from _running(Installation(environment, folder, _first(rows), rows, commands, port, fds, service_ports))


def _running(installation: Installation) -> Iterator[Installation]:
    try:
        yield installation
    finally:
        installation.stop()


def _reader(path: Path) -> Callable[[str], list[tuple[Any, ...]]]:
    def rows(query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(path, timeout=20)) as connection:
            return connection.execute(query).fetchall()

    return rows


def _first(rows: Callable[[str], list[tuple[Any, ...]]]) -> Callable[[str], Any]:
    return lambda query: next(iter(rows(query)), None)


def pause(process: subprocess.Popen[bytes]) -> None:
    """Stop a process where it is, with its children."""
    for pid in servers.family(process.pid):
        os.kill(pid, signal.SIGSTOP)


def resume(process: subprocess.Popen[bytes]) -> None:
    """Let a stopped process go on."""
    for pid in servers.family(process.pid):
        os.kill(pid, signal.SIGCONT)
