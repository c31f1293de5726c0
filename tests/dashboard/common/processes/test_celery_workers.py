"""Messages that wake workers: a broker that is away only delays."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time

import pytest
from celery import current_app
from celery.worker import state
from kombu.exceptions import OperationalError
from redis.exceptions import ConnectionError as RedisConnectionError

from dashboard.common.processes.celery_workers import connection_errors, wake_worker, worker_is_stopping
from tests.faults.processes import embedded_environment
from tests.patience import PATIENCE


@pytest.mark.parametrize("error", [OperationalError("no route"), OSError("no route"), AttributeError("half closed")])
def test_a_broker_that_is_away_is_no_error_of_the_one_who_asks(monkeypatch, caplog, error):
    def away(*args, **kwargs):
        raise error

    monkeypatch.setattr(current_app, "send_task", away)
    with caplog.at_level(logging.WARNING):
        wake_worker("some.task")
    assert "the next reconciliation will find the work" in caplog.text


def test_the_queue_is_that_of_the_background_unless_named(monkeypatch):
    sent = []
    monkeypatch.setattr(current_app, "send_task", lambda name, queue: sent.append((name, queue)))
    wake_worker("some.task")
    wake_worker("some.task", "runs")
    assert sent == [("some.task", "background"), ("some.task", "runs")]


STARTED = "import django; django.setup(); import dashboard.asgi, sys; print('redis' in sys.modules)"


@pytest.mark.parametrize("error", [OperationalError, RedisConnectionError, ConnectionRefusedError])
def test_each_way_to_lose_a_connection_is_met(error):
    assert issubclass(error, connection_errors())


@pytest.mark.slow
def test_processes_of_the_embedded_set_up_start_without_redis(tmp_path):
    command = [sys.executable, "-c", STARTED]
    done = subprocess.run(command, env=embedded_environment(tmp_path), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


APP = """
import time
from pathlib import Path
from celery import Celery
from dashboard.common.processes.celery_workers import worker_is_stopping

app = Celery("stopping", broker="filesystem://localhost")
app.conf.update(task_ignore_result=True, broker_transport_options={transport!r}, task_default_queue="runs")

@app.task(name="long")
def long():
    Path("started").touch()
    while not worker_is_stopping():
        time.sleep(0.01)
    Path("noticed").touch()
"""


@pytest.mark.parametrize(
    ("should_stop", "should_terminate", "stopping"),
    [(None, None, False), (False, False, False), (0, None, True), (1, None, True), (None, 0, True)],
)
def test_exit_status_zero_means_stop(monkeypatch, should_stop, should_terminate, stopping):
    monkeypatch.setattr(state, "should_stop", should_stop)
    monkeypatch.setattr(state, "should_terminate", should_terminate)
    assert worker_is_stopping() is stopping


@pytest.mark.slow
def test_task_of_the_embedded_worker_ends_its_segment_on_sigterm(tmp_path):
    for name in ("broker", "control"):
        (tmp_path / name).mkdir()
    folders = {name: str(tmp_path / "broker") for name in ("data_folder_in", "data_folder_out")}
    transport = folders | {"control_folder": str(tmp_path / "control"), "polling_interval": 0.02}
    (tmp_path / "stopping.py").write_text(APP.format(transport=transport))
    environment = os.environ | {"PYTHONPATH": f"{os.getcwd()}:{tmp_path}", "DJANGO_SETTINGS_MODULE": ""}
    sender = "import stopping; stopping.long.delay()"
    subprocess.run([sys.executable, "-c", sender], cwd=tmp_path, env=environment, check=True, timeout=PATIENCE)
    command = ["-m", "celery", "--quiet", "-A", "stopping", "worker", "--pool", "solo", "--queues", "runs"]
    process = subprocess.Popen(
        [sys.executable, *command], cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 30
        while not (tmp_path / "started").exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        process.wait(15)
    finally:
        process.kill()
        process.wait()
    assert (tmp_path / "noticed").exists()
