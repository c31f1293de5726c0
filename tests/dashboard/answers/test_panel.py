"""A part of a page that waits for an answer: what it says, when it asks again, when it gives up."""

from __future__ import annotations

import time

import pytest

from dashboard.answers.messages import AskResult, Reply
from dashboard.answers.outcomes import WaitsFor
from dashboard.runs.models import Run
from tests.dashboard.debugger.page_text import text


@pytest.mark.parametrize(
    ("waits", "sentence"),
    [
        (AskResult(waits_for=WaitsFor.WORKER), "Waiting for an answer worker"),
        (AskResult(waits_for=WaitsFor.OTHERS, place=4), "Waiting for the answer worker, 4 in line"),
        (AskResult(waits_for=WaitsFor.RESULT), "Being computed"),
    ],
)
def test_a_part_without_an_answer_says_what_it_waits_for_and_asks_again(part, worker_stub, waits, sentence):
    worker_stub.result = waits
    response = part()
    assert sentence in text(response)
    html = response.content.decode()
    assert 'hx-trigger="load delay:' in html
    assert f"until={int((time.time() + 10) * 1000)}"[:-5] in html
    assert f"asker={worker_stub.asked.asker}" in html


def test_asking_again_keeps_asker_and_deadline(part, worker_stub):
    until = int((time.time() + 2) * 1000)
    html = part(until=until, asker="abc").content.decode()
    assert (worker_stub.asked.asker, f"until={until}" in html) == ("abc", True)
    assert worker_stub.asked.seconds <= 2


def test_behind_the_deadline_the_part_stops_asking_and_offers_to(part, worker_stub):
    response = part(until=int((time.time() - 1) * 1000))
    assert "within 10 s" in text(response)
    html = response.content.decode()
    assert "hx-trigger" not in html
    assert "Ask again" in html
    assert "until=" not in html


def test_a_part_whose_question_was_dropped_says_so_and_offers_to_ask_again(part, worker_stub):
    worker_stub.result = AskResult(is_dropped=True)
    response = part()
    assert "than 4 answers" in text(response)
    html = response.content.decode()
    assert ("hx-trigger" in html, "Ask again" in html) == (False, True)


def test_a_large_run_gives_the_worker_time_to_read_its_inputs(part, worker_stub):
    Run.everything.update(n_pods=51_500)
    worker_stub.result = AskResult(waits_for=WaitsFor.RESULT)
    part()
    assert 19 < worker_stub.asked.seconds <= 20
    assert "within 20 s" in text(part(until=int((time.time() - 1) * 1000)))


def test_an_error_is_said_in_the_part(part, worker_stub):
    worker_stub.result = AskResult(Reply(error="the recording fails."))
    assert "The recording fails." in text(part())


@pytest.mark.parametrize(
    ("result", "query", "sentence"),
    [
        (AskResult(waits_for=WaitsFor.WORKER), {}, "Waiting for an answer worker; none replies"),
        (AskResult(waits_for=WaitsFor.WORKER), {"until": 1}, "No answer within 10 s"),
        (AskResult(is_dropped=True), {}, "Not computed, since you asked for more than 4 answers at once"),
    ],
)
def test_words(part, worker_stub, result, query, sentence):
    worker_stub.result = result
    assert sentence in text(part(**query))
