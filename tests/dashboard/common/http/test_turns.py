"""Few threads compute at once, in the order in which they came, and none waits for one that takes long."""

from __future__ import annotations

import sys
import threading

import pytest

from dashboard.common.http.turns import SWITCH_SECONDS, Turns, TurnsMiddleware, switch_often
from tests.patience import PATIENCE, until


class Workers:
    """Threads that each take a turn; `inside` lists those that have one, `order` all that have had one."""

    def __init__(self, turns):
        self.turns, self.inside, self.order = turns, [], []
        self.ends, self.threads = {}, []

    def come(self, name, do=None):
        self.ends[name] = threading.Event()
        thread = threading.Thread(target=self._work, args=(name, do), daemon=True)
        self.threads.append(thread)
        n_known = self.n_known()
        thread.start()
        until(lambda: self.n_known() > n_known)

    def n_known(self):
        return len(self.turns._waiting) + len(self.order)

    def _work(self, name, do):
        with self.turns.turn():
            self.order.append(name)
            self.inside.append(name)
            if do is not None:
                do()
            assert self.ends[name].wait(PATIENCE)
            self.inside.remove(name)

    def end(self, name):
        self.ends[name].set()

    def join(self):
        for end in self.ends.values():
            end.set()
        for thread in self.threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()


@pytest.fixture
def now():
    return [0.0]


@pytest.fixture
def workers(now):
    workers = Workers(Turns(at_once=2, longest=0.05, clock=lambda: now[0]))
    yield workers
    workers.join()


def test_two_go_on_and_the_others_follow_in_the_order_in_which_they_came(workers):
    for name in "abcde":
        workers.come(name)
    until(lambda: workers.inside == ["a", "b"])
    workers.end("b")
    until(lambda: workers.inside == ["a", "c"])
    workers.end("a")
    until(lambda: workers.inside == ["c", "d"])
    assert workers.order == list("abcd")


def test_one_that_takes_long_holds_up_nobody(workers, now):
    for name in "abc":
        workers.come(name)
    assert workers.order == ["a", "b"]
    now[0] = 0.06
    until(lambda: workers.inside == ["a", "b", "c"])
    workers.come("d")
    until(lambda: "d" in workers.inside)
    workers.come("e")
    assert "e" not in workers.inside
    workers.end("a")  # It no longer counted, so nobody follows it.
    until(lambda: "a" not in workers.inside)
    assert "e" not in workers.inside
    workers.end("c")
    until(lambda: "e" in workers.inside)


def test_who_waits_for_another_process_lets_others_go_on_and_takes_a_turn_again(workers):
    waits, goes_on, is_back = threading.Event(), threading.Event(), threading.Event()

    def ask():
        with workers.turns.pause():
            waits.set()
            assert goes_on.wait(PATIENCE)
        is_back.set()

    workers.come("a", ask)
    assert waits.wait(PATIENCE)
    for name in "bcd":
        workers.come(name)
    until(lambda: workers.inside == ["a", "b", "c"])
    goes_on.set()
    until(lambda: len(workers.turns._waiting) == 2)
    workers.end("b")
    until(lambda: "d" in workers.inside)
    assert not is_back.is_set()
    workers.end("c")
    assert is_back.wait(PATIENCE)


def test_an_error_gives_the_turn_back_and_a_pause_without_a_turn_is_nothing():
    own = Turns(at_once=1)
    with pytest.raises(ZeroDivisionError), own.turn():
        raise ZeroDivisionError
    with own.pause(), own.turn():
        assert len(own._begun) == 1
    assert not own._begun


def test_a_thread_that_has_a_turn_goes_on_with_it():
    own = Turns(at_once=1)
    with own.turn():
        with own.turn():
            assert len(own._begun) == 1
        assert len(own._begun) == 1
    assert not own._begun


def test_pages_take_turns_and_what_says_whether_the_process_lives_does_not(rf, monkeypatch):
    own, turns_held = Turns(), []
    monkeypatch.setattr("dashboard.common.http.turns.turns", own)

    def answer(request):
        turns_held.append(len(own._begun))

    middleware = TurnsMiddleware(answer)
    for path in ("/w/team/", "/healthz", "/static/x.css", "/metrics"):
        middleware(rf.get(path))
    assert turns_held == [1, 0, 0, 0]


def test_the_interpreter_changes_hands_often():
    before = sys.getswitchinterval()
    try:
        switch_often()
        assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS)
    finally:
        sys.setswitchinterval(before)
