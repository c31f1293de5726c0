"""What needs no Redis of its own: how a worker says that it is there. tests/services/test_answers.py asks a real
one."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from redis.exceptions import ConnectionError as NoRedis

from dashboard.answers import tasks
from dashboard.answers.transport import broker


@contextmanager
def presence(monkeypatch, answers):
    """Yield a thread that says its presence to a Redis that answers so, until there is no answer left."""
    thread, notices = broker.Presence(), []

    def put(*what, **how):
        notices.append((what, how))
        if len(notices) == len(answers):
            thread.stopping.set()
        if error := answers[len(notices) - 1]:
            raise error

    monkeypatch.setattr(broker, "PRESENT_SECONDS", 0.001)
    monkeypatch.setattr(broker, "_redis", lambda: SimpleNamespace(set=put))
    yield thread, notices


def test_a_worker_says_again_and_again_that_it_is_there_also_after_redis_was_away(monkeypatch):
    with presence(monkeypatch, [None, NoRedis(), None]) as (thread, notices):
        thread.start()
        thread.join(10)
    assert notices == [((broker.PRESENT, b"1"), {"px": int(1000 * broker.ABSENT_SECONDS)})] * 3


def test_what_says_it_does_not_hold_up_the_end_of_a_process():
    assert broker.Presence().daemon


@pytest.mark.parametrize(("queues", "n_threads"), [([broker.QUEUE], 1), (["runs", broker.QUEUE], 1), (["runs"], 0)])
def test_only_workers_that_take_questions_say_that_they_are_there(monkeypatch, queues, n_threads):
    started = []

    class Thread:
        def __init__(self):
            self.stopping = SimpleNamespace(set=lambda: started.append("gone"))

        def start(self):
            started.append("there")

    monkeypatch.setattr(tasks, "_present", [])
    monkeypatch.setattr(broker, "Presence", Thread)
    consume_from = dict.fromkeys(queues)
    sender = SimpleNamespace(
        app=SimpleNamespace(amqp=SimpleNamespace(queues=SimpleNamespace(consume_from=consume_from)))
    )
    tasks.say_present(sender)
    assert started == ["there"] * n_threads
    tasks.say_gone()
    assert started == ["there", "gone"][: 2 * n_threads]
