"""Marks of a query's hits on the strip: as many as the search counts, at cycles that the run has."""

from __future__ import annotations

import pytest
from django.urls import reverse

from dashboard.answers import asking
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import WaitsFor
from dashboard.debugger.panels.scrubber import hit_marks as module
from dashboard.debugger.panels.scrubber.hit_marks import hit_marks
from dashboard.query.rows import count_rows
from dashboard.runs.models import Cycle
from scheduler_core.query import parse

pytestmark = pytest.mark.django_db


def url(run):
    return reverse("debugger:hit_marks", args=["team", run.number])


@pytest.mark.parametrize("text", ["outcome:unschedulable", "move to:backoff", "move", "preemption", "cycle"])
def test_every_hit_is_marked_at_a_cycle(run, text):
    query = parse(text)
    marks = hit_marks(run, query, None, "x")
    assert sum(marks.cycles.values()) == count_rows(run, query).total
    assert set(marks.cycles) <= set(Cycle.objects.filter(run=run).values_list("number", flat=True))
    assert marks.next is None


def test_many_come_turn_by_turn(run, viewer, monkeypatch):
    monkeypatch.setattr(module, "MAX_LIMIT", 3)
    counts, after = {}, ""
    for _ in range(100):
        answer = viewer.get(url(run), {"hits": "cycle", "after": after}).json()
        counts |= dict(answer["marks"])
        after = answer["next"]
        if not after:
            break
    assert sorted(counts) == list(range(1, run.head.cycle + 1))


def test_chunks_are_asked_of_a_worker(run, viewer, monkeypatch):
    monkeypatch.setattr(asking, "_transport", lambda: lambda _: AskResult(waits_for=WaitsFor.WORKER))
    answer = viewer.get(url(run), {"hits": "cell verdict:refused"}).json()
    assert answer == {"marks": [], "next": "", "waiting": True, "failure": ""}


@pytest.mark.parametrize("query", [{"hits": "("}, {"hits": ""}, {"hits": "tie", "after": "x"}, {"hits": "x" * 3_000}])
def test_what_is_wrong_is_refused(run, viewer, query):
    assert viewer.get(url(run), query).status_code == 400


def test_members_alone_see_them(people, run):
    expected = {"stranger": 404, "anonymous": 302}
    for role, person in people.items():
        assert person.get(url(run), {"hits": "tie"}).status_code == expected.get(role, 200)


def test_the_page_keeps_the_query_in_its_links_and_a_chip_clears_it(run, look):
    html = look(run, cycle=1, hits='pod~"<b>"').content.decode()
    assert "<b>&quot;" not in html
    assert 'data-chip="hits"' in html
    assert "hits=pod~%22%3Cb%3E%22" in html or "hits=pod%7E%22%3Cb%3E%22" in html
