"""`manage.py serve` as a real process: it starts, watches and stops three others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

import pytest

from dashboard.common.processes.child import REFUSED, Child
from dashboard.common.processes.supervisor import PortError, Supervisor, listen
from tests.dashboard.common.processes.fake_processes import FakeClock, Lives, ends, ready
from tests.faults.processes import embedded_environment, prepare
from tests.patience import PATIENCE
from tests.processes import children_of
from tests.services.servers import free_port


def wait_for(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not (result := condition()):
        assert time.monotonic() < deadline, f"not within {PATIENCE} s: {what}"
        time.sleep(0.05)
    return result


def environment(folder):
    own_environment = {name: value for name, value in os.environ.items() if not name.startswith("SCHEDSCOPE_")}
    return own_environment | {"DJANGO_SETTINGS_MODULE": "dashboard.settings", "SCHEDSCOPE_DATA": str(folder)}


def serve_words(port):
    return [sys.executable, "manage.py", "serve", "--no-demo", "--port", str(port)]


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@contextmanager
def serving(folder, is_new=False):
    """Yield (process, port, log path) of a started installation, whose tables are there unless it is new."""
    if not (is_new or (folder / "data").exists()):
        prepare(embedded_environment(folder / "data"))
    port = free_port()
    log = folder / "serve.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            serve_words(port), env=environment(folder / "data"), stdout=output, stderr=output, start_new_session=True
        )
        try:
            wait_for(lambda: process.poll() is not None or "running at" in log.read_text(), "running")
            assert process.poll() is None, log.read_text()
            yield process, port, log
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(20)


def healthz(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as response:
        return response.status


@pytest.mark.slow
@pytest.mark.essential
def test_starts_restarts_a_dead_worker_and_stops_on_ctrl_c(tmp_path):
    with serving(tmp_path) as (process, port, log):
        assert healthz(port) == 200
        children = children_of(process.pid)
        assert len(children) == 3
        assert any("dashboard.answers.worker" in line for line in children)
        worker_line, worker = next((line, pid) for line, pid in children.items() if "celery" in line)

        second = subprocess.run(
            serve_words(free_port()),
            env=environment(tmp_path / "data"),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert second.returncode == 1
        assert second.stderr.count("\n") == 1
        assert "already runs" in second.stderr

        os.kill(worker, signal.SIGKILL)
        wait_for(lambda: children_of(process.pid).get(worker_line, worker) != worker, "a new worker")
        assert healthz(port) == 200

        pids = list(children_of(process.pid).values())
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert time.monotonic() - begin < 8
        assert not any(alive(pid) for pid in pids)
        text = log.read_text()
        assert f"(exit status -{signal.SIGKILL:d}); starting it again" in text  # "ended", or it was not ready yet
        assert "Traceback" not in text
        assert text.rstrip().endswith("schedscope: stopped")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: PDEATHSIG stops orphans")
def test_no_child_outlives_a_killed_supervisor(tmp_path):
    with serving(tmp_path) as (process, _port, _log):
        pids = list(children_of(process.pid).values())
        assert len(pids) == 3
        process.kill()
        process.wait()
        wait_for(lambda: not any(alive(pid) for pid in pids), "children gone")


@pytest.mark.slow
def test_occupied_port_is_one_line(tmp_path):
    with listen("127.0.0.1", 0) as holder:
        port = holder.getsockname()[1]
        done = subprocess.run(
            serve_words(port), env=environment(tmp_path), capture_output=True, text=True, timeout=PATIENCE
        )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"port {port} of" in done.stderr
    assert f"PORT={port + 1}" in done.stderr


@pytest.mark.slow
def test_unusable_data_folder_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    done = subprocess.run(
        serve_words(free_port()),
        env=environment(tmp_path / "file"),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "cannot be written" in done.stderr


# ---------------------------------------------------------------- with processes and a clock that a test makes up


class Trial:
    """A supervisor of made-up processes, with what it said."""

    def __init__(self, until, preparation=({"ends": (1.0, 0)},), **children):
        self.clock, self.said, self.ready_at = FakeClock(until), [], []
        self.preparation = Lives(self.clock, *preparation)
        self.lives = {name: Lives(self.clock, *lives) for name, lives in children.items()}
        self.children = [Child(name, lives) for name, lives in self.lives.items()]
        self.supervisor = Supervisor(self.said.append, self.clock, lambda seconds: self.clock.pause(seconds))

    def run(self):
        """Return the exit status."""
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            task = Child("the preparation", self.preparation)
            return self.supervisor.run(task, self.children, lambda: self.ready_at.append(round(self.clock.now)))
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)


SLOW_START = {"marks": {100.0: "loaded", 600.0: "pages", 1_150.0: "ready"}, "spins": True}


def test_a_start_that_takes_long_is_waited_for():
    trial = Trial(1_500, web=[SLOW_START], worker=[SLOW_START])
    assert trial.run() == 0
    assert trial.ready_at == [1_151]
    assert trial.said == []
    assert [len(lives.started) for lives in trial.lives.values()] == [1, 1]


def test_a_preparation_that_takes_long_is_waited_for():
    marks = {100.0 * n: f"migration {n}" for n in range(1, 20)}
    trial = Trial(2_100, [{"marks": marks, "ends": (2_000.0, 0)}], web=[ready()])
    assert trial.run() == 0
    assert trial.ready_at == [2_001]


@pytest.mark.parametrize("name", ["web", "worker"])
def test_a_child_that_dies_in_its_start_is_started_again(name):
    children = {"web": [ready()], "worker": [ready()]}
    trial = Trial(60, **children | {name: [ends(0.5, -9), ready()]})
    assert trial.run() == 0
    (said,) = trial.said
    assert said.startswith(f"{name} ")
    assert "exit status -9" in said
    assert len(trial.ready_at) == 1
    assert trial.children[list(children).index(name)].was_ready


def test_a_child_that_stalls_is_started_again():
    trial = Trial(300, web=[{}, ready()], worker=[ready()])
    assert trial.run() == 0
    (said,) = trial.said
    assert said.startswith("web ")
    assert "120 s" in said
    assert trial.lives["web"].started[0].signals == [signal.SIGKILL]
    assert len(trial.lives["worker"].started) == 1


@pytest.mark.parametrize(("life", "why"), [(ends(), "exit status 3"), ({}, "no progress for 120 s")])
@pytest.mark.parametrize("name", ["web", "worker"])
def test_a_child_that_never_gets_ready_ends_the_supervisor(name, life, why):
    trial = Trial(9_000, **{"web": [ready()], "worker": [ready()]} | {name: [life]})
    assert trial.run() == 1
    assert trial.said[-1].startswith(f"{name} ")
    assert why in trial.said[-1]
    assert len(trial.lives[name].started) == 5
    assert all(child.process is None or child.process.signals for child in trial.children)


def test_a_child_that_was_ready_once_is_never_given_up():
    trial = Trial(200, web=[ready()], worker=[ready(ends=(2.0, -9)), ends()])
    assert trial.run() == 0
    assert len(trial.lives["worker"].started) > 20


def test_healthy_children_are_not_kept_waiting_by_others():
    trial = Trial(60, web=[ready(ends=(2.0, -9))], worker=[ready()])
    assert trial.run() == 0
    assert len(trial.ready_at) == 1
    assert len(trial.lives["web"].started) > 20
    assert len(trial.lives["worker"].started) == 1


def test_a_preparation_that_dies_is_started_again():
    trial = Trial(60, [ends(1.0, -9), ends(1.0, 0)], web=[ready()])
    assert trial.run() == 0
    (said,) = trial.said
    assert said.startswith("the preparation ")
    assert "exit status -9" in said


def test_a_preparation_that_always_dies_is_given_up():
    trial = Trial(900, [ends(1.0, 1)], web=[ready()])
    assert trial.run() == 1
    assert len(trial.preparation.started) == 5
    assert not trial.lives["web"].started


def test_a_preparation_that_says_what_to_mend_is_not_tried_again():
    trial = Trial(60, [ends(1.0, REFUSED)], web=[ready()])
    assert trial.run() == 1
    assert trial.said == []


@pytest.mark.parametrize(("number", "ending"), [(signal.SIGTERM, 0), (signal.SIGINT, KeyboardInterrupt)])
def test_a_signal_stops_the_preparation(number, ending):
    trial = Trial(60, [{}], web=[ready()])
    trial.clock.pause = lambda _seconds: trial.supervisor._on_signal(number, None) or True
    if ending:
        with pytest.raises(ending):
            trial.run()
    else:
        assert trial.run() == 0
    assert trial.preparation.started[0].signals == [signal.SIGTERM]


@pytest.mark.parametrize(
    ("lives", "sentence"),
    [
        ([ends(0.5, -9), ready()], "web did not get ready (exit status -9); starting it again in 0.5 s"),
        ([{}, ready()], "web did not get ready (no progress for 120 s); starting it again in 0.5 s"),
        (
            [{**ready(), "ends": (5.0, -9)}, ready()],
            "web ended (exit status -9); starting it again in 0.5 s",
        ),
        ([{}], "web did not get ready in 5 tries, the last with no progress for 120 s; its messages are above"),
    ],
)
def test_words(lives, sentence):
    trial = Trial(9_000, web=lives)
    trial.run()
    assert trial.said[-1] == sentence


@pytest.mark.parametrize(
    ("host", "sentence"),
    [
        ("203.0.113.1", r"cannot listen on 203\.0\.113\.1 .*name an address of this machine"),
        ("127.0.0.1", r"port \d+ of 127\.0\.0\.1 cannot be used .*choose another"),
    ],
)
def test_words_of_an_address_that_cannot_be_used(host, sentence):
    with listen("127.0.0.1", 0) as holder, pytest.raises(PortError, match=sentence):
        listen(host, holder.getsockname()[1])
