"""README shows what is there: its commands run as written, and the one that brings a cluster is that of the pages."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from scheduler_core.cli.common.answering import FOUND
from scheduler_core.manifests import DEVICES_COMMAND, DUMP_COMMAND, SEPARATE, ManifestSource, load_cluster
from tests.api_server import serving_objects
from tests.dashboard.run_helpers import cluster_of
from tests.kubectl import KUBECTL, needs_kubectl
from tests.patience import PATIENCE
from tests.services.servers import free_port

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
# Without tests, documents, data and the environment.
CHECKOUT = ("scheduler_core", "dashboard", "templates", "static", "examples", "requirements", "manage.py", "Makefile")
COMMANDS = [
    line.partition("  #")[0].strip()
    for block in re.findall(r"^```\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
# The session that runs this test is `make test`; the command for kubectl has a test of its own.
NOT_RUN = {"make test", DUMP_COMMAND, DEVICES_COMMAND}


def test_the_command_that_brings_a_cluster_is_the_one_of_the_pages() -> None:
    assert DUMP_COMMAND in README
    assert DEVICES_COMMAND in README
    assert [name for name in SEPARATE.values() if f"`{name}`" not in README] == []
    assert README.count("kubectl get -A") == 2


@needs_kubectl
def test_the_command_that_brings_a_cluster_brings_one(tmp_path: Path) -> None:
    items = cluster_of(3, 5)
    with serving_objects(items) as address:
        command = DUMP_COMMAND.replace("kubectl ", f"{KUBECTL} --server {address} ", 1)
        subprocess.run(command, shell=True, check=True, cwd=tmp_path, timeout=PATIENCE)
    dumped = load_cluster([ManifestSource("cluster.json", (tmp_path / "cluster.json").read_bytes())])
    assert dumped.errors == []
    assert len(dumped.manifests) == len(items)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout without data whose environment has the packages of this one, as if it had just been installed."""
    for name in CHECKOUT:
        copied = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copied(ROOT / name, tmp_path / name)
    here, environment = Path(sys.prefix), tmp_path / ".venv"
    environment.mkdir()
    for name in ("bin", "lib"):
        (environment / name).symlink_to(here / name)
    shutil.copy2(here / "pyvenv.cfg", environment)
    for stamp in (".run-installed", ".dev-installed"):
        (environment / stamp).touch()
    items = cluster_of(3, 5)
    asked_about = copy.deepcopy(next(item for item in items if item["kind"] == "Pod"))
    asked_about["metadata"]["name"] = "web-0"
    manifests = {"apiVersion": "v1", "kind": "List", "items": [*items, asked_about]}
    (tmp_path / "cluster.json").write_text(json.dumps(manifests))
    return tmp_path


@pytest.mark.slow
@pytest.mark.essential
def test_its_commands_run_as_written(checkout: Path) -> None:
    assert set(COMMANDS) >= NOT_RUN
    left_out = ("SCHEDSCOPE_", "DJANGO_", "DATABASE_URL", "REDIS_URL", "MAKE", "PYTEST_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    environment["PORT"] = str(free_port())
    said = {}
    for command in COMMANDS:
        if command == "make run":
            assert_it_starts(checkout, environment)
        elif command not in NOT_RUN:
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=checkout,
                env=environment,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )
            assert done.returncode == (FOUND if " upgrade " in command else 0), (command, done.stdout, done.stderr)
            said[command] = done.stdout
    assert [command for command, text in said.items() if "simulate" in command and "default/pod-4" in text]
    assert [command for command, text in said.items() if " why " in command and "default/web-0" in text]
    assert [command for command in said if "validate" in command]


def assert_it_starts(checkout: Path, environment: dict[str, str]) -> None:
    """Start it as somebody at a terminal does, sign in by the printed link, and stop it by Ctrl-C."""
    log = checkout / "log"
    with log.open("w") as output:
        process = subprocess.Popen(
            ["make", "run"], cwd=checkout, env=environment, stdout=output, stderr=output, start_new_session=True
        )
        try:
            deadline = time.monotonic() + PATIENCE
            while not (link := re.search(r"sign in once by (\S+)", log.read_text())):
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)
            with urllib.request.urlopen(link.group(1), timeout=PATIENCE) as page:
                assert "Schedscope" in page.read().decode()
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.wait(60)
    assert "schedscope: stopped" in log.read_text()
