"""Work of this process in a copy of it: a whole Python for each case, since the copy has all of its threads' locks."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.patience import PATIENCE

SCRIPT = """
import os, signal, sys, time
from dashboard.common.processes import marks
from dashboard.common.processes.forked import ForkedProcess

def work():
{work}

process = ForkedProcess(work)
{watch}
print(process.wait(60), process.new_marks())
"""


def carried_out(work, watch="pass"):
    """Return (what it printed, its errors) of a Python that does the work in a fork."""
    body = "\n".join(f"    {line}" for line in work.splitlines())
    script = SCRIPT.format(work=body, watch=watch)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "watch", "printed"),
    [
        ("marks.mark('one')\nprint('done')\nreturn 0", "pass", ["done", "0 ['one']"]),
        ("return 78", "pass", ["78 []"]),
        ("time.sleep(999)", "process.signal(signal.SIGTERM)", [f"{-signal.SIGTERM} []"]),
        ("print(os.getsid(0) == os.getpid())\nreturn 0", "pass", ["True", "0 []"]),
    ],
    ids=["what it marks and prints", "its status", "a signal ends it", "a session of its own"],
)
def test_work_in_a_fork(work, watch, printed):
    assert carried_out(work, watch) == (printed, "")


@pytest.mark.slow
def test_work_that_raises_shows_where():
    printed, errors = carried_out("marks.mark('one')\nraise RuntimeError('why')")
    assert printed == ["1 ['one']"]
    assert errors.splitlines()[-1] == "RuntimeError: why"


@pytest.mark.slow
def test_what_does_not_end_is_killed():
    watch = "process.wait = lambda _seconds, wait=process.wait: wait(0.0)"
    assert carried_out("time.sleep(999)", watch) == ([f"{-signal.SIGKILL} []"], "")
