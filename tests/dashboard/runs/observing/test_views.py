"""The page that makes a timeline of a run."""

from __future__ import annotations

import html

import pytest

from dashboard.documents.models import Timeline
from dashboard.documents.timelines.arrivals.rows import read_entries
from tests.dashboard.runs.keeping.conftest import configuration as configuration
from tests.dashboard.runs.keeping.conftest import following as following
from tests.dashboard.runs.keeping.conftest import timeline as timeline

pytestmark = pytest.mark.django_db
PAGE = "/w/team/runs/observed/"


def test_a_run_is_chosen_seen_and_saved(editor, following):
    assert f'value="{following.number}"' in editor.get(PAGE).content.decode()
    fields = {"run": following.number, "from": "1.5s"}
    assert "3 entries" in " ".join(editor.get(PAGE, fields).content.decode().split())
    answer = editor.post(PAGE, {**fields, "name": "as seen"})
    assert answer["Location"] == "/w/team/timelines/as-seen/"
    revision = Timeline.objects.get(slug="as-seen").revisions.get()
    assert "1.5s" in revision.message
    assert [row.at for row in read_entries(revision).rows] == [500_000, 500_000, 28_500_000]


@pytest.mark.parametrize(
    ("fields", "status", "message"),
    [
        ({"from": "40s"}, 400, "Nothing arrives in this interval"),
        ({"name": ""}, 400, "Give it a name"),
        ({"from": "3s", "before": "2s"}, 400, "must be later than"),
        ({"name": "Rush"}, 409, "exists already"),
    ],
)
def test_a_refusal_keeps_the_form(editor, following, fields, status, message):
    answer = editor.post(PAGE, {"run": following.number, "name": "as seen", **fields})
    assert answer.status_code == status
    assert message in answer.content.decode()
    assert 'value="30' not in answer.content.decode()
    assert Timeline.objects.count() == 1


def test_an_empty_part_is_said(editor, following):
    page = editor.get(PAGE, {"run": following.number, "from": "40s", "ends": "none"}).content.decode()
    assert "Nothing arrived in" in page
    assert editor.get(PAGE, {"run": 99}).status_code == 404


def test_who_may(people, following):
    assert people["anonymous"].get(PAGE).status_code == 302
    assert people["stranger"].get(PAGE).status_code == 404
    for role in ("viewer", "reviewer"):
        assert people[role].get(PAGE).status_code == 403
        assert people[role].post(PAGE, {"run": following.number, "name": "x"}).status_code == 403
    assert people["editor"].get(PAGE).status_code == 200


def test_timelines_lead_there(editor, following):
    assert PAGE in editor.get("/w/team/timelines/").content.decode()


def test_a_description_begins_with_what_was_observed(editor, following):
    page = editor.get(PAGE, {"run": following.number}).content.decode()
    text = html.unescape(page.partition('<textarea name="text" hidden>')[2].partition("</textarea>")[0]).lstrip()
    assert "process: list" in text
    answer = editor.post("/w/team/generate/", {"text": text})
    assert answer.status_code == 200
    assert "2 pods" in " ".join(answer.content.decode().split())
    assert PAGE in editor.get("/w/team/generate/").content.decode()


def test_words(editor, following):
    empty = {"run": following.number, "from": "40s", "ends": "none"}
    assert "Nothing arrived in this part of the run" in editor.get(PAGE, empty).content.decode()
    editor.post(PAGE, {"run": following.number, "from": "1.5s", "name": "as seen"})
    assert (
        Timeline.objects.get(slug="as-seen").revisions.get().message
        == f"Observed in run {following.number} from 1.5s on"
    )
