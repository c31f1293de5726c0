"""Counts beside saved searches: of the runs that are searched, by rows at once, of chunks when a member asks."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.answers.outcomes import Answer, Dropped, TooLate, Waiting, WaitsFor
from dashboard.query.models import SavedSearch
from dashboard.query.saved import save_search
from dashboard.runs.models import Cycle, Run
from dashboard.search.query_page.gathering import TotalCounts
from dashboard.search.query_page.saved_counts import SavedCounts, count_by_chunks
from scheduler_core.query import parse
from scheduler_core.query.search import END, HitCounts
from tests.dashboard.answers.conftest import worker
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.role_tables import assert_each_role_gets_its_answer

__all__ = ["worker"]
pytestmark = pytest.mark.django_db

COUNTS = "/w/team/search/saved/counts/"
FAILED = "outcome:unschedulable"


@pytest.fixture
def failed(run):
    """How many cycles of the run found no node."""
    return Cycle.objects.filter(run=run, outcome="unschedulable").count()


def counts_in(response):
    """Return {name: what stands beside it} of the lists."""
    assert response.status_code == 200
    assert_strict_csp(response.content)
    side = response.context["side"]
    return {row.name: row.count.text for row in (*side.yours, *side.shared, *side.recent)}


def test_the_lists_have_the_hits_of_the_run(people, viewer, run, failed):
    save_search(viewer.member, "mine", FAILED, False)
    save_search(viewer.member, "none", "cycle>999999", False)
    response = people["viewer"].get(COUNTS, {"run": run.number})
    assert counts_in(response) == {"mine": str(failed), "none": "0"}
    assert f'title="{failed} hits">{failed}</span>' in response.content.decode()
    # The page asks for them once it is there, and the answer does not ask again by itself.
    page = people["viewer"].get(f"/w/team/runs/{run.number}/search/").content.decode()
    assert re.search(r'id="search-saved" hx-get="/w/team/search/saved/counts/\?run=1&amp;q=cycle"', page)
    assert "load, search:grew" in page
    assert "load, search:grew" not in response.content.decode()


def test_they_are_of_the_scope_that_is_shown(people, viewer, run, execute, failed):
    other = execute(scene(), slug="other")
    save_search(viewer.member, "mine", FAILED, False)
    of_other = Cycle.objects.filter(run=other, outcome="unschedulable").count()
    assert counts_in(people["viewer"].get(COUNTS)) == {"mine": str(failed + of_other)}
    assert counts_in(people["viewer"].get(COUNTS, {"runs": str(other.number)})) == {"mine": str(of_other)}


def test_many_searches_take_a_query_each(viewer, run):
    for number in range(5):
        save_search(viewer.member, f"s{number}", f"attempt>{number}", False)
    counts = SavedCounts([run])
    with CaptureQueriesContext(
        connection,
    ) as taken:
        assert all(counts.of_rows(one.query).text for one in SavedSearch.objects.all())
    assert len(taken) == 6


def test_what_rows_lack_waits_for_a_click(people, viewer, run):
    save_search(viewer.member, "cells", "cell verdict:refused", False)
    response = people["viewer"].get(COUNTS, {"run": run.number})
    assert counts_in(response)["cells"] == ""
    assert 'hx-get="/w/team/search/saved/counts/?run=1&amp;q=cell+verdict%3Arefused&amp;turn=0"' in (
        response.content.decode()
    )


def test_a_click_asks_a_worker_turn_by_turn(viewer, run, monkeypatch):
    query, asked = parse("cell verdict:refused"), []
    turns = iter(
        [
            Waiting(WaitsFor.OTHERS, 2),
            Answer(HitCounts(3, (3,), (), 0, "deadline", run.head.seq // 2), 0.1),
            Answer(HitCounts(7, (7,), (), 0, END, run.head.seq), 0.1),
        ]
    )

    def ask(run, question, deadline, **more):
        asked.append(question.turn)
        return next(turns)

    monkeypatch.setattr("dashboard.query.searching.ask", ask)
    shown, turn = [], 0
    while turn is not None:
        count = count_by_chunks(viewer, [run], query, turn)
        shown.append(count.text)
        turn = count.next_turn
    assert asked == [0, 0, 1]
    assert shown[0] == "waiting"
    assert 40 <= int(shown[1].removesuffix(" %")) <= 50
    assert shown[2] == "7"


def test_the_answer_of_a_click_is_text_of_one_row(people, run, worker):
    response = people["viewer"].get(COUNTS, {"run": run.number, "q": "cell verdict:refused", "turn": "0"})
    assert response.status_code == 200
    assert_strict_csp(response.content)
    assert people["viewer"].get(COUNTS, {"run": run.number, "q": "(", "turn": "0"}).status_code == 400


def test_a_query_that_this_version_cannot_read_says_so(people, viewer, run):
    made = save_search(viewer.member, "old", FAILED, False)
    SavedSearch.objects.filter(pk=made.pk).update(query="nofield:<b>x")
    text = people["viewer"].get(COUNTS, {"run": run.number}).content.decode()
    assert "not counted" in text
    assert "<b>x" not in text


def test_what_took_too_long_is_left_to_a_click(run, monkeypatch):
    monkeypatch.setattr("dashboard.search.query_page.saved_counts.MOST_SECONDS", -1.0)
    assert SavedCounts([run]).of_rows(FAILED).text == ""


def test_members_alone_see_counts(people, run):
    assert_each_role_gets_its_answer(people, "viewer", 200, lambda person, _: person.get(COUNTS, {"run": run.number}))
    assert Run.objects.count() == 1


@pytest.mark.parametrize("outcome", [TooLate(), Dropped()])
def test_counts_that_nobody_computes_any_more_have_failed(outcome):
    counts = TotalCounts([0], pending=[Waiting(WaitsFor.RESULT), outcome])
    assert (bool(counts.failure), counts.is_over) == (True, False)
