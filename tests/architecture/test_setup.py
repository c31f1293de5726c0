"""`make setup` on machines that lack something: one clear line each."""

from __future__ import annotations

import importlib.metadata
import os
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

from scheduler_core.profiles.presets import PRESETS
from scheduler_core.profiles.registry import installed
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(tmp_path):
    """A folder with the lock files and no environment."""
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    return tmp_path


def install_with(checkout, script):
    """Run the set-up where every python is the given shell script; return (status, lines of standard error)."""
    programs = checkout / "bin"
    programs.mkdir()
    for name in ("python3", "python3.11", "python3.12", "python3.13", "python3.14"):
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    done = subprocess.run(
        ["requirements/install", ".venv", "requirements/run.txt", ".run-installed"],
        cwd=checkout,
        env={"PATH": f"{programs}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return done.returncode, done.stderr.splitlines()


NO_VENV = "*ensurepip*) exit 1 ;; --version) echo Python 3.12.1 ;;"
UNDER_LOCK = '*locked.py*) shift 3; exec env SETUP_HAS_LOCK=1 "$@" ;;'


@pytest.mark.parametrize(
    ("python", "sentence"),
    [
        ('test "$1" = --version && { echo Python 3.9.2; exit 0; }; exit 1',
         "setup: Python 3.11 or newer is needed and this machine has Python 3.9.2; install it, or name one: "
         "make setup PYTHON=/path/to/python"),
        (f'case "$*" in {NO_VENV} {UNDER_LOCK} esac; exit 0',
         "setup: Python 3.12.1 lacks its venv module; on Debian and Ubuntu: apt install python3-venv"),
    ],
    ids=["an old Python", "a Python without venv"],
)  # fmt: skip
def test_words_are_one_line(checkout, python, sentence):
    assert install_with(checkout, python) == (1, [sentence])


def test_the_example_plugin_is_installed_in_place_of_an_earlier_version_and_found(tmp_path):
    site, source = tmp_path / "site", tmp_path / "source"
    shutil.copytree(ROOT / "examples" / "coscheduling", source)
    install = runpy.run_path(str(ROOT / "requirements" / "install_plugin.py"))["install"]
    description = (source / "pyproject.toml").read_text()
    (source / "pyproject.toml").write_text(description.replace('version = "0.1.0"', 'version = "0.0.9"'))
    (source / "schedscope_coscheduling" / "gone.py").write_text("")
    install(source, site)
    install(ROOT / "examples" / "coscheduling", site)
    assert [path.name for path in site.glob("*.dist-info")] == ["schedscope_coscheduling-0.1.0.dist-info"]
    assert not (site / "schedscope_coscheduling" / "gone.py").exists()
    (distribution,) = importlib.metadata.distributions(path=[str(site)])
    assert (distribution.name, distribution.version) == ("schedscope-coscheduling", "0.1.0")
    assert [(one.group, one.name) for one in distribution.entry_points] == [("schedscope.plugins", "Coscheduling")]
    assert {str(one) for one in distribution.files} == {
        path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()
    }


def test_the_set_up_installs_what_a_preset_needs():
    needed = {preset.plugin for preset in PRESETS.values()} - {""}
    assert needed <= set(installed().factories)


def test_ci_adds_browser_compiler_and_headers_and_nothing_else(tmp_path):
    """A machine where only a few programs are found: .ci/run says what it would install, since it may not."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "python3").write_text("#!/bin/sh\nexit 1\n")
    (programs / "id").write_text("#!/bin/sh\necho 1000\n")
    for name in ("python3", "id"):
        (programs / name).chmod(0o755)
    for name in ("bash", "dirname"):
        (programs / name).symlink_to(shutil.which(name))
    done = subprocess.run(
        [programs / "bash", ".ci/run"],
        cwd=ROOT,
        env={"PATH": str(programs)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 1
    assert done.stderr == (
        ".ci/run: this machine lacks chromium gcc libc6-dev python3-dev and I may not install packages "
        "(needs root and apt-get)\n"
    )
