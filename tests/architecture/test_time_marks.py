"""A test that takes long without saying so is reported, and fails where nobody else uses the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow
CONFTEST = """
from tests import time_marks

time_marks.LIMITS = [
    time_marks.Limit("long", 0.04, ("long",)),
    time_marks.Limit("slow", 0.01, ("slow",)),
]
time_marks.FAILS_FROM = 10
pytest_plugins = ["tests.time_marks"]
"""
FILE = """
import time
import pytest

def works(seconds):
    begun = time.process_time()
    while time.process_time() < begun + seconds:
        pass

def test_long():
    works(LONG)

def test_long_because_of_an_import():
    import colorsys
    works(0.45)

def test_waits():
    time.sleep(0.3)

@pytest.mark.slow
@pytest.mark.long
def test_marked():
    works(0.45)

@pytest.mark.slow
def test_marked_slow():
    works(0.05)
"""


@pytest.mark.parametrize(
    ("options", "seconds", "mark", "ci", "status"),
    # The process that decides is the same for one and for several; what several have to do is to tell it.
    [
        pytest.param([], 0.05, "slow", "true", 0, id="CI, nearly"),
        pytest.param(["-p", "xdist", "-n", "1"], 0.45, "long", "true", 1, id="CI, several processes"),
        pytest.param([], 0.45, "long", "true", 1, id="CI", marks=pytest.mark.long),
        pytest.param([], 0.45, "long", "", 0, id="at home", marks=pytest.mark.long),
    ],
)
def test_only_unmarked_work_of_the_test_itself_is_reported(tmp_path, options, seconds, mark, ci, status):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(FILE.replace("LONG", str(seconds)))
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    slow: s\n    long: l\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "CI": ci, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == status, done.stdout + done.stderr
    reported = [line.partition("allowed ")[2] for line in done.stdout.splitlines() if "of the processor" in line]
    assert reported == [f"without `{mark}`: test_it.py::test_long"]
