"""The socket in the data folder: for its owner alone, and never waited for longer than said."""

from __future__ import annotations

import socket
import stat
import threading
from contextlib import contextmanager

import msgspec
import pytest

from dashboard.answers.messages import Ask, AskResult, Reply, Request
from dashboard.answers.outcomes import WaitsFor
from dashboard.answers.transport import local
from dashboard.answers.transport.board import Board
from dashboard.data_folder import DataFolder

ASKED = Ask(Request("key", 1, 1, msgspec.Raw(b'{"question":"x"}'), True), "page", 5.0, 5.0)


@pytest.fixture(params=["short", "long"])
def folder(request, tmp_path_factory, settings):
    """A data folder; the kernel takes no such long name for a socket."""
    path = tmp_path_factory.mktemp("s") if request.param == "short" else tmp_path_factory.mktemp("n" * 150)
    settings.DATA_FOLDER = DataFolder(path)
    return path


@contextmanager
def serving(compute):
    """Yield while a worker answers by the function."""
    board, stopping = Board(compute), threading.Event()
    with local.Server(board) as server:
        threads = [
            threading.Thread(target=server.serve_forever, args=(0.01,)),
            threading.Thread(target=board.work, args=(stopping,)),
        ]
        for thread in threads:
            thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            stopping.set()
            with board.changed:
                board.changed.notify_all()
            for thread in threads:
                thread.join(5)


def test_a_question_and_its_answer_of_any_size_go_through(folder):
    long = b'"' + b"x" * 500_000 + b'"'
    with serving(lambda request, *_more: Reply(msgspec.Raw(long if request.key == "long" else request.question))):
        assert bytes(local.ask(ASKED).reply.answer) == b'{"question":"x"}'
        asks = msgspec.structs.replace(ASKED, request=msgspec.structs.replace(ASKED.request, key="long"))
        assert bytes(local.ask(asks).reply.answer) == long


def test_only_the_owner_of_the_folder_may_open_it(folder):
    with serving(lambda *_request: Reply()):
        assert stat.S_IMODE((folder / local.NAME).stat().st_mode) == 0o600


def test_the_socket_of_a_dead_worker_is_in_nobodys_way(folder):
    dead = socket.socket(socket.AF_UNIX)
    with local._address() as address:
        dead.bind(address)
    dead.close()
    assert local.ask(ASKED) == AskResult(waits_for=WaitsFor.WORKER)
    with serving(lambda *_request: Reply(msgspec.Raw(b"1"))):
        assert local.ask(ASKED).reply is not None


def test_without_a_worker_the_page_is_told_so(folder):
    assert local.ask(ASKED) == AskResult(waits_for=WaitsFor.WORKER)


def test_a_worker_that_stands_still_is_not_waited_for(folder, monkeypatch):
    monkeypatch.setattr(local, "LATE_SECONDS", 0.1)
    silent = socket.socket(socket.AF_UNIX)
    with local._address() as address:
        silent.bind(address)
    silent.listen()
    # The question may take days; who asks has no such patience.
    asked = msgspec.structs.replace(ASKED, patience=0.1, seconds=1e6)
    assert local.ask(asked) == AskResult(waits_for=WaitsFor.WORKER)
    silent.close()


def test_a_worker_that_dies_in_the_middle_is_waited_for(folder):
    dying = socket.socket(socket.AF_UNIX)
    with local._address() as address:
        dying.bind(address)
    dying.listen()

    def die():
        connection, _ = dying.accept()
        connection.sendall(b'{"reply"')
        connection.close()

    thread = threading.Thread(target=die)
    thread.start()
    assert local.ask(ASKED) == AskResult(waits_for=WaitsFor.WORKER)
    thread.join(5)
    dying.close()


def test_what_is_no_question_leaves_the_worker_as_it_was(folder, caplog):
    with serving(lambda *_request: Reply(msgspec.Raw(b"1"))):
        for line in (b"no json\n", b'{"asker": 1}\n', b"", b"half a"):
            with socket.socket(socket.AF_UNIX) as client, local._address() as address:
                client.connect(address)
                client.sendall(line)
        assert local.ask(ASKED).reply is not None
    assert caplog.text.count("were no question") >= 2
