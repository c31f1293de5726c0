"""The parts of a run's page that ask an answer worker: an answer, what is waited for, too late, failed, not yours."""

from __future__ import annotations

import html
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.dashboard.debugger.page_text import text


def test_the_answer_is_the_part_of_the_page(part):
    shown = text(part())
    assert "Remedies" in shown
    assert "verified" in shown


def test_a_page_asks_nothing_itself_and_names_where_its_parts_are(run, cycle_of, viewer, worker_stub):
    address = reverse("debugger:run", args=["team", run.number])
    response = viewer.get(address, {"cycle": cycle_of("never-0").number, "tab": "why"})
    assert response.status_code == 200
    assert reverse("debugger:answer", args=["team", run.number, "remedies"]) in response.content.decode()
    assert worker_stub.asked is None


def test_strangers_learn_nothing_and_the_worker_is_not_asked(part, worker_stub, stranger, anonymous):
    assert part(stranger).status_code == 404
    assert part(anonymous).status_code == 302
    assert worker_stub.asked is None


def test_membership_is_checked_before_anything_of_the_run_is_read(part, worker_stub, stranger):
    with CaptureQueriesContext(connection) as queries:
        assert part(stranger, name="remedies").status_code == 404
    assert not [query["sql"] for query in queries if "runs_" in query["sql"] or "clusters_" in query["sql"]]
    assert worker_stub.asked is None


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
def test_a_hostile_address_is_refused_and_the_worker_is_not_asked(part, worker_stub, query):
    assert part(name="remedies", **query).status_code in (400, 404)
    assert worker_stub.asked is None


def test_what_cannot_be_asked_is_refused(part, plain_run, viewer):
    assert part(name="nonsense").status_code == 404
    assert part(until="soon").status_code == 400
    nothing_refused = reverse("debugger:answer", args=["team", plain_run.number, "remedies"])
    assert viewer.get(nothing_refused, {"cycle": 1}).status_code == 404


def test_a_remedy_of_the_list_is_tried_where_its_row_says(part, viewer, run, cycle_of):
    address = html.unescape(re.search(r'hx-get="([^"]*/answers/remedy/[^"]*)"', part().content.decode()).group(1))
    response = viewer.get(address)
    block, shown = response.context["block"], text(response)
    assert (block.meaning, bool(block.node)) == ("bound", True)
    assert block.title in shown
    assert block.took in shown
    assert "0 → " in shown
    assert "tried on the state that the cycle found, this pod only" in shown


def test_only_what_members_may_see_is_tried_and_only_where_nodes_refused(
    run, plain_run, cycle_of, viewer, stranger, worker_stub
):
    address = reverse("debugger:remedy_tried", args=["team", run.number])
    query = {"cycle": cycle_of("never-0").number, "remedy": "The moon"}
    assert stranger.get(address, query).status_code == 404
    for wrong in (
        {"remedy": ""},
        {"remedy": "x" * 100_000},
        {"cycle": cycle_of("small-0").number},
        {"cycle": "1 OR 1"},
    ):
        assert viewer.get(address, query | wrong).status_code in (400, 404), wrong
    assert worker_stub.asked is None
    assert viewer.get(address, query).context["panel"].is_waiting
    assert worker_stub.asked is not None


def test_a_remedy_that_the_state_does_not_have_is_said_to_be_untried(run, cycle_of, viewer):
    address = reverse("debugger:remedy_tried", args=["team", run.number])
    answer = viewer.get(address, {"cycle": cycle_of("never-0").number, "remedy": "<b>Ask for the moon"})
    assert "nothing was tried" in text(answer)
    assert "<b>Ask" not in answer.content.decode()
