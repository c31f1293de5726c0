"""How many requests compute at the same time: so many, in turns, and never for ever."""

from __future__ import annotations

import threading
from contextlib import contextmanager

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from dashboard.answers import asking
from dashboard.common.http import page_turns
from dashboard.common.http.page_turns import PageTurnsMiddleware, Turns
from tests.patience import PATIENCE, until

AT_ONCE = 2


@pytest.fixture
def turns(monkeypatch):
    """Turns for two at once, in the place of the process's own."""
    of_two = Turns(AT_ONCE, PATIENCE)
    monkeypatch.setattr(page_turns, "turns", of_two)
    return of_two


class Requests:
    """Requests in threads of their own whose views are inside until they may end."""

    def __init__(self):
        self.inside, self.may_end, self.threads = [], threading.Semaphore(0), []
        self.middleware = PageTurnsMiddleware(self.view)

    def view(self, request):
        self.inside.append(request.path)
        assert self.may_end.acquire(timeout=PATIENCE)
        self.inside.remove(request.path)
        return HttpResponse()

    def come(self, *paths):
        for path in paths:
            thread = threading.Thread(target=self.middleware, args=(RequestFactory().get(path),), daemon=True)
            self.threads.append(thread)
            thread.start()


@contextmanager
def coming(*paths):
    requests = Requests()
    requests.come(*paths)
    yield requests
    requests.may_end.release(len(requests.threads))
    for thread in requests.threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_so_many_compute_at_once_and_each_comes_to_its_turn(turns):
    with coming("/1", "/2") as requests:
        until(lambda: len(requests.inside) == AT_ONCE)
        first = list(requests.inside)
        requests.come("/3")
        assert requests.inside == first
        requests.may_end.release()
        until(lambda: "/3" in requests.inside)
        assert len(requests.inside) == AT_ONCE


@pytest.mark.parametrize("path", page_turns.LEFT_OUT)
def test_what_machines_ask_waits_for_no_turn(turns, path):
    with coming("/1", "/2") as requests:
        until(lambda: len(requests.inside) == AT_ONCE)
        requests.come(path)
        until(lambda: path in requests.inside)


def test_a_turn_is_not_waited_for_for_ever(monkeypatch):
    monkeypatch.setattr(page_turns, "turns", Turns(AT_ONCE, 0.01))
    with coming("/1", "/2", "/3") as requests:
        until(lambda: len(requests.inside) == AT_ONCE + 1)


def test_the_turn_of_a_view_that_fails_is_free_again(turns):
    def fail(_request):
        raise ValueError("a view that fails")

    for _ in range(AT_ONCE + 1):
        with pytest.raises(ValueError, match="a view that fails"):
            PageTurnsMiddleware(fail)(RequestFactory().get("/"))


def test_a_request_within_a_request_needs_no_turn_of_its_own(turns):
    with turns.turn(), turns.turn(), turns.turn(), coming("/1") as requests:
        until(lambda: requests.inside == ["/1"])


def test_what_waits_for_an_answer_worker_lets_others_go_on(turns, monkeypatch):
    waits = threading.Event()

    def ask(_ask):
        assert waits.wait(PATIENCE)

    monkeypatch.setattr(asking, "_transport", lambda: ask)
    for_answers = [threading.Thread(target=_ask_in_a_turn, args=(turns,), daemon=True) for _ in range(AT_ONCE)]
    for thread in for_answers:
        thread.start()
    with coming("/1", "/2") as requests:
        until(lambda: len(requests.inside) == AT_ONCE)
    waits.set()
    for thread in for_answers:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def _ask_in_a_turn(turns):
    with turns.turn():
        asking._result(None)
