"""The page over HTTP: who may see it, its parts, files, the choice of runs, and input that means nothing."""

from __future__ import annotations

import csv
import io

import pytest
from django.urls import reverse

from dashboard.answers import asking
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import Waiting, WaitsFor
from dashboard.answers.panel import OutcomePanel
from dashboard.compare.pod_rows import TITLES
from scheduler_core.compare.pods import EVICTED_B, ONLY_B, PLACED_B
from tests.dashboard.debugger.page_text import text
from tests.dashboard.helpers import assert_strict_csp

pytestmark = pytest.mark.django_db


@pytest.fixture
def get(run, other):
    """A function that asks for the page, or another address of it, as somebody."""

    def get(person, name="page", args=(), headers=None, **query):
        address = reverse(f"compare:{name}", args=["team", *args])
        return person.get(address, {"a": run.number, "b": other.number} | query, headers=headers or {})

    return get


def test_a_viewer_sees_where_two_runs_part_and_what_differs(get, viewer, run, other):
    response = get(viewer)
    shown = text(response)
    for part in ("First divergence", "Cause", "cluster", "What differs", "never-0", "Newly placed in B"):
        assert part in shown
    assert_strict_csp(response.content.decode())


def test_strangers_and_the_anonymous_do_not(get, stranger, client):
    assert get(stranger).status_code == 404
    assert get(client).status_code == 302


def test_htmx_gets_the_page_without_its_frame(get, viewer):
    response = get(viewer, headers={"HX-Request": "true", "HX-Target": "compare"})
    assert b"<html" not in response.content
    assert b'id="compare"' in response.content
    assert "HX-Request" in response["Vary"]


@pytest.mark.parametrize("name", ["divergence", "compared-figures", "compared-pods"])
def test_each_part_is_had_by_itself(get, viewer, name):
    response = get(viewer, "answer", [name])
    assert response.status_code == 200
    assert b"<html" not in response.content
    assert b"pane-head" in response.content or name != "divergence"


def test_another_question_is_no_part(get, viewer):
    assert get(viewer, "answer", ["why"]).status_code == 404


def test_while_no_worker_replies_each_part_says_so_and_asks_again(get, viewer, monkeypatch):
    monkeypatch.setattr(asking, "_transport", lambda: lambda asked: AskResult(waits_for=WaitsFor.WORKER))
    response = get(viewer)
    page = response.content.decode()
    assert response.status_code == 200
    assert page.count(OutcomePanel(Waiting(WaitsFor.WORKER)).text) == 4
    for name in ("divergence", "compared-figures", "compared-pods"):
        assert reverse("compare:answer", args=["team", name]) in page


@pytest.mark.parametrize(("form", "kind"), [("md", "text/markdown"), ("csv", "text/csv")])
def test_it_is_had_as_a_file(get, viewer, form, kind, run, other):
    response = get(viewer, "export", [form])
    assert response["Content-Type"].startswith(kind)
    assert f"runs-{run.number}-and-{other.number}.{form}" in response["Content-Disposition"]
    content = response.content.decode()
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(content)))
        assert {row["pod"]: (row["node_a"], row["node_b"]) for row in rows}["never-0"] == ("", "spare")
    else:
        assert content.startswith("## Comparison of")


def test_no_other_form_of_file(get, viewer):
    assert get(viewer, "export", ["pdf"]).status_code == 404


def test_a_file_that_takes_too_long_says_what_to_do(get, viewer, monkeypatch):
    from dashboard.compare import views

    monkeypatch.setattr(views, "EXPORT_SECONDS", 0.0)
    response = get(viewer, "export", ["csv"])
    assert response.status_code == 409
    assert "try again" in text(response)


def test_with_one_run_the_other_is_chosen(viewer, run, other):
    address = reverse("compare:page", args=["team"])
    shown = viewer.get(address, {"a": run.number})
    assert f"?a={run.number}&amp;b={other.number}" in shown.content.decode()
    assert f"b={run.number}" not in shown.content.decode()
    assert f"?b={other.number}&amp;a={run.number}" in viewer.get(address, {"b": other.number}).content.decode()
    assert f"?a={run.number}" in viewer.get(address).content.decode()


@pytest.mark.parametrize("query", [{"a_cycle": "x"}, {"page": "0"}, {"a_seq": "-1"}, {"group": "?"}, {"a": "0"}])
def test_what_means_nothing_is_a_clear_400(get, viewer, query):
    response = get(viewer, **query)
    assert response.status_code == 400
    assert next(iter(query)) in text(response)


def test_names_in_a_search_are_text(get, viewer):
    page = get(viewer, q="<script>").content.decode()
    assert "No pod matches" in page
    assert "<script>&" not in page
    assert 'value="&lt;script&gt;"' in page


def test_a_run_against_itself_is_the_same_to_the_last_event(get, viewer, run):
    response = get(viewer, b=run.number)
    assert response.context["page"].first.divergence is None
    assert "No pod differs" in text(response)


def test_a_run_at_two_moments_says_that_one_of_them_ends(get, viewer, run):
    response = get(viewer, b=run.number, a_seq=run.head.seq // 2)
    shown = text(response)
    assert f"event {run.head.seq // 2:,}" in shown
    titles = {group.title for group in response.context["page"].pod_list.groups}
    assert titles & {TITLES[ONLY_B], TITLES[PLACED_B], TITLES[EVICTED_B]}
    assert all(title in shown for title in titles)
