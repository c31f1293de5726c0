"""The embedded broker: messages are whole, one process gets each, and nothing in the folder ends a worker."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from celery import Celery
from kombu import Connection, Exchange, Queue
from kombu.exceptions import OperationalError

from dashboard.common.processes import celery_workers

QUEUE = Queue("runs", Exchange("runs"), routing_key="runs")
TRANSPORT = "dashboard.common.processes.folder_broker:Transport"
WAKE_UPS = 10_000
APP = """
import os
import time
from celery import Celery, signals

app = Celery("woken", broker="filesystem://localhost")
app.conf.update(
    broker_transport={transport!r}, broker_transport_options={options!r}, worker_enable_remote_control=False,
    task_ignore_result=True, task_default_queue="runs", task_acks_late=True, worker_prefetch_multiplier=1,
)
taken = 0

@app.task(name="wake")
def wake():
    global taken
    taken += 1

@signals.worker_shutdown.connect
def tell(**_signal):
    with open("taken", "w") as file:
        file.write(str(taken))

def send(n):
    sample = f"sample-{{os.getpid()}}"
    wake.apply_async(queue=sample)
    channel = app.connection_for_write().default_channel
    message = channel._get(sample)
    for _ in range(n):
        channel._put("runs", message)
        time.sleep(0.0005)
"""


@pytest.fixture
def broker(tmp_path):
    """A connection to a broker in an empty folder."""
    with Connection("filesystem://", transport=TRANSPORT, transport_options={"folder": str(tmp_path)}) as connection:
        yield connection


def send(broker, body="hello"):
    with broker.Producer() as producer:
        headers = {"task": "wake", "id": "1"}
        producer.publish(body, headers=headers, exchange=QUEUE.exchange, routing_key="runs", declare=[QUEUE])


def take(broker):
    message = QUEUE(broker.default_channel).get(no_ack=True)
    return message and message.payload


def test_messages_come_in_the_order_in_which_they_were_sent(broker, tmp_path):
    for body in ("one", "two", "three"):
        send(broker, body)
    assert [take(broker) for _ in range(4)] == ["one", "two", "three", None]
    assert list(tmp_path.iterdir()) == []


def test_a_message_that_is_being_written_is_not_seen(broker, tmp_path):
    send(broker)
    (written,) = tmp_path.iterdir()
    unfinished = written.rename(written.with_name(written.name + ".unfinished"))
    assert take(broker) is None
    unfinished.rename(written)
    assert take(broker) == "hello"


def test_two_readers_never_get_the_same_message(broker, tmp_path):
    for number in range(200):
        send(broker, number)

    def take_all(_reader):
        with Connection("filesystem://", transport=TRANSPORT, transport_options=broker.transport_options) as own:
            payloads = []
            while (payload := take(own)) is not None:
                payloads.append(payload)
            return payloads

    with ThreadPoolExecutor(4) as readers:
        payloads = [payload for part in readers.map(take_all, range(4)) for payload in part]
    assert sorted(payloads) == list(range(200))


def envelope(**changes):
    whole = {
        "body": "aGVsbG8=",
        "headers": {"task": "wake", "id": "1"},
        "content-type": "text/plain",
        "content-encoding": "utf-8",
        "properties": {"delivery_tag": "1", "body_encoding": "base64", "delivery_info": {}},
    }
    return json.dumps(whole | changes).encode()


GARBAGE = {
    "an empty file": b"",
    "half a message": envelope()[:40],
    "no text": b"\xff\xfe\x00",
    "a list": b"[]",
    "no properties": b"{}",
    "a body that is not base64": envelope(body="a"),
    "no name of a task": envelope(headers={}),
    "headers that are a list": envelope(headers=[]),
    "a tag that is no text": envelope(properties={"delivery_tag": [], "delivery_info": {}}),
    "deep nesting": b"[" * 100_000,
}


@pytest.mark.parametrize("content", GARBAGE.values(), ids=GARBAGE.keys())
def test_what_is_no_message_is_moved_aside_and_the_next_one_is_taken(broker, tmp_path, caplog, content):
    (tmp_path / "00000000000000000001_garbage.runs.msg").write_bytes(content)
    send(broker)
    assert take(broker) == "hello"
    assert [path.name for path in tmp_path.iterdir()] == ["00000000000000000001_garbage.runs.msg.unreadable"]
    assert [record.getMessage().count("held no message") for record in caplog.records] == [1]


def test_what_killed_writers_left_behind_is_removed(broker, tmp_path):
    old, new = tmp_path / "1_a.runs.msg.unfinished", tmp_path / "2_b.runs.msg.unfinished"
    for path in (old, new):
        path.write_text("{")
    os.utime(old, (1, 1))
    assert take(broker) is None
    assert list(tmp_path.iterdir()) == [new]


def test_a_folder_that_takes_no_message_is_an_error_of_the_broker(broker, tmp_path):
    send(broker)
    for path in tmp_path.iterdir():
        path.unlink()
    tmp_path.rmdir()
    with pytest.raises(OperationalError, match=r"no message can be put into .*: No such file"):
        send(broker)


def test_a_wake_up_that_cannot_be_sent_is_one_line_in_the_log(monkeypatch, tmp_path, caplog):
    app = Celery("alone", broker="filesystem://localhost", set_as_current=False)
    app.conf.update(broker_transport=TRANSPORT, broker_transport_options={"folder": str(tmp_path / "missing")})
    monkeypatch.setattr(celery_workers, "current_app", app)
    celery_workers.wake_worker("some.task")
    assert ["no worker could" in record.getMessage() for record in caplog.records] == [True]


def until(condition, what, log):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, f"{what}\n{log.read_text()}"
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.long
def test_ten_thousand_wake_ups_by_two_senders_leave_the_worker_alive(tmp_path):
    folder, log = tmp_path / "broker", tmp_path / "log"
    folder.mkdir()
    (tmp_path / "woken.py").write_text(
        APP.format(transport=TRANSPORT, options={"folder": str(folder), "polling_interval": 0.001})
    )
    environment = os.environ | {"PYTHONPATH": f"{os.getcwd()}:{tmp_path}", "DJANGO_SETTINGS_MODULE": ""}
    arguments = "-m celery --quiet -A woken worker --pool solo --queues runs --without-gossip --without-mingle"
    start = {"cwd": tmp_path, "env": environment, "stderr": subprocess.STDOUT}
    sender = [sys.executable, "-c", f"import woken; woken.send({WAKE_UPS // 2})"]
    with log.open("w") as output:
        worker = subprocess.Popen([sys.executable, *arguments.split()], stdout=output, **start)
        senders = [subprocess.Popen(sender, stdout=output, **start) for _ in range(2)]
        try:
            assert [one.wait(60) for one in senders] == [0, 0], log.read_text()
            until(lambda: worker.poll() is not None or not any(folder.iterdir()), "messages are left", log)
            assert worker.poll() is None, log.read_text()
            worker.terminate()
            assert worker.wait(15) == 0, log.read_text()
        finally:
            for process in (worker, *senders):
                process.kill()
                process.wait()
    assert (tmp_path / "taken").read_text() == str(WAKE_UPS)
