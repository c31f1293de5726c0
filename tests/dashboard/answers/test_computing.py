"""The worker's side of a question: whose run it may look at, one answer at a time, and what it says where it fails."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import msgspec
import pytest

from dashboard.answers import computing, tasks
from dashboard.answers.answering.time_limit import TimeLimit
from dashboard.answers.asking import ask
from dashboard.answers.computing import NO_RUN
from dashboard.answers.outcomes import Failed
from dashboard.answers.questions import RoomTaken
from dashboard.answers.registry import decode_question
from dashboard.common.monitoring.log_context import WithContext, logged_with
from dashboard.common.problems import Problem


def test_the_worker_answers_nothing_about_a_run_of_another_workspace(worker, run):
    ask(run, RoomTaken(1), time.time() + 5)
    request = msgspec.structs.replace(worker[0].request, workspace=run.workspace_id + 1)
    assert tasks.answer(request, 5, lambda: False).error == NO_RUN


def test_what_a_worker_does_not_expect_is_logged_and_told_without_details(worker, run, caplog):
    with logged_with(request_id="abc-1"):
        ask(run, RoomTaken(1), time.time() + 5)
    request = msgspec.structs.replace(worker[0].request, question=msgspec.Raw(b'{"question": "what"}'))
    caplog.handler.addFilter(WithContext())
    reply = tasks.answer(request, 5, lambda: False)
    assert reply.error.startswith("The answer could not be computed")
    assert "no answer to" in caplog.text
    (record,) = [record for record in caplog.records if record.exc_info]
    assert (record.request_id, record.run, record.workspace_id) == ("abc-1", run.pk, run.workspace_id)


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
    failure = ask(run, RoomTaken(9999), time.time() + 5)
    assert isinstance(failure, Failed)
    assert "9999" in failure.text


HOSTILE = {
    "no object": b"[]",
    "no text": b"\xff\xfe",
    "an unknown question": b'{"question": "__import__", "cycle": 1}',
    "a name of another type": b'{"question": ["remedies"], "cycle": 1}',
    "a field too many": b'{"question": "remedies", "cycle": 1, "run": 2}',
    "a number beyond all": b'{"question": "remedies", "cycle": 1' + b"0" * 4000 + b"}",
    "a number below all": b'{"question": "remedies", "cycle": -1}',
    "no number": b'{"question": "remedies", "cycle": "1 OR 1=1"}',
    "nested deeply": b'{"question": "remedies", "cycle": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "names without end": b'{"question": "why-node", "cycle": 1, "nodes": ["' + b"n" * 100_000 + b'"]}',
    "too many names": b'{"question": "why-node", "cycle": 1, "nodes": [' + b'"n",' * 10_000 + b'"n"]}',
}


@pytest.mark.parametrize("encoded", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_question_is_no_question_and_is_told_without_details(worker, run, encoded):
    """A message may come from whoever can write to the broker."""
    with pytest.raises((msgspec.MsgspecError, RecursionError)):
        decode_question(encoded)
    ask(run, RoomTaken(1), time.time() + 5)
    request = msgspec.structs.replace(worker[0].request, question=msgspec.Raw(encoded))
    assert tasks.answer(request, 5, lambda: False).error == computing.BROKEN


@pytest.mark.parametrize(
    ("answer", "error"), [(b"1", ""), (Problem("No such thing"), "No such thing."), (KeyError("x"), computing.BROKEN)]
)
def test_a_reply_says_how_long_it_took(worker, plain_run, monkeypatch, answer, error):
    ask(plain_run, RoomTaken(1), time.time() + 5)

    def compute(_request, _limit):
        now[0] += 2.5
        if isinstance(answer, Exception):
            raise answer
        return answer

    now = [100.0]
    monkeypatch.setattr(computing, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(computing, "_answer", compute)
    reply = computing.reply_to(worker[0].request, TimeLimit(200.0))
    assert (reply.error, reply.seconds) == (error, 2.5)
