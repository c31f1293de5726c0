"""The parts of a run's page that ask an answer worker: an answer, what is waited for, too late, failed, not yours."""

from __future__ import annotations

import time

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from dashboard.answers import asking
from dashboard.answers.messages import Reply, Told
from dashboard.answers.outcomes import WaitsFor
from tests.dashboard.debugger.test_pages import text


@pytest.fixture
def part(run, cycle_of, viewer):
    """A function that returns the part of a refused cycle, as a viewer gets it."""
    cycle = cycle_of("never-0").number

    def part(client=viewer, name="remedies", **query):
        address = reverse("debugger:answer", args=["team", run.number, name])
        return client.get(address, {"cycle": cycle, "tab": "why", **query})

    return part


@pytest.fixture
def told(monkeypatch):
    """What the worker tells; and what it was asked."""

    class Worker:
        told = Told(waits_for=WaitsFor.WORKER)
        asked = None

    def ask(asked):
        Worker.asked = asked
        return Worker.told

    monkeypatch.setattr(asking, "_transport", lambda: ask)
    return Worker


def test_the_answer_is_the_part_of_the_page(part):
    shown = text(part())
    assert "What would let it fit" in shown
    assert "verified" in shown


@pytest.mark.parametrize(
    ("waits", "words"),
    [
        (Told(waits_for=WaitsFor.WORKER), "Waiting for an answer worker"),
        (Told(waits_for=WaitsFor.OTHERS, place=4), "Waiting for the answer worker, 4 in line"),
        (Told(waits_for=WaitsFor.RESULT), "Being computed"),
    ],
)
def test_a_part_without_an_answer_says_what_it_waits_for_and_asks_again(part, told, waits, words):
    told.told = waits
    response = part()
    assert words in text(response)
    html = response.content.decode()
    assert 'hx-trigger="load delay:' in html
    assert f"until={int((time.time() + 10) * 1000)}"[:-5] in html
    assert f"asker={told.asked.asker}" in html


def test_asking_again_keeps_asker_and_deadline(part, told):
    until = int((time.time() + 2) * 1000)
    html = part(until=until, asker="abc").content.decode()
    assert (told.asked.asker, f"until={until}" in html) == ("abc", True)
    assert told.asked.seconds <= 2


def test_behind_the_deadline_the_part_stops_asking_and_offers_to(part, told):
    response = part(until=int((time.time() - 1) * 1000))
    assert "No answer within 10 s" in text(response)
    html = response.content.decode()
    assert "hx-trigger" not in html
    assert "Ask again" in html
    assert "until=" not in html


def test_an_error_is_said_in_the_part(part, told):
    told.told = Told(Reply(error="the recording cannot be read."))
    assert "the recording cannot be read." in text(part())


def test_a_page_asks_nothing_itself_and_names_where_its_parts_are(run, cycle_of, viewer, told):
    address = reverse("debugger:run", args=["team", run.number])
    response = viewer.get(address, {"cycle": cycle_of("never-0").number, "tab": "why"})
    assert response.status_code == 200
    assert "Trying changes that would let it fit" in text(response)
    assert reverse("debugger:answer", args=["team", run.number, "remedies"]) in response.content.decode()
    assert told.asked is None


def test_strangers_learn_nothing_and_the_worker_is_not_asked(part, told, stranger, anonymous):
    assert part(stranger).status_code == 404
    assert part(anonymous).status_code == 302
    assert told.asked is None


def test_membership_is_checked_before_anything_of_the_run_is_read(part, told, stranger):
    with CaptureQueriesContext(connection) as queries:
        assert part(stranger, name="remedies").status_code == 404
    assert not [query["sql"] for query in queries if "runs_" in query["sql"] or "clusters_" in query["sql"]]
    assert told.asked is None


@pytest.mark.parametrize(
    "query",
    [
        {"cycle": "1 OR 1=1"},
        {"cycle": "9" * 5000},
        {"cycle": "-1"},
        {"cycle": "\x00"},
        {"until": "1e9999"},
        {"until": "9" * 400},
        {"asker": "a" * 5000},
        {"pod": "x" * 100_000},
    ],
    ids=lambda query: f"{next(iter(query))} {next(iter(query.values()))[:12]!a}",
)
def test_a_hostile_address_is_refused_and_the_worker_is_not_asked(part, told, query):
    assert part(name="remedies", **query).status_code in (400, 404)
    assert told.asked is None


def test_what_cannot_be_asked_is_refused(part, plain_run, viewer):
    assert part(name="nonsense").status_code == 404
    assert part(until="soon").status_code == 400
    nothing_refused = reverse("debugger:answer", args=["team", plain_run.number, "remedies"])
    assert viewer.get(nothing_refused, {"cycle": 1}).status_code == 404
