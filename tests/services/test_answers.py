"""Questions on their way over a real Redis: shared, in line, dropped, taken up again when a worker was killed."""

from __future__ import annotations

import random
import sys
import threading
import time

import msgspec
import pytest
from celery import Celery

from dashboard.answers.computing import NO_RUN
from dashboard.answers.messages import Ask, AskResult, Reply, Request
from dashboard.answers.outcomes import WaitsFor
from dashboard.answers.transport import board as board_module
from dashboard.answers.transport import broker
from dashboard.answers.transport.board import Board
from tests.faults.processes import process
from tests.services.servers import production_environment

QUESTION = msgspec.Raw(b'{"question":"room","cycle":1}')
FOUND = Reply(msgspec.Raw(b"[1]"))


def asked(key, asker="page", patience=0.0, seconds=20.0, is_short=False, person="1:1", page=""):
    """Return what a page asks."""
    return Ask(Request(key, 1, 1, QUESTION, True, is_short=is_short), asker, seconds, patience, person, page)


def order(message):
    """Return the keys of the questions in the order in which workers take them."""
    keys = []
    while broker.answered(message, lambda request, *_rest: keys.append(request.key) or FOUND):
        pass
    return keys


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
    monkeypatch.setattr(broker, "WANTED_SECONDS", 60.0)
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
    assert broker.take(connected[0]).request.key == "older too"

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
    assert broker.take(connected[0]).request.key == "q"  # The worker was killed then.
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


def test_people_take_turns_short_questions_first(connected):
    for n in range(3):
        broker.ask(asked(f"mine-{n}", f"a{n}", person="1:1"))
    broker.ask(asked("yours", "b", person="1:2"))
    assert broker.ask(asked("brief", "c", person="1:1", is_short=True)).place == 1
    assert broker.ask(asked("mine-1", "a1", person="1:1")).place == 4
    assert order(connected[0]) == ["brief", "yours", "mine-0", "mine-1", "mine-2"]


@pytest.mark.parametrize("seed", range(4))
def test_the_order_is_that_of_the_board_on_random_histories(connected, monkeypatch, seed):
    monkeypatch.setattr(board_module, "WANTED_SECONDS", 60.0)
    chance, board, orders = random.Random(seed), Board(lambda *_request: FOUND), ([], [])
    for n in range(120):
        if chance.random() < 0.6:
            one = asked(
                f"q{n}",
                f"asker-{chance.randrange(9)}",
                is_short=chance.random() < 0.5,
                person=f"1:{chance.randrange(4)}",
                page=chance.choice(["", "map", "why"]),
            )
            from_board, from_broker = board.ask(one), broker.ask(one)
            assert (from_broker.place, from_broker.is_dropped) == (from_board.place, from_board.is_dropped)
        elif connected:
            broker.answered(connected[0], lambda request, *_rest: orders[0].append(request.key) or FOUND)
            if board.jobs and (job := board._next(threading.Event())) is not None:
                orders[1].append(job.request.key)
                board._finish(job, FOUND)
    assert orders[0] == orders[1]
    assert orders[0]


def test_the_oldest_of_more_than_four_questions_is_dropped_and_its_page_told_so(connected):
    for n in range(5):
        broker.ask(asked(f"q{n}", f"asker-{n}"))
    broker.ask(asked("q1", "asker-you", person="1:2"))
    broker.ask(asked("q5", "asker-5"))
    assert [broker.ask(asked(f"q{n}", f"asker-{n}")).is_dropped for n in range(3)] == [True, True, False]
    assert not broker.ask(asked("q1", "asker-you", person="1:2")).is_dropped
    assert sorted(order(connected[0])) == ["q1", "q2", "q3", "q4", "q5"]


def test_parts_of_one_page_wait_for_each_other_and_none_is_dropped(connected):
    parts = [asked(f"part-{n}", f"asker-{n}", page="why") for n in range(6)]
    assert [broker.ask(part).place for part in parts] == [1, 2, 3, 4, 5, 5]
    assert len(connected) == 4
    replies = []
    page = threading.Thread(target=lambda: replies.append(broker.ask(msgspec.structs.replace(parts[5], patience=60))))
    page.start()
    assert order(connected[0])[:4] == ["part-0", "part-1", "part-2", "part-3"]
    while not replies:
        broker.answered(connected[0], lambda *_request: FOUND)
    page.join(10)
    assert replies == [AskResult(FOUND)]


def test_a_question_behind_its_deadline_is_no_longer_open_though_it_is_computed(connected):
    for n in range(4):
        broker.ask(asked(f"q{n}", f"asker-{n}"))
    assert broker.take(connected[0]).request.key == "q0"
    broker.ask(asked("q0", "asker-0", seconds=0.0))
    broker.ask(asked("q4", "asker-4"))
    assert not any(broker.ask(asked(f"q{n}", f"asker-{n}")).is_dropped for n in range(1, 5))


def test_a_part_is_of_the_page_whose_address_it_said_last(connected):
    for n in range(4):
        broker.ask(asked(f"part-{n}", f"asker-{n}", page="before"))
        broker.ask(asked(f"part-{n}", f"asker-{n}", page="now"))
    assert not broker.ask(asked("part-4", "asker-4", page="now")).is_dropped
    assert not broker.ask(asked("part-0", "asker-0", page="now")).is_dropped


def test_twelve_threads_of_one_person_have_no_more_than_four_questions_open(connected):
    def poll(n):
        for turn in range(5):
            broker.ask(asked(f"q{n}-{turn}", f"asker-{n}-{turn}"))

    threads = [threading.Thread(target=poll, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(order(connected[0])) == 4


def test_a_message_of_a_web_process_from_before_an_upgrade_is_answered(connected):
    request = Request("old", 1, 1, QUESTION, True)
    broker._redis().set("schedscope:answers:request:old", b"queued", px=20_000)
    broker._redis().zadd("schedscope:answers:wanted:old", {"asker": (time.time() + 60) * 1000})
    assert order(request) == ["old"]
    assert broker.ask(asked("old")) == AskResult(FOUND)


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
