"""A worker's consumer begins again after any failure of its connection, and ends when it is asked to."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from tests.patience import PATIENCE

APP = """
from pathlib import Path
from celery import Celery, bootsteps

app = Celery("failing", broker="filesystem://localhost")
app.conf.update(
    broker_transport="dashboard.common.processes.folder_broker:Transport", broker_transport_options={options!r},
    worker_consumer="dashboard.common.processes.consumer:PatientConsumer", worker_enable_remote_control=False,
    task_ignore_result=True, task_default_queue="runs",
)

class Failing(bootsteps.StartStopStep):
    requires = {{"celery.worker.consumer.tasks:Tasks"}}
    starts = stops = 0

    def start(self, consumer):
        Failing.starts += 1
        if Failing.starts in (1, 2):
            raise AttributeError("'NoneType' object has no attribute 'hostname'")
        if Failing.starts == 3:
            consumer.connection.collect = consumer.connection.close = None
            consumer.connection = object()
            raise AttributeError("'NoneType' object has no attribute 'connection_errors'")

    def stop(self, consumer):
        raise AttributeError("'NoneType' object has no attribute 'connection_errors'")

app.steps["consumer"].add(Failing)

@app.task(name="tell")
def tell():
    Path("told").write_text(str(Failing.starts))
"""


@pytest.mark.slow
def test_no_exception_of_a_connection_ends_the_worker(tmp_path):
    folder, log = tmp_path / "broker", tmp_path / "log"
    folder.mkdir()
    (tmp_path / "failing.py").write_text(APP.format(options={"folder": str(folder), "polling_interval": 0.02}))
    environment = os.environ | {"PYTHONPATH": f"{os.getcwd()}:{tmp_path}", "DJANGO_SETTINGS_MODULE": ""}
    arguments = "-m celery --quiet -A failing worker --pool solo --queues runs"
    sender = [sys.executable, "-c", "import failing; failing.tell.delay()"]
    subprocess.run(sender, cwd=tmp_path, env=environment, check=True, timeout=PATIENCE)
    with log.open("w") as output:
        worker = subprocess.Popen(
            [sys.executable, *arguments.split()], cwd=tmp_path, env=environment, stdout=output, stderr=output
        )
    try:
        deadline = time.monotonic() + 40
        while not (tmp_path / "told").exists():
            assert worker.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)
        worker.terminate()
        assert worker.wait(15) == 0, log.read_text()
    finally:
        worker.kill()
        worker.wait()
    assert (tmp_path / "told").read_text() == "4"
    assert "CPendingDeprecationWarning" not in log.read_text()
