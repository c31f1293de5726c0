"""What is common to the supervisor's processes: reading marks, sending signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from dashboard.common.processes import marked
from dashboard.common.processes.marked import MarkedProcess, SpawnedProcess, cpu_seconds, seconds_in
from dashboard.common.processes.marks import VARIABLE
from tests.patience import PATIENCE, until


class StatedProcess(MarkedProcess):
    """A process whose status is said, none of this machine."""

    state = None

    def status(self):
        return self.state


@pytest.fixture
def pipe():
    return os.pipe()


def test_marks_are_whole_lines_however_they_arrive(pipe):
    reading, writing = pipe
    process = StatedProcess(1, reading)
    assert process.new_marks() == []
    for text, marks in ((b"migration on", []), (b"e\ntwo\nth", ["migration one", "two"]), (b"ree\n", ["three"])):
        os.write(writing, text)
        assert process.new_marks() == marks
    os.close(writing)
    assert process.new_marks() == []
    process.close()


@pytest.mark.parametrize(("state", "sent"), [(None, [(4711, signal.SIGTERM)]), (0, [])])
def test_signals_go_to_all_that_a_living_process_started(pipe, monkeypatch, state, sent):
    signals = []
    monkeypatch.setattr(os, "killpg", lambda pid, number: signals.append((pid, number)))
    process = StatedProcess(4711, pipe[0])
    process.state = state
    process.signal(signal.SIGTERM)
    assert signals == sent
    process.close()
    os.close(pipe[1])


def test_a_fork_that_has_no_session_yet_gets_the_signal_alone(pipe, monkeypatch):
    signals = []

    def gone(_pid, _number):
        raise ProcessLookupError

    monkeypatch.setattr(os, "killpg", gone)
    monkeypatch.setattr(os, "kill", lambda pid, number: signals.append((pid, number)))
    process = StatedProcess(4711, pipe[0])
    process.signal(signal.SIGTERM)
    assert signals == [(4711, signal.SIGTERM)]
    process.close()
    os.close(pipe[1])


def test_one_that_is_gone_meanwhile_needs_no_signal(pipe, monkeypatch):
    def gone(_pid, _number):
        raise ProcessLookupError

    monkeypatch.setattr(os, "killpg", gone)
    monkeypatch.setattr(os, "kill", gone)
    process = StatedProcess(4711, pipe[0])
    process.signal(signal.SIGTERM)
    process.close()
    os.close(pipe[1])


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: the fields of /proc")
def test_the_times_of_proc_are_added_up_whatever_the_name(tmp_path, monkeypatch):
    fields = ["S", *map(str, range(1, 11)), "100", "20", "3", "4", "0"]
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "stat").write_text(f"7 (a) b (c)) {' '.join(fields)}\n")
    monkeypatch.setattr(marked, "_PROC", tmp_path)
    monkeypatch.setattr(os, "sysconf", lambda _name: 100)
    assert cpu_seconds(7) == 1.27


def test_it_grows_with_what_the_process_computes():
    before = cpu_seconds(os.getpid())
    while cpu_seconds(os.getpid()) == before:
        sum(range(10_000))
    assert cpu_seconds(os.getpid()) > before


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_process_that_is_gone_has_used_none(platform, monkeypatch):
    done = subprocess.Popen(["true"])
    done.wait()
    monkeypatch.setattr(sys, "platform", platform)
    assert cpu_seconds(done.pid) == 0.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [(" 0:01.25\n", 1.25), ("12:03.50", 723.5), ("01:00:02", 3602.0), ("2-03:00:01", 183_601.0)],
    ids=["of macOS", "minutes", "hours", "days"],
)
def test_times_of_ps(text, seconds):
    assert seconds_in(text) == seconds


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


SCRIPT = """
import os, signal, sys, time
from dashboard.common.processes import marks
from dashboard.common.processes.marked import ForkedProcess

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
