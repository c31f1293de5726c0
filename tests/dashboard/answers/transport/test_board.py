"""Questions that wait for one computing thread: shared, in order, dropped when nobody waits, kept when answered."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager

import msgspec
import pytest

from dashboard.answers.messages import Ask, AskResult, Reply, Request
from dashboard.answers.outcomes import WaitsFor
from dashboard.answers.transport import board as module
from dashboard.answers.transport.board import Board


def asked(name, asker="page", patience=0.0, seconds=20.0, is_final=True, is_short=False):
    """Return what a page asks."""
    return Ask(Request(name, 1, 1, msgspec.Raw(b"{}"), is_final, is_short=is_short), asker, seconds, patience)


class Gate:
    """A computation that ends when it is told to; `names` are the keys that it was called for."""

    def __init__(self):
        self.names = []
        self.open = threading.Event()
        self.reply = Reply(msgspec.Raw(b"1"))
        self.ended_early = False

    def __call__(self, request, seconds, is_unwanted):
        self.names.append(request.key)
        while not self.open.wait(0.005):
            if is_unwanted():
                self.ended_early = True
                return msgspec.structs.replace(self.reply, is_partial=True)
        return self.reply


@contextmanager
def working(gate):
    """Yield a board whose questions are computed."""
    board, stopping = Board(gate), threading.Event()
    thread = threading.Thread(target=board.work, args=(stopping,))
    thread.start()
    try:
        yield board
    finally:
        gate.open.set()
        stopping.set()
        with board.changed:
            board.changed.notify_all()
        thread.join(5)


def until(condition):
    """Wait for what another thread brings about."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_a_question_is_computed_once_for_all_who_ask_it():
    gate = Gate()
    with working(gate) as board:
        assert board.ask(asked("q", "one")).reply is None
        until(lambda: gate.names)
        assert board.ask(asked("q", "two")) == AskResult(waits_for=WaitsFor.RESULT)
        gate.open.set()
        assert board.ask(asked("q", "one", patience=10)).reply == gate.reply
        assert board.ask(asked("q", "three")).reply == gate.reply
    assert gate.names == ["q"]


def test_short_questions_are_before_those_that_wait_already():
    gate = Gate()
    with working(gate) as board:
        board.ask(asked("first", "a"))
        until(lambda: gate.names)
        board.ask(asked("second", "b"))
        assert board.ask(asked("short", "c", is_short=True)) == AskResult(waits_for=WaitsFor.OTHERS, place=1)
        assert board.ask(asked("second", "b")) == AskResult(waits_for=WaitsFor.OTHERS, place=2)
        assert board.ask(asked("brief", "d", is_short=True)) == AskResult(waits_for=WaitsFor.OTHERS, place=2)
        gate.open.set()
        until(lambda: len(gate.names) == 4)
    assert gate.names == ["first", "short", "brief", "second"]


def test_places_are_those_of_the_questions_that_wait():
    gate = Gate()
    with working(gate) as board:
        board.ask(asked("first", "a"))
        until(lambda: gate.names)
        assert board.ask(asked("second", "b")) == AskResult(waits_for=WaitsFor.OTHERS, place=1)
        assert board.ask(asked("third", "c")) == AskResult(waits_for=WaitsFor.OTHERS, place=2)


def test_a_newer_question_of_the_same_asker_takes_the_place_of_an_older_one():
    gate = Gate()
    with working(gate) as board:
        board.ask(asked("old"))
        until(lambda: gate.names == ["old"])
        board.ask(asked("waiting", "other"))
        board.ask(asked("waiting too"))
        board.ask(asked("new"))
        until(lambda: gate.ended_early)
        gate.open.set()
        until(lambda: not board.jobs)
    assert gate.names == ["old", "waiting", "new"]


def test_a_question_that_nobody_asks_again_is_dropped(monkeypatch):
    monkeypatch.setattr(module, "WANTED_SECONDS", 0.05)
    gate = Gate()
    with working(gate) as board:
        board.ask(asked("gone"))
        until(lambda: gate.ended_early)
        until(lambda: not board.jobs)
        assert board.ask(asked("gone")).reply is None


def test_a_computation_is_told_when_its_deadline_passed():
    gate = Gate()
    with working(gate) as board:
        result = board.ask(asked("slow", patience=5, seconds=0.05))
        assert result.reply is not None
        assert result.reply.is_partial
    assert gate.ended_early


@pytest.mark.parametrize(
    ("how", "is_kept"),
    [({}, True), ({"is_partial": True}, False), ({"error": "no"}, False)],
    ids=["whole", "partial", "error"],
)
def test_only_whole_answers_about_recordings_that_ended_are_kept_for_long(monkeypatch, how, is_kept):
    monkeypatch.setattr(module, "PASSING_SECONDS", 0.0)
    gate = Gate()
    gate.reply = Reply(msgspec.Raw(b"1"), **how)
    gate.open.set()
    with working(gate) as board:
        assert board.ask(asked("q", patience=5)).reply == gate.reply
        board.ask(asked("q", patience=5))
        board.ask(asked("live", patience=5, is_final=False))
        board.ask(asked("live", patience=5, is_final=False))
    assert gate.names.count("q") == (1 if is_kept else 2)
    assert gate.names.count("live") == 2


def test_answers_are_kept_up_to_so_many_bytes(monkeypatch):
    monkeypatch.setattr(module, "KEPT_BYTES", 25)
    gate = Gate()
    gate.reply = Reply(msgspec.Raw(b'"12345678"'))
    gate.open.set()
    with working(gate) as board:
        for name in ("a", "b", "c", "b", "a"):
            board.ask(asked(name, patience=5))
    assert gate.names == ["a", "b", "c", "a"]
    assert board.reply_bytes == 20


def test_how_far_a_computation_is_behind_its_deadline():
    board, seen = Board(lambda *_request: Reply()), []
    assert board.computing_for() == 0

    def late(_request, _seconds, _is_unwanted):
        until(lambda: board.computing_for() > 0.02)
        seen.append(board.computing_for())
        return Reply()

    with working(Gate()) as board:
        board.compute = late
        board.ask(asked("q", patience=5, seconds=0.01))
    assert seen[0] > 0.02
