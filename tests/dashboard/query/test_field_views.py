"""The field of a query over HTTP: completions, errors at the column, the list of fields, for members alone."""

from __future__ import annotations

import pytest

from scheduler_core.query import FIELDS
from tests.dashboard.debugger.conftest import execute, run
from tests.dashboard.helpers import assert_strict_csp

__all__ = ["execute", "run"]
pytestmark = pytest.mark.django_db
URL, FIELDS_URL = "/w/team/query/completions/", "/w/team/query/fields/"


def answer(person, q, **more):
    response = person.get(URL, {"q": q, **more})
    assert response.status_code == 200
    return response.json()


@pytest.mark.parametrize("role", ["viewer", "reviewer", "editor", "admin", "stranger", "anonymous"])
@pytest.mark.parametrize("url", [URL, FIELDS_URL])
def test_members_alone_may_ask(people, role, url):
    status = people[role].get(url).status_code
    assert status == {"stranger": 404, "anonymous": 302}.get(role, 200)


def test_values_of_the_run_come_with_their_count(people, run):
    items = answer(people["viewer"], "pod:never", run=run.number)["items"]
    assert [(one["text"], one["help"], one["column"]) for one in items] == [("default/never-0", "3 cycles", 5)]


def test_without_a_run_the_newest_answers(people, run):
    assert answer(people["viewer"], "pod:never")["items"]


def test_a_workspace_without_runs_completes_fields(people):
    assert {"outcome", "pod"} <= {one["text"] for one in answer(people["viewer"], "")["items"]}


def test_a_run_of_nobody_is_not_found(people):
    assert people["viewer"].get(URL, {"q": "pod:", "run": 99}).status_code == 404


def test_an_error_names_its_column(people):
    error = answer(people["viewer"], "tie and margin>abc")["error"]
    assert error["column"] == 16
    assert error["text"].startswith("column 16: margin takes a whole number")


def test_an_empty_text_is_no_error(people):
    assert "error" not in answer(people["viewer"], " ")


@pytest.mark.parametrize("text", ["(" * 1_900, "x" * 5_000, 'pod:"' + "*" * 1_900, "\x00", "<script>" * 100])
def test_hostile_texts_are_answered_with_an_error_that_names_a_column(people, text):
    assert answer(people["viewer"], text)["error"]["column"] >= 1


def test_all_fields_are_listed(people):
    page = people["viewer"].get(FIELDS_URL)
    assert_strict_csp(page.content)
    text = page.content.decode()
    assert all(f"<code>{field.name}</code>" in text for field in FIELDS)
    part = people["viewer"].get(FIELDS_URL, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
