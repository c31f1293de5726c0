"""`make release`: a clean checkout becomes a wheel that works by itself; one with changes is refused."""

from __future__ import annotations

import hashlib
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.services.servers import free_port

ROOT = Path(__file__).parents[2]
RELEASE = runpy.run_path(str(ROOT / "requirements" / "release.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
GIT = ("git", "-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false")
FILES = ("scheduler_core", "dashboard", "templates", "static", "requirements", "pyproject.toml", "README.md", "LICENSE")
CLUSTER = """
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: "1", memory: 8Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: wide, namespace: default}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "2"}}}]}
"""


def committed(folder: Path, files: tuple[str, ...]) -> Path:
    """Return a checkout of one commit with these files of the project, as they are now."""
    folder.mkdir()
    for name in files:
        if (ROOT / name).is_dir():
            leave_out = shutil.ignore_patterns("__pycache__", "_kernel*")
            shutil.copytree(ROOT / name, folder / name, ignore=leave_out)
        else:
            shutil.copy2(ROOT / name, folder / name)
    for command in (["init", "-q"], ["add", "-A", "-f"], ["commit", "-q", "-m", "one"]):
        subprocess.run([*GIT, *command], cwd=folder, check=True)
    return folder


def test_a_checkout_with_changes_is_refused_and_nothing_is_written(tmp_path):
    checkout = committed(tmp_path / "checkout", ("LICENSE",))
    (checkout / "new.txt").write_text("")
    with pytest.raises(SystemExit, match=r"has changes.*new\.txt"):
        RELEASE["main"](checkout, tmp_path / "dist")
    assert not (tmp_path / "dist").exists()


def test_the_bill_names_each_locked_package_and_vendored_file_once():
    locked = (ROOT / "requirements" / "run.txt").read_text()
    bill = RELEASE["bill_of_materials"](ROOT, locked, "0" * 40)
    names = [(component["name"], component["version"]) for component in bill["components"]]
    vendored = json.loads((ROOT / "static" / "vendor" / "MANIFEST.json").read_text())["files"]
    pinned = re.findall(r"^([a-z0-9-]+)(?:\[.*?\])?==(\S+)", locked, re.MULTILINE)
    assert sorted(names) == sorted({*pinned, *((file["package"], file["version"]) for file in vendored)})
    assert bill["metadata"]["component"]["version"] == PROJECT["version"]
    licences = {component["name"]: component.get("licenses") for component in bill["components"]}
    assert licences["htmx.org"] == [{"expression": "0BSD"}]
    assert [name for name in ("django", "celery", "msgspec", "psycopg") if not licences[name]] == []


def test_commands_of_the_installed_program_are_those_of_manage():
    ours = runpy.run_path(str(ROOT / "manage.py"))["OURS"]
    commands = PROJECT["entry-points"]["schedscope.commands"]
    assert ours - commands.keys() == {"load_demo"}
    assert commands.keys() - ours == set()


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a release of this tree."""
    folder = tmp_path_factory.mktemp("release")
    RELEASE["main"](committed(folder / "checkout", FILES), folder / "dist")
    return folder / "dist"


@pytest.mark.long
def test_a_release_is_four_files_and_their_sums(release):
    version = PROJECT["version"]
    wheel = f"schedscope-{version}-py3-none-any.whl"
    sums = dict(reversed(line.split("  ")) for line in (release / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == {wheel, "wheelhouse.txt", f"schedscope-{version}.cdx.json"}
    assert all(hashlib.sha256((release / name).read_bytes()).hexdigest() == sums[name] for name in sums)
    assert f"schedscope=={version} --hash=sha256:{sums[wheel]}" in (release / "wheelhouse.txt").read_text()
    with zipfile.ZipFile(release / wheel) as archive:
        names = set(archive.namelist())
    for folder in ("templates", "static"):
        there = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*") if path.is_file()}
        assert {f"dashboard/{name}" for name in there} - names == set()
    assert [name for name in names if "_kernel" in name or "__pycache__" in name or name.startswith("tests")] == []


@pytest.fixture(scope="module")
def environment(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment into which the wheel house was installed, without a package index."""
    folder = tmp_path_factory.mktemp("installed")
    listed = ["--require-hashes", "-r", str(release / "wheelhouse.txt")]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    house = folder / "house"
    fill = [*pip, "download", "--find-links", str(release), "-d", str(house), *listed]
    done = subprocess.run(fill, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1]
        pytest.fail(last) if "CI" in os.environ else pytest.skip(f"no wheel house can be filled here: {last}")
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    install = [folder / "env/bin/python", *pip[1:], "install", "--no-index", "--find-links", house, *listed]
    subprocess.run(install, check=True, timeout=PATIENCE)
    return folder / "env" / "bin"


def variables(home: Path) -> dict[str, str]:
    """Return an environment without anything of this session's."""
    left_out = ("SCHEDSCOPE_", "DJANGO_", "DATABASE_URL", "REDIS_URL", "PYTHON", "PYTEST_")
    return {name: value for name, value in os.environ.items() if not name.startswith(left_out)} | {"HOME": str(home)}


@pytest.mark.long
def test_installed_from_the_wheel_house_it_answers_why(environment, tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    command = [environment / "schedscope", "why", "cluster.yaml", "--pod", "default/wide", "--json"]
    done = subprocess.run(command, cwd=tmp_path, env=variables(tmp_path), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pending = json.loads(done.stdout)["pending"]
    assert (pending["pod"], pending["because"]["plugin"]) == ("default/wide", "NodeResourcesFit")


@pytest.mark.long
def test_installed_from_the_wheel_house_it_starts_the_demo(environment, tmp_path):
    command = [environment / "schedscope", "serve", "--port", str(free_port())]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=tmp_path, env=variables(tmp_path), stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + PATIENCE
        while not (link := re.search(r"sign in once by (\S+)", (tmp_path / "log").read_text())):
            assert process.poll() is None, (tmp_path / "log").read_text()
            assert time.monotonic() < deadline, (tmp_path / "log").read_text()
            time.sleep(0.1)
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(link.group(1), timeout=PATIENCE) as page:
            text = page.read().decode()
        address = re.search(r'href="(/static/[^"]+\.css)"', text)
        with opener.open(link.group(1).partition("/signin/")[0] + address.group(1), timeout=PATIENCE) as style:
            assert style.headers["Content-Type"].startswith("text/css")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
    said = (tmp_path / "log").read_text()
    assert "Demo: forty pods (run 1) is started" in said
    assert "Traceback" not in said
    assert (tmp_path / ".local/share/schedscope/schedscope.sqlite3").exists()
