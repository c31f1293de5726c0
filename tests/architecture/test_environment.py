"""`make setup` beside another one, and over what one leaves that was stopped: an environment of its own, or nothing.

Real Pythons and environments; pip is a stub that writes down which Python it would have installed into.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE, until

ROOT = Path(__file__).resolve().parents[2]
MACHINE = Path(sys._base_executable)
PIP = """
import os, pathlib, sys, time
with open(os.environ["STUB_LOG"], "a") as log:
    log.write(f"{sys.prefix} {sys.argv[-1]}\\n")
while not pathlib.Path(os.environ["STUB_GO"]).exists():
    time.sleep(0.02)
"""
# What makes an environment gets one with the stub for pip; all else is the machine's Python.
PYTHON = """#!/bin/sh
case "$*" in
  *run_module*) "{machine}" -m venv --without-pip --clear .venv && cp -r stubs/pip .venv/lib/python3*/site-packages/ ;;
  *) exec "{machine}" "$@" ;;
esac
"""
SET_UP = ["requirements/install", ".venv", "requirements/run.txt", ".run-installed"]
pytestmark = pytest.mark.slow


@pytest.fixture
def checkout(tmp_path):
    """A folder with what the set-up reads, and no environment."""
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    files = {
        "stubs/pip/__init__.py": "",
        "stubs/pip/__main__.py": PIP,
        "scheduler_core/__init__.py": "",
        "scheduler_core/compiled/__init__.py": "",
        "scheduler_core/compiled/build.py": "",
        "bin/python3": PYTHON.format(machine=MACHINE),
        "bin/cc": "#!/bin/sh\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name in ("python3", "cc"):
        (tmp_path / "bin" / name).chmod(0o755)
    yield tmp_path
    (tmp_path / "go").touch()


def begun(checkout, command=SET_UP, **more):
    """Begin a set-up; pip waits for the file "go"."""
    own = {
        "PATH": f"{checkout / 'bin'}:/usr/bin:/bin",
        "STUB_LOG": str(checkout / "log"),
        "STUB_GO": str(checkout / "go"),
    }
    return subprocess.Popen(
        command, cwd=checkout, env=own | more, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def installed_into(checkout):
    """Return where pip was asked to install something."""
    log = checkout / "log"
    return [line.split()[0] for line in log.read_text().splitlines()] if log.exists() else []


def is_whole(checkout):
    """Return whether the environment is one of its own, has pip, and its set-up came to its end."""
    code = "import pip, sys; print(sys.prefix)"
    venv = checkout / ".venv"
    said = subprocess.run([venv / "bin" / "python", "-c", code], capture_output=True, text=True, check=False).stdout
    return said.strip() == str(venv) and (venv / ".run-installed").exists()


def half_made(venv, kind):
    """Leave what a set-up leaves that was stopped."""
    (venv / "bin").mkdir(parents=True)
    if kind == "no python, but its link":
        (venv / "bin" / "python").symlink_to("/gone/python3")
    if kind in ("no pip", "no settings"):
        (venv / "bin" / "python").symlink_to(MACHINE)
    if kind in ("no pip", "no python, but its link", "no python"):
        (venv / "pyvenv.cfg").write_text(f"home = {MACHINE.parent}\ninclude-system-site-packages = false\n")
    if kind == "nothing":
        (venv / "bin").rmdir()


@pytest.mark.parametrize("kind", ["no settings", "no pip", "no python", "no python, but its link", "nothing"])
def test_a_half_made_environment_is_made_anew_and_the_machine_is_left_alone(checkout, kind):
    half_made(checkout / ".venv", kind)
    (checkout / "go").touch()
    # The machine's Python has a pip, too: only that of the environment may be asked.
    more = {"PYTHONPATH": str(checkout / "stubs")} if kind == "no settings" else {}
    set_up = begun(checkout, **more)
    errors = set_up.communicate(timeout=PATIENCE)[1]
    assert set_up.returncode == 0, errors
    assert set(installed_into(checkout)) == {str(checkout / ".venv")}
    assert is_whole(checkout)


def test_a_whole_environment_stays(checkout):
    (checkout / "go").touch()
    for _ in range(2):
        set_up = begun(checkout)
        errors = set_up.communicate(timeout=PATIENCE)[1]
        assert set_up.returncode == 0, errors
        (checkout / ".venv" / "mine").touch()
    assert "creating" not in errors


def test_of_two_at_once_the_second_waits_and_has_nothing_left_to_do(checkout):
    first = begun(checkout)
    until(lambda: installed_into(checkout))
    second = begun(checkout)
    assert "waiting for its end" in second.stderr.readline()
    n_installed = len(installed_into(checkout))
    (checkout / "go").touch()
    errors = [one.communicate(timeout=PATIENCE)[1] for one in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0], errors
    assert is_whole(checkout)
    assert errors[1] == ""
    assert len(installed_into(checkout)) == n_installed + 1


def test_the_second_does_what_the_first_was_killed_over(checkout):
    first = begun(checkout)
    until(lambda: installed_into(checkout))
    second = begun(checkout)
    assert "waiting for its end" in second.stderr.readline()
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    (checkout / "go").touch()
    errors = second.communicate(timeout=PATIENCE)[1]
    assert second.returncode == 0, errors
    assert is_whole(checkout)


@pytest.mark.parametrize("missing", ["pyvenv.cfg", "bin/python"])
def test_make_does_not_believe_the_stamp_of_a_broken_environment(checkout, missing):
    shutil.copy(ROOT / "Makefile", checkout)
    needed = ["build.py", "interface.py", "arguments.py"]
    for path in (*(f"scheduler_core/compiled/{name}" for name in needed), *EXAMPLES, ".venv/bin/python"):
        (checkout / path).parent.mkdir(parents=True, exist_ok=True)
        (checkout / path).touch()
    for name in ("pyvenv.cfg", ".run-installed", ".dev-installed"):
        (checkout / ".venv" / name).touch()
    question = ["make", "-q", ".venv/.run-installed", ".venv/.dev-installed"]
    assert subprocess.run(question, cwd=checkout, check=False).returncode == 0
    (checkout / ".venv" / missing).unlink()
    if missing == "bin/python":
        (checkout / ".venv" / missing).symlink_to("/gone/python3")
    assert subprocess.run(question, cwd=checkout, check=False, env=dict(os.environ)).returncode == 1


EXAMPLES = [f"examples/{name}/pyproject.toml" for name in ("coscheduling", "capacity_scheduling")]
