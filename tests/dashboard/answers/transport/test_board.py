"""Questions that wait for one computing thread: shared, in order, dropped when nobody waits, kept when answered."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from types import SimpleNamespace

import msgspec

from dashboard.answers.messages import Ask, AskResult, Reply, Request
from dashboard.answers.outcomes import WaitsFor
from dashboard.answers.transport import board as module
from dashboard.answers.transport.board import Board


def asked(name, asker="page", patience=0.0, seconds=20.0, is_short=False, person="me", page=""):
    """Return what a page asks."""
    request = Request(name, 1, 1, msgspec.Raw(b"{}"), True, is_short=is_short)
    return Ask(request, asker, seconds, patience, person, page)


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


def board_of(*asks):
    """Return a board with these questions, nobody at work, and what it says of each."""
    board = Board(lambda *_request: Reply(msgspec.Raw(b"1")))
    return board, [board.ask(one) for one in asks]


def order(board):
    """Return the keys of the questions in the order in which they are computed."""
    keys = []
    while board.jobs and (job := board._next(threading.Event())) is not None:
        keys.append(job.request.key)
        board._finish(job, Reply(msgspec.Raw(b"1")))
    return keys


def test_people_take_turns_and_each_begins_with_the_oldest_question():
    mine = [asked(f"mine-{n}", f"a{n}", person="me") for n in range(3)]
    board, results = board_of(*mine, asked("yours", "b", person="you"), asked("yours too", "c", person="you"))
    assert [one.place for one in results] == [1, 2, 3, 2, 4]
    assert order(board) == ["mine-0", "yours", "mine-1", "yours too", "mine-2"]


def test_who_had_a_turn_waits_for_those_who_had_none():
    board, _ = board_of(asked("mine", "a", person="me"))
    assert order(board) == ["mine"]
    board.ask(asked("mine again", "a", person="me"))
    board.ask(asked("yours", "b", person="you"))
    assert order(board) == ["yours", "mine again"]


def test_the_oldest_of_more_than_four_questions_is_dropped_and_its_page_told_so():
    board, _ = board_of(*(asked(f"q{n}", f"asker-{n}") for n in range(5)), asked("yours", person="you"))
    assert list(board.jobs) == ["q1", "q2", "q3", "q4", "yours"]
    assert board.ask(asked("q0", "asker-0")).is_dropped
    # Asked anew it is a question like any other, and the oldest makes way for it.
    assert not board.ask(asked("q0", "asker-0")).is_dropped
    assert list(board.jobs) == ["q2", "q3", "q4", "yours", "q0"]


def test_a_page_that_waits_for_a_dropped_question_is_told_at_once():
    with working(Gate()) as board:
        board.ask(asked("computed", "a"))
        until(lambda: board.computing)
        board.ask(asked("second", "b"))
        results = []
        page = threading.Thread(target=lambda: results.append(board.ask(asked("second", "b", patience=60))))
        page.start()
        for name in ("third", "fourth", "fifth"):
            board.ask(asked(name, name))
        page.join(10)
        assert results == [AskResult(is_dropped=True)]
        assert board.computing.request.key == "computed"


def test_others_who_wait_for_a_dropped_question_get_it():
    board, _ = board_of(asked("q0", "a", person="me"), asked("q0", "b", person="you"))
    for n in range(1, 5):
        board.ask(asked(f"q{n}", f"asker-{n}", person="me"))
    assert board.ask(asked("q0", "a", person="me")).is_dropped
    assert board.ask(asked("q0", "b", person="you")).place == 1
    assert order(board)[0] == "q0"


def test_parts_of_one_page_wait_for_each_other_and_none_is_dropped():
    parts = [asked(f"part-{n}", f"asker-{n}", page="why") for n in range(6)]
    board, results = board_of(*parts)
    assert [one.place for one in results] == [1, 2, 3, 4, 5, 5]
    assert list(board.jobs) == ["part-0", "part-1", "part-2", "part-3"]
    assert order(board) == ["part-0", "part-1", "part-2", "part-3"]
    assert [board.ask(part).place for part in parts[4:]] == [1, 2]
    assert order(board) == ["part-4", "part-5"]


def test_a_part_that_waits_for_others_of_its_page_enters_as_soon_as_one_is_answered():
    board, _ = board_of(*(asked(f"part-{n}", f"asker-{n}", page="why") for n in range(4)))
    page = threading.Thread(target=lambda: board.ask(asked("part-4", "asker-4", page="why", patience=60)))
    page.start()
    until(lambda: board._held)
    board._finish(board._next(threading.Event()), Reply(msgspec.Raw(b"1")))
    until(lambda: "part-4" in board.jobs)
    board.withdraw(("me", "asker-4"))
    page.join(10)
    assert "part-4" not in board.jobs


def test_a_question_that_its_asker_replaced_leaves_the_line_at_once():
    board, _ = board_of(asked("old", "a"), asked("yours", "b", person="you"), asked("new", "a"))
    assert list(board.jobs) == ["yours", "new"]


def test_people_with_askers_of_one_name_do_not_replace_each_other():
    board, _ = board_of(asked("mine", "report", person="me"), asked("yours", "report", person="you"))
    assert list(board.jobs) == ["mine", "yours"]


def test_behind_its_deadline_a_page_asks_for_nothing_any_more():
    board, results = board_of(asked("late", seconds=0.0))
    assert (board.jobs, results[0].reply) == ({}, None)
    board, _ = board_of(asked("late"), asked("late", "other", person="you"), asked("late", seconds=0.0))
    assert list(board.jobs["late"].askers) == [("you", "other")]


def test_a_question_is_unwanted_at_its_deadline_and_when_nobody_waits_any_more(monkeypatch):
    request = asked("q").request
    askers = {("me", "page"): module.Waiter(90.0, "")}
    job = module.Job(request, until=100.0, arrived=1, turn=1, askers=askers)
    seen = []
    for now in (89.0, 90.0, 99.0):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda now=now: now))
        seen.append((job.is_unwanted(), list(job.waiters())))
    assert seen == [(False, [("me", "page")]), (True, []), (True, [])]
    job.askers["me", "page"] = module.Waiter(200.0, "")
    for now, is_unwanted in ((99.9, False), (100.0, True), (101.0, True)):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda now=now: now))
        assert job.is_unwanted() is is_unwanted
