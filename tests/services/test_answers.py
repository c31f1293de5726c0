"""Questions on their way over a real Redis: shared, in line, dropped, taken up again when a worker was killed."""

from __future__ import annotations

import sys
import threading
import time

import msgspec
import pytest
from celery import Celery

from dashboard.answers.computing import NO_RUN
from dashboard.answers.messages import Ask, AskResult, Reply, Request
from dashboard.answers.outcomes import WaitsFor
from dashboard.answers.transport import broker
from tests.faults.processes import process
from tests.services.servers import production_environment

QUESTION = msgspec.Raw(b'{"question":"room","cycle":1}')
FOUND = Reply(msgspec.Raw(b"[1]"))


def asked(key, asker="page", patience=0.0, seconds=20.0, is_final=True):
    """Return what a page asks."""
    return Ask(Request(key, 1, 1, QUESTION, is_final), asker, seconds, patience)


@pytest.fixture
def connected(redis_url, monkeypatch, settings):
    """The messages that went into the queue; an answer worker is said to be there."""
    settings.REDIS_URL = redis_url
    sent = []

    class Sender:
        def send_task(self, name, args, **how):
            assert (name, how["queue"]) == ("dashboard.answers.tasks.answer_message", "answers")
            sent.append(msgspec.json.decode(args[0], type=Request))

    monkeypatch.setattr(broker, "current_app", Sender())
    broker._redis.cache_clear()
    broker._script.cache_clear()
    broker._redis().flushdb()
    broker._redis().set(broker.PRESENT, b"1")
    yield sent
    broker._redis().close()
    broker._redis.cache_clear()
    broker._script.cache_clear()


def test_a_question_goes_once_into_the_queue_and_its_reply_to_all(connected):
    replies = []
    pages = [threading.Thread(target=lambda: replies.append(broker.ask(asked("q", patience=10)))) for _ in range(4)]
    for page in pages:
        page.start()
    while not connected:
        time.sleep(0.002)
    assert broker.answered(connected[0], lambda *_request: FOUND)
    for page in pages:
        page.join(10)
    assert replies == [AskResult(FOUND)] * 4
    assert broker.ask(asked("q", "later")) == AskResult(FOUND)
    assert len(connected) == 1


def test_places_are_those_of_the_questions_that_wait(connected):
    assert [broker.ask(asked(key, key)).place for key in ("a", "b", "c")] == [1, 2, 3]
    seen = []

    def compute(_request, seconds, _is_unwanted):
        seen.append((seconds, broker.ask(asked("a", "a")), broker.ask(asked("c", "c"))))
        return FOUND

    broker.answered(connected[0], compute)
    seconds, first, third = seen[0]
    assert 0 < seconds <= 20
    assert first == AskResult(waits_for=WaitsFor.RESULT)
    assert third == AskResult(waits_for=WaitsFor.OTHERS, place=2)


def test_a_newer_question_of_the_same_asker_takes_the_place_of_an_older_one(connected, monkeypatch):
    monkeypatch.setattr(broker, "BEAT_SECONDS", 0.01)
    broker.ask(asked("old"))
    broker.ask(asked("older too", "other"))
    broker.ask(asked("new"))
    assert not broker.answered(connected[0], lambda *_request: FOUND)

    def until_unwanted(_request, _seconds, is_unwanted):
        broker.ask(asked("next"))
        deadline = time.monotonic() + 10
        while not is_unwanted():
            assert time.monotonic() < deadline
            time.sleep(0.002)
        return msgspec.structs.replace(FOUND, is_partial=True)

    assert broker.answered(connected[2], until_unwanted)
    assert broker.ask(asked("new", "somebody")).reply is None
    assert [request.key for request in connected] == ["old", "older too", "new", "next", "new"]


def test_the_question_of_a_killed_worker_goes_into_the_queue_again(connected, monkeypatch):
    monkeypatch.setattr(broker, "DEAD_SECONDS", 0.05)
    broker.ask(asked("q"))
    assert broker.Beat(broker.BrokerKeys("q")).once() > 0  # It took the question, and was killed.
    deadline = time.monotonic() + 10
    while len(connected) == 1:
        assert time.monotonic() < deadline
        broker.ask(asked("q", patience=0.02))
    assert broker.answered(connected[1], lambda *_request: FOUND)
    assert broker.ask(asked("q")) == AskResult(FOUND)


def test_a_question_whose_deadline_passed_is_not_computed(connected):
    broker.ask(asked("q", seconds=0.01))
    time.sleep(0.03)
    assert not broker.answered(connected[0], lambda *_request: FOUND)


def test_without_workers_and_without_redis_the_page_is_told_so(connected, settings):
    broker._redis().delete(broker.PRESENT)
    assert broker.ask(asked("q", patience=5)) == AskResult(waits_for=WaitsFor.WORKER)
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    broker._redis.cache_clear()
    broker._script.cache_clear()
    assert broker.ask(asked("q", patience=5)) == AskResult(waits_for=WaitsFor.WORKER)


@pytest.mark.slow
@pytest.mark.essential
def test_a_worker_of_the_queue_replies(connected, redis_url, migrated_postgres_url, monkeypatch, tmp_path):
    broker._redis().delete(broker.PRESENT)
    environment = production_environment(migrated_postgres_url, redis_url, tmp_path / "var")
    command = ["-m", "celery", "-A", "dashboard", "worker", "--queues", "answers", "--pool", "solo"]
    with Celery(broker=redis_url) as client, process(environment, [sys.executable, *command], tmp_path / "log"):
        monkeypatch.setattr(broker, "current_app", client)
        deadline = time.monotonic() + 60
        while (answer := broker.ask(asked("q", patience=2))).reply is None:
            assert time.monotonic() < deadline, (tmp_path / "log").read_text()
            time.sleep(0.02)
        assert broker._redis().exists(broker.PRESENT)
    assert answer.reply.error == NO_RUN
