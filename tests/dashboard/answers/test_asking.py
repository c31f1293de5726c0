"""Asking as pages do: typed answers, one key per question and recording, and nothing about a run of others."""

from __future__ import annotations

import time
from types import SimpleNamespace

from dashboard.answers import asking
from dashboard.answers.asking import answer_deadline, ask, ask_of_revision
from dashboard.answers.messages import AskResult, Reply
from dashboard.answers.outcomes import Answer, Dropped, Failed, TooLate, Waiting, WaitsFor
from dashboard.answers.questions import DrainOf, RoomTaken
from dashboard.answers.registry import KINDS
from dashboard.common.http.page_reader import page_name, reading


def test_the_answer_has_the_type_that_the_registry_names(run, cycle_of):
    question = RoomTaken(cycle_of("never-0").number)
    answer = ask(run, question, answer_deadline(question))
    assert isinstance(answer, Answer)
    assert isinstance(answer.value, KINDS["room"].answer)
    assert answer.value.n_nodes == 3


def test_no_reply_is_waiting_until_the_deadline_and_too_late_after_it(worker, plain_run):
    assert ask(plain_run, RoomTaken(1), time.time() + 5) == Waiting(WaitsFor.WORKER)
    assert ask(plain_run, RoomTaken(1), time.time() - 1) == TooLate()
    worker.result = AskResult(waits_for=WaitsFor.OTHERS, place=3)
    assert ask(plain_run, RoomTaken(1), time.time() + 5) == Waiting(WaitsFor.OTHERS, 3)


def test_an_error_is_told_in_the_words_of_the_worker(worker, plain_run):
    worker.result = AskResult(Reply(error="cycle 9 lacks"))
    assert ask(plain_run, RoomTaken(9), time.time() + 5) == Failed("cycle 9 lacks")


def test_nobody_waits_longer_than_until_the_deadline(worker, plain_run):
    ask(plain_run, RoomTaken(1), time.time() + 0.5, patience=9)
    ask(plain_run, RoomTaken(1), time.time() - 3, patience=9)
    ask(plain_run, RoomTaken(1), time.time() + 10_000, patience=0.2)
    first, late, far = worker
    assert 0 < first.patience <= first.seconds <= 0.5
    assert (late.patience, late.seconds) == (0, 0)
    assert (far.patience, far.seconds) == (0.2, asking.LONGEST_SECONDS)


def test_a_question_says_who_asks_it_in_which_workspace_and_on_which_page(worker, plain_run, rf):
    request = rf.get("/runs/1/")
    with reading(request, 7):
        ask(plain_run, RoomTaken(1), time.time() + 5)
    ask(plain_run, RoomTaken(1), time.time() + 5)
    workspace = plain_run.workspace_id
    assert [(one.person, one.page) for one in worker] == [
        (f"{workspace}:7", page_name(request)),
        (f"{workspace}:0", ""),
    ]


def test_a_question_that_made_way_for_others_is_dropped(worker, plain_run):
    worker.result = AskResult(is_dropped=True)
    assert ask(plain_run, RoomTaken(1), time.time() + 5) == Dropped()


def test_at_the_deadline_it_is_too_late(worker, plain_run, monkeypatch):
    monkeypatch.setattr(asking, "time", SimpleNamespace(time=lambda: 100.0))
    assert ask(plain_run, RoomTaken(1), 100.0) == TooLate()
    assert ask(plain_run, RoomTaken(1), 100.5) == Waiting(WaitsFor.WORKER)


def test_a_question_is_short_where_its_kind_says_so(worker, plain_run):
    ask(plain_run, RoomTaken(1), time.time() + 5)
    ask_of_revision(plain_run.revision, DrainOf(("node",)), time.time() + 5)
    assert [one.request.is_short for one in worker] == [KINDS["room"].is_short, False]
