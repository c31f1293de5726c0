"""Real processes of an installation to measure: web server, clocked worker, sockets, management commands.

`embedded` is what `make run` starts; `production` has PostgreSQL, Redis and a prefork worker.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dashboard.common.processes.marked import cpu_seconds
from dashboard.common.processes.supervisor import listen, web_command, worker_command
from tests.faults.processes import ROOT, embedded_environment, manage, prepare, process, sign_in
from tests.health import answers
from tests.services import servers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DEADLINE = 600.0
# Reading the manifests and, with --wait, the run itself.
START_SECONDS = 2 * DEADLINE
PREFORK = "--quiet -A dashboard worker --queues runs,background --concurrency 1 --loglevel WARNING"


@dataclass
class Installation:
    """Running processes with one workspace; `figures` is where the worker says what a segment cost."""

    environment: dict[str, str]
    folder: Path
    port: int
    cookie: str
    web_pids: tuple[int, ...]

    @property
    def origin(self) -> str:
        """The address of the web process."""
        return f"http://127.0.0.1:{self.port}"

    def web_cpu_seconds(self) -> float:
        """The processor time that the web processes have had, in seconds."""
        return sum(map(cpu_seconds, self.web_pids))

    @property
    def figures(self) -> Path:
        """Where the clocked worker writes."""
        return self.folder / "figures"

    @property
    def log(self) -> Path:
        """What the processes say."""
        return self.folder / "log"

    def start_run(self, manifests: Sequence[dict[str, Any]], *arguments: str) -> dict[str, Any]:
        """Import the manifests and start a run of them by the product's command; what it says of the run."""
        return json.loads(
            manage(self.environment, "start_run", str(self.write(manifests)), *arguments, seconds=START_SECONDS)
        )

    def write(self, manifests: Sequence[dict[str, Any]]) -> Path:
        """The file of the manifests."""
        path = self.folder / "objects.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(manifests)}))
        return path

    @contextmanager
    def sockets(self, count: int) -> Iterator[Path]:
        """Yield the file in which sockets on the first run tell what they received; left when all are through."""
        out = self.folder / "received"
        url = f"ws://127.0.0.1:{self.port}/ws/w/{self._workspace()}/runs/1/"
        arguments = [sys.executable, "-m", "tests.bench.sockets", url, self.origin, self.cookie, str(count), str(out)]
        with process(self.environment, arguments, self.log) as clients:
            yield out
            if clients.wait(DEADLINE):
                raise ValueError(f"the sockets did not get everything:\n{self.log.read_text()}")

    def question(self, module: str, *arguments: str, seconds: float = DEADLINE) -> dict[str, Any]:
        """The JSON that a module prints in this installation's environment within so many seconds."""
        arguments = (sys.executable, "-m", module, *arguments)
        done = subprocess.run(
            arguments, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=seconds
        )
        if done.returncode:
            raise ValueError(done.stderr)
        return dict(json.loads(done.stdout))

    def segments(self) -> list[dict[str, Any]]:
        """What the worker's segments cost."""
        return [json.loads(line) for line in self.figures.read_text().splitlines()]

    def commits(self) -> list[tuple[int, float]]:
        """(end seq, monotonic seconds) of every commit."""
        lines = self.figures.with_name("figures.commits").read_text().splitlines()
        return [(int(seq), float(at)) for seq, at in map(str.split, lines)]

    def _workspace(self) -> str:
        arguments = "from dashboard.accounts.models import Workspace; print(Workspace.objects.get().slug)"
        return manage(self.environment, "shell", "--no-imports", "-c", arguments).strip()


@contextmanager
def embedded(*pace: str, web_processes: int = 1) -> Iterator[Installation]:
    """An embedded installation in a folder of its own; it has one web process."""
    if web_processes != 1:
        raise ValueError("an embedded installation has one web process")
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        environment = prepare(embedded_environment(folder / "var"))
        with _processes(environment, folder, worker_command()[3:], pace) as processes:
            yield processes


@contextmanager
def production(*pace: str, web_processes: int = 1) -> Iterator[Installation]:
    """One of the production set-up, its servers included; its web processes share an address."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        postgres, redis = stack.enter_context(servers.postgres()), stack.enter_context(servers.redis())
        environment = prepare(servers.production_environment(postgres.url, redis.url, folder / "var"))
        yield stack.enter_context(_processes(environment, folder, PREFORK.split(), pace, web_processes))


INSTALLATIONS = {"sqlite": embedded, "postgresql": production}


@contextmanager
def _processes(
    environment: dict[str, str], folder: Path, celery: Sequence[str], pace: Sequence[str], web_processes: int = 1
) -> Iterator[Installation]:
    cookie, log = sign_in(environment), folder / "log"
    worker = [sys.executable, "-m", "tests.bench.clocked_worker", str(folder / "figures"), *pace, "--", *celery]
    with listen("127.0.0.1", 0) as listener, ExitStack() as stack:
        port, fds = listener.getsockname()[1], (listener.fileno(),)
        stack.enter_context(process(environment, worker, log))
        command = web_command(listener)
        webs = [stack.enter_context(process(environment, command, log, pass_fds=fds)) for _ in range(web_processes)]
        _wait_until_it_answers(port, webs[0], log)
        yield Installation(environment, folder, port, cookie, tuple(web.pid for web in webs))


def _wait_until_it_answers(port: int, web: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + DEADLINE
    while not answers(("127.0.0.1", port)):
        if web.poll() is not None or time.monotonic() > deadline:
            raise ValueError(f"no web server:\n{log.read_text()}")
        time.sleep(0.05)
