"""A real process as the supervisor has it: its marks, its end."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from dashboard.common.processes.marks import VARIABLE
from dashboard.common.processes.spawned import SpawnedProcess
from tests.patience import PATIENCE, until

MARKING = f"import os; os.write(int(os.environ['{VARIABLE}']), b'a b\\nready\\n')"


def spawned(code, *fds):
    return SpawnedProcess([sys.executable, "-c", code], fds)


def test_marks_of_a_process_are_read_while_it_lives_and_after():
    process, heard = spawned(MARKING), []
    try:
        assert process.wait(PATIENCE) == 0
        heard += process.new_marks()
        assert heard == ["a b", "ready"]
        assert process.new_marks() == []
    finally:
        process.close()


def test_it_is_told_to_end_and_then_killed():
    process = spawned("import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(999)")
    assert process.status() is None
    assert process.wait(0.0) == -signal.SIGKILL
    process.signal(signal.SIGTERM)
    assert process.cpu_seconds() == 0.0
    process.close()


def test_descriptors_are_handed_on_and_ctrl_c_is_not():
    reading, writing = os.pipe()
    process = spawned(f"import os; os.write({writing}, b'%d' % os.getsid(0))", writing)
    os.close(writing)
    with os.fdopen(reading) as said:
        assert int(said.read()) != os.getsid(0)
    until(lambda: process.status() == 0)
    process.close()


def test_a_program_that_is_not_there_leaves_no_descriptor():
    before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    with pytest.raises(FileNotFoundError):
        SpawnedProcess(["/no/such/program"])
    assert before == (len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0)
