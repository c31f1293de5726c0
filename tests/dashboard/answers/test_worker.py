"""The embedded answer worker as a process of its own: it answers, ends when told to, and one computation ends it."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from types import SimpleNamespace

import msgspec
import pytest

from dashboard.answers import worker
from dashboard.answers.messages import Ask, Request
from dashboard.answers.transport import local
from dashboard.common.processes.supervisor import answers_command
from tests.faults.processes import ROOT, embedded_environment, prepare

ASKED = Ask(Request("key", 1, 1, msgspec.Raw(b'{"question":"room","cycle":1}'), True), "page", 20.0, 20.0)


@pytest.mark.slow
def test_it_answers_by_its_socket_and_ends_when_told_to(tmp_path, settings):
    environment = prepare(embedded_environment(tmp_path / "var"))
    settings.DATA_FOLDER = SimpleNamespace(path=tmp_path / "var")
    process = subprocess.Popen(answers_command(), cwd=ROOT, env=environment)
    try:
        deadline = time.monotonic() + 30
        while (result := local.ask(ASKED)).reply is None:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert result.reply.error == "This run does not exist, or it is of another workspace."
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.wait()


def test_a_computation_that_does_not_end_ends_the_worker(monkeypatch, caplog):
    monkeypatch.setattr(worker, "LOOK_SECONDS", 0.001)
    board = SimpleNamespace(computing_for=lambda: worker.OVERDUE_SECONDS + 1)
    with pytest.raises(SystemExit):
        worker.watch(board, threading.Event(), lambda: None)
    assert "did not end" in caplog.text


class NoSocket:
    """A server that nobody asks."""

    def __init__(self, board):
        self.serve_forever = lambda: None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


def test_the_start_is_told_in_its_order_and_a_signal_ends_the_work(monkeypatch):
    notices, handlers = [], {}

    def watch(board, stopping, write):
        notices.append("watches")
        handlers[signal.SIGTERM]()
        assert stopping.is_set()

    monkeypatch.setattr(local, "Server", NoSocket)
    monkeypatch.setattr(worker, "mark", notices.append)
    monkeypatch.setattr(worker, "mark_ready", lambda: notices.append("ready"))
    monkeypatch.setattr(worker, "watch", watch)
    monkeypatch.setattr(
        worker, "signal", SimpleNamespace(SIGTERM=signal.SIGTERM, SIGINT=signal.SIGINT, signal=handlers.__setitem__)
    )
    worker.main()
    assert notices == ["the answers are loaded", "ready", "watches"]
    assert set(handlers) == {signal.SIGTERM, signal.SIGINT}


def test_figures_are_written_while_a_computation_is_not_overdue(monkeypatch):
    monkeypatch.setattr(worker, "LOOK_SECONDS", 0.001)
    stopping, written = threading.Event(), []

    def write():
        written.append(1)
        if len(written) == 3:
            stopping.set()

    worker.watch(SimpleNamespace(computing_for=lambda: worker.OVERDUE_SECONDS), stopping, write)
    assert len(written) == 3
