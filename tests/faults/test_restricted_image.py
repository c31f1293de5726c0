"""The image's commands under the image's restrictions: a read-only tree, uid 65534, no capabilities.

Bubblewrap (`bwrap`) makes the sandbox of this machine's files: no container engine, no image and no root is needed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from tests.conftest import unavailable
from tests.dashboard.run_helpers import cluster_of
from tests.faults.processes import ROOT
from tests.patience import PATIENCE, until
from tests.services.servers import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.long

# What the Dockerfile copies.
TREE = ("manage.py", "scheduler_core", "dashboard", "templates", "static")
IN_SANDBOX = Path("/app")
DATA = Path("/data")
NOT_OF_THE_MACHINE = {"/app", "/data", "/dev", "/proc", "/sys", "/tmp", "/run", "/home", "/root"}
PROBE = """
import os
def can_write(path):
    try:
        open(path, "w").close()
    except OSError as error:
        return error.strerror
    return True
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
paths = ["/app/x", "/usr/x", "/x", "/data/x", "/tmp/x"]
print(os.getuid(), os.getgid(), int(status["CapEff"], 16), *(can_write(path) is True for path in paths))
"""


def image_command() -> list[str]:
    """Return the words of the Dockerfile's CMD."""
    text = (ROOT / "Dockerfile").read_text()
    return json.loads(re.search(r"^CMD (\[.*?\])$", text, re.MULTILINE | re.DOTALL).group(1).replace("\\\n", ""))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the image under /app, its static files built."""
    folder = tmp_path_factory.mktemp("image") / "app"
    folder.mkdir()
    for name in TREE:
        copied = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copied(ROOT / name, folder / name)
    building = os.environ | {
        "SCHEDSCOPE_STATIC_COLLECTED": "1",
        "SCHEDSCOPE_DATA": str(folder.parent / "build"),
        "SCHEDSCOPE_SECRET_KEY": "build",
        "DJANGO_SETTINGS_MODULE": "dashboard.settings",
    }
    command = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
    subprocess.run(command, cwd=folder, env=building, check=True, timeout=PATIENCE)
    return folder


class Sandbox:
    """Runs the image's commands; `/data` is a folder that all of them share."""

    def __init__(self, tree: Path, folder: Path, postgres_url: str, redis_url: str) -> None:
        (folder / "data").mkdir()
        sockets = unquote(urlsplit(postgres_url).hostname or "")
        self.log = folder / "log"
        self.start = ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--die-with-parent"]
        self.start += ["--uid", "65534", "--gid", "65534", "--cap-drop", "ALL", "--clearenv"]
        for path in sorted(Path("/").iterdir()):
            if str(path) not in NOT_OF_THE_MACHINE:
                at = ["--symlink", os.readlink(path)] if path.is_symlink() else ["--ro-bind", str(path)]
                self.start += [*at, str(path)]
        self.start += ["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
        for prefix in {sys.prefix, sys.base_prefix}:
            self.start += ["--ro-bind", prefix, prefix]
        self.start += ["--ro-bind", str(tree), str(IN_SANDBOX), "--bind", str(folder / "data"), str(DATA)]
        if sockets.startswith("/"):
            self.start += ["--bind", sockets, sockets]
        environment = {
            "PATH": f"{sys.prefix}/bin:/usr/bin:/bin",
            "DATABASE_URL": postgres_url,
            "REDIS_URL": redis_url,
            "SCHEDSCOPE_SECRET_KEY": "a key for tests only",
            "SCHEDSCOPE_DATA": str(DATA),
            "SCHEDSCOPE_STATIC_COLLECTED": "1",
            "SCHEDSCOPE_LOG": "json",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        for name, value in environment.items():
            self.start += ["--setenv", name, value]
        self.start += ["--remount-ro", "/", "--chdir", str(IN_SANDBOX), "--"]

    def run(self, *command: str) -> str:
        """Return what a command printed that ends by itself."""
        done = subprocess.run([*self.start, *command], capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def running(self, *command: str) -> Iterator[None]:
        """Have a command run, which must not end before."""
        with self.log.open("ab") as log:
            process = subprocess.Popen([*self.start, *command], stdout=log, stderr=log)
        try:
            yield
            assert process.poll() is None, self.log.read_text()
        finally:
            process.terminate()
            process.wait(30)


@pytest.fixture
def sandbox(tree, tmp_path, postgres_url, redis_url) -> Sandbox:
    """A sandbox with servers of its own."""
    if shutil.which("bwrap") is None:
        unavailable("no bwrap: install the package bubblewrap of the distribution")
    if subprocess.run(["bwrap", "--unshare-user", "--ro-bind", "/", "/", "true"], capture_output=True).returncode:
        unavailable("bwrap may not make user namespaces on this machine")
    return Sandbox(tree, tmp_path, postgres_url, redis_url)


def is_answered(url: str) -> bool:
    """Return whether the web server answers 200."""
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return response.status == 200
    except OSError:
        return False


def test_it_migrates_serves_and_computes(sandbox, tmp_path):
    probe = sandbox.run("python", "-c", PROBE).split()
    assert probe == ["65534", "65534", "0", "False", "False", "False", "True", "True"]
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    sandbox.run(*services["migrate"]["command"])
    sandbox.run("python", "manage.py", "signin_link")
    objects = tmp_path / "data" / "objects.json"
    objects.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": cluster_of(3, 5)}))
    port = str(free_port())
    web = [port if word == "8000" else word for word in image_command()]
    with sandbox.running(*web), sandbox.running(*services["worker"]["command"]):
        start = ["python", "manage.py", "start_run", str(DATA / "objects.json"), "--wait", str(int(PATIENCE))]
        ended = json.loads(sandbox.run(*start).splitlines()[-1])
        assert ended["state"] == "finished", sandbox.log.read_text()
        until(lambda: is_answered(f"http://127.0.0.1:{port}/healthz"))
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/signin", timeout=PATIENCE) as page:
            style = re.search(r'href="(/static/[^"]+\.css)"', page.read().decode())
        assert is_answered(f"http://127.0.0.1:{port}{style.group(1)}")
        with sandbox.running(*services["answers"]["command"]):
            until(lambda: "Traceback" in sandbox.log.read_text() or _has_begun(sandbox))
    assert "Traceback" not in sandbox.log.read_text(), sandbox.log.read_text()


def _has_begun(sandbox: Sandbox) -> bool:
    """Return whether an answer worker says in Redis that it is there."""
    code = "import django; django.setup(); from dashboard.answers.transport import broker; "
    asks = code + "print(bool(broker._redis().exists(broker.PRESENT)))"
    environment = "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'dashboard.settings'; "
    return sandbox.run("python", "-c", environment + asks).strip() == "True"
