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

from dashboard.common.processes.supervisor import Child, PortError, Supervisor, listen
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
        assert "already runs on the data folder" in second.stderr

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
        assert "worker ended (exit status -9); starting it again" in text
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
    assert f"port {port} of 127.0.0.1 cannot be used" in done.stderr
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
    assert "cannot be written to" in done.stderr


def test_unknown_host_is_one_line():
    with pytest.raises(PortError, match=r"cannot listen on 203\.0\.113\.1 .*name an address of this machine"):
        listen("203.0.113.1", 8000)


def test_restart_waits_longer_after_each_early_death():
    child = Child("worker", ["true"])
    child.started_at = time.monotonic()
    assert [child.plan_restart() for _ in range(7)] == [0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 30.0]


def test_nobody_waits_longer_for_a_child_than_said():
    child = Child("answer worker", ["true"], longest_pause=5.0)
    child.started_at = time.monotonic()
    assert [child.plan_restart() for _ in range(6)] == [0.5, 1.0, 2.0, 5.0, 5.0, 5.0]


def test_restart_is_quick_again_after_a_long_life():
    child = Child("worker", ["true"], deaths=5)
    child.started_at = time.monotonic() - 3600
    assert child.plan_restart() == 0.5


def test_child_that_never_starts_ends_the_supervisor():
    said = []
    supervisor = Supervisor([Child("web server", [sys.executable, "-c", "raise SystemExit(3)"])], said.append)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        assert supervisor.run(lambda: False, lambda: said.append("ready")) == 1
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert said == ["web server did not start (exit status 3); its message is above"]
