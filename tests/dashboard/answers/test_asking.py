"""Asking as pages do: typed answers, one key per question and recording, and nothing about a run of others."""

from __future__ import annotations

import threading
import time

import msgspec
import pytest

from dashboard.answers import asking, computing, tasks
from dashboard.answers.asking import ask, deadline_of
from dashboard.answers.computing import NO_RUN
from dashboard.answers.messages import Ask, Reply, Told
from dashboard.answers.outcomes import Answer, Failed, TooLate, Waiting, WaitsFor
from dashboard.answers.questions import RoomTaken, question_from
from dashboard.answers.registry import KINDS, decode_question, key_of
from dashboard.runs.models import State


@pytest.fixture
def worker(monkeypatch):
    """The requests that get to the worker, and what it tells of them: `worker.told`."""

    class Worker(list):
        told = Told(waits_for=WaitsFor.WORKER)

    found = Worker()
    monkeypatch.setattr(asking, "_transport", lambda: lambda asked: found.append(asked) or found.told)
    return found


def test_the_answer_has_the_type_that_the_registry_names(run, cycle_of):
    question = RoomTaken(cycle_of("never-0").number)
    answer = ask(run, question, deadline_of(question))
    assert isinstance(answer, Answer)
    assert isinstance(answer.value, KINDS["room"].answer)
    assert answer.value.n_nodes == 3


def test_no_reply_is_waiting_until_the_deadline_and_too_late_after_it(worker, plain_run):
    assert ask(plain_run, RoomTaken(1), time.time() + 5) == Waiting(WaitsFor.WORKER)
    assert ask(plain_run, RoomTaken(1), time.time() - 1) == TooLate()
    worker.told = Told(waits_for=WaitsFor.OTHERS, place=3)
    assert ask(plain_run, RoomTaken(1), time.time() + 5) == Waiting(WaitsFor.OTHERS, 3)


def test_an_error_is_told_in_the_words_of_the_worker(worker, plain_run):
    worker.told = Told(Reply(error="cycle 9 is not there"))
    assert ask(plain_run, RoomTaken(9), time.time() + 5) == Failed("cycle 9 is not there")


def test_nobody_waits_longer_than_until_the_deadline(worker, plain_run):
    ask(plain_run, RoomTaken(1), time.time() + 0.5, patience=9)
    ask(plain_run, RoomTaken(1), time.time() - 3, patience=9)
    ask(plain_run, RoomTaken(1), time.time() + 10_000, patience=0.2)
    first, late, far = worker
    assert 0 < first.patience <= first.seconds <= 0.5
    assert (late.patience, late.seconds) == (0, 0)
    assert (far.patience, far.seconds) == (0.2, asking.LONGEST_SECONDS)


def test_a_question_about_another_recording_has_another_key(run, plain_run):
    first, second = (msgspec.json.encode(RoomTaken(cycle)) for cycle in (1, 2))
    keys = {key_of(run, first), key_of(run, second), key_of(plain_run, first)}
    run.state = State.RUNNING
    keys.add(key_of(run, first))
    assert len(keys) == 4
    assert key_of(plain_run, first) == key_of(plain_run, first)


def test_the_worker_answers_nothing_about_a_run_of_another_workspace(worker, run):
    ask(run, RoomTaken(1), time.time() + 5)
    request = msgspec.structs.replace(worker[0].request, workspace=run.workspace_id + 1)
    assert tasks.answer(request, 5, lambda: False).error == NO_RUN


def test_what_a_worker_does_not_expect_is_logged_and_told_without_details(worker, run, caplog):
    ask(run, RoomTaken(1), time.time() + 5)
    request = msgspec.structs.replace(worker[0].request, question=msgspec.Raw(b'{"question": "what"}'))
    reply = tasks.answer(request, 5, lambda: False)
    assert reply.error.startswith("The answer could not be computed")
    assert "no answer to" in caplog.text


def test_a_process_computes_one_answer_at_a_time(worker, plain_run, monkeypatch):
    """What it keeps between questions is changed by trials and put back, so a second one must not see it meanwhile."""
    ask(plain_run, RoomTaken(1), time.time() + 5)
    inside, most = [], []

    def compute(_request, _limit):
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.005)
        inside.pop()

    monkeypatch.setattr(computing, "_answer", compute)
    askers = [threading.Thread(target=tasks.answer, args=(worker[0].request, 5, lambda: False)) for _ in range(4)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert most == [1] * 4


def test_a_cycle_that_is_not_recorded_is_told_in_words(run):
    found = ask(run, RoomTaken(9999), time.time() + 5)
    assert isinstance(found, Failed)
    assert "9999" in found.words


def test_fields_of_a_question_are_checked():
    assert question_from(RoomTaken, {"cycle": "7"}) == RoomTaken(7)
    assert decode_question(b'{"question": "room", "cycle": 7}') == RoomTaken(7)
    for fields in ({"cycle": "0"}, {"cycle": "x"}, {}, {"cycle": "1", "more": "2"}):
        with pytest.raises(msgspec.ValidationError):
            question_from(RoomTaken, fields)


def test_messages_come_back_as_they_were_sent(worker, plain_run):
    ask(plain_run, RoomTaken(3), time.time() + 5, asker="page")
    encoded = msgspec.json.encode(worker[0])
    assert msgspec.json.encode(msgspec.json.decode(encoded, type=Ask)) == encoded
    told = Told(Reply(msgspec.Raw(b'{"nodes":["a"]}'), seconds=0.5))
    assert bytes(msgspec.json.decode(msgspec.json.encode(told), type=Told).reply.answer) == b'{"nodes":["a"]}'
