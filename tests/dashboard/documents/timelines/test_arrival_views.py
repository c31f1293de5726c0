"""Edits of arrivals from a timeline's page."""

from __future__ import annotations

import hashlib
import re

import pytest

from dashboard.documents.timelines import kind
from dashboard.documents.timelines.actions import timeline_text
from dashboard.documents.timelines.drafts.state import OpenedTimeline
from tests.dashboard.clusters.conftest import priority_class
from tests.dashboard.documents.timelines.arrivals.some_entries import rush, stored
from tests.dashboard.documents.timelines.arrivals.test_workloads import workload

DAY = "/w/team/timelines/day/"
CHANGE, DRAFT = f"{DAY}change", f"{DAY}draft/"


@pytest.fixture
def day(editor):
    """The timeline "day" with five entries."""
    return stored(editor.member, rush()).timeline


def form(day, **more):
    """Return the form of the page with nothing typed into the text."""
    text = timeline_text(day.revisions.first())
    seen = hashlib.sha256(text.encode()).hexdigest()
    return {"thing": "day", "base": day.revisions.first().number, "text": text, "seen": seen, **more}


def rows(day):
    """Return the rows of the draft."""
    (draft,) = day.drafts.all()
    return OpenedTimeline(draft).entries.now.rows


def times(day):
    """Return the times of the draft's entries, in seconds."""
    return [row.at / 1e6 for row in rows(day)]


@pytest.mark.parametrize(
    ("fields", "after"),
    [
        ({"do": "shift", "by": "5s", "from": "2s", "before": "3s"}, [1, 4, 7, 7, 10]),
        ({"do": "shift", "by": "\N{MINUS SIGN}1 s"}, [0, 1, 1, 3, 9]),
        ({"do": "stretch", "factor": "0.5", "from": "2s"}, [1, 2, 2, 3, 6]),
        ({"do": "remove", "of": "app=web"}, [2]),
        ({"do": "remove", "before": "2s", "ends": "1"}, [2, 2, 4]),
        ({"do": "repeat", "copies": "2", "every": "1m", "ns": "batch"}, [1, 2, 2, 4, 10, 62, 122]),
        (
            {
                "do": "add",
                "at": "3s",
                "object": "apiVersion: v1\nkind: Pod\nmetadata: {name: n}\nspec: {containers: [{name: c, image: i}]}",
            },
            [1, 2, 2, 3, 4, 10],
        ),
    ],
)
def test_each_edit_goes_into_the_draft_and_is_undone_and_redone(editor, day, fields, after):
    answer = editor.post(CHANGE, form(day, **fields))
    assert answer.status_code == 302
    assert times(day) == after
    page = editor.get(answer["Location"]).content.decode()
    assert f'name="version" value="{day.drafts.get().version}"' in " ".join(page.split())
    assert editor.post(f"{DRAFT}undo", {"back": f"{DRAFT}?from=2s"})["Location"] == f"{DRAFT}?from=2s"
    assert times(day) == [1, 2, 2, 4, 10]
    editor.post(f"{DRAFT}redo")
    assert times(day) == after
    assert day.revisions.count() == 1


def test_the_page_follows_the_entries_that_were_shifted(editor, day):
    answer = editor.post(CHANGE, form(day, do="shift", by="5s", **{"from": "2s", "before": "3s", "of": "app=web"}))
    assert answer["Location"] == f"{DRAFT}?from=7s&before=8s&of=app%3Dweb"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"do": "shift"}, "Shift by: write a time"),
        ({"do": "shift", "by": "soon"}, "Shift by: &quot;soon&quot; is no time"),
        ({"do": "shift", "by": "-2s"}, "entries[0].at: Pod default/web-1 "),
        ({"do": "stretch", "factor": "0"}, "is no factor"),
        ({"do": "remove", "ns": "elsewhere"}, "No entry"),
        ({"do": "repeat", "names": "Bad #"}, "entries["),
        ({"do": "add", "object": "a: ["}, "Object: line"),
        ({"do": "add", "object": "- a"}, "Object: write the YAML of one object"),
        ({"do": "add", "object": "kind: Pod"}, "entries[0].object"),
        ({"do": "add", "object": "kind: Pod\nmetadata: [1]"}, "Object: metadata: a mapping is needed"),
        ({"do": "add", "object": "kind: Job\nspec: [1]"}, "Object: Job"),
        ({"do": "add", "object": "kind: Pod\nmetadata: {name: [1]}"}, "entries[0].object"),
    ],
)
def test_a_refusal_keeps_what_was_written(editor, day, fields, message):
    answer = editor.post(CHANGE, form(day, message="why", **fields))
    page = answer.content.decode()
    assert answer.status_code == 400
    assert message in page
    assert 'value="why"' in page
    assert "web-3" in page
    assert day.revisions.count() == 1


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"do": "shift", "by": "-2s"}, "Shift by"),
        ({"do": "stretch", "factor": "0"}, "Stretch by"),
        ({"do": "add", "object": "- a"}, ""),
        ({"do": "shift", "by": "1s", "base": "7"}, ""),
    ],
)
def test_the_field_that_is_refused_is_marked(editor, day, fields, name):
    page = editor.post(CHANGE, form(day, **fields)).content.decode()
    marked = re.findall(r'aria-label="([^"]+)"\s+aria-invalid="true" aria-describedby="refusal"', page)
    assert marked == ([name] if name else [])
    assert 'id="refusal"' in page


def test_what_is_done_to_entries_is_off_where_none_is_chosen(editor, day):
    page = editor.get(f"{DAY}?q=nothing-like-it").content.decode()
    for what in ("shift", "stretch", "remove"):
        assert re.search(rf'value="{what}"[^>]*\sdisabled\s*>', page), what
    assert "disabled" not in editor.get(DAY).content.decode().partition('class="arr-edits"')[2].partition("<table")[0]


def test_what_was_typed_is_saved_with_the_edit(editor, day):
    typed = form(day, do="shift", by="1s")
    typed["text"] = typed["text"].replace("web-3", "web-33")
    assert editor.post(CHANGE, typed).status_code == 302
    assert {row.key.name for row in rows(day)} == {"web-1", "web-2", "web-33", "job-1"}


def test_errors_of_what_was_typed_are_findings(editor, day):
    typed = form(day, do="shift", by="1s")
    typed["text"] = typed["text"].replace("at: 4s", "at: soon")
    answer = editor.post(CHANGE, typed)
    assert answer.status_code == 400
    assert "is no time" in answer.content.decode()
    assert "at: soon" in answer.content.decode()


def test_somebody_elses_revision_is_not_overwritten(editor, day):
    first = form(day, do="shift", by="1s")
    assert editor.post(CHANGE, first).status_code == 302
    assert editor.post(CHANGE, {**first, "by": "2s"}).status_code == 409
    assert editor.post(CHANGE, {**first, "version": "0"}).status_code == 409
    assert times(day) == [2, 3, 3, 5, 11]
    editor.post(f"{DRAFT}save")
    assert editor.post(CHANGE, {**first, "by": "2s"}).status_code == 409
    assert editor.post(f"{DAY}undo/1").status_code == 409
    assert (day.revisions.count(), day.drafts.count()) == (2, 0)


def test_a_new_object_is_checked_against_the_chosen_cluster(editor, cluster, day):
    added = {"do": "add", "at": "1s", "object": f"{priority_class('high')}"}
    refused = editor.post(CHANGE, form(day, cluster="prod", **added))
    assert "entries[1].object" in refused.content.decode()
    assert editor.post(CHANGE, form(day, **added)).status_code == 302


def test_a_workload_is_added_as_its_pods(editor, day):
    answer = editor.post(CHANGE, form(day, do="add", at="3s", object=f"{workload(replicas=3)}"))
    assert answer.status_code == 302
    came = [row.key.path for row in rows(day) if row.at == 3_000_000]
    assert came == ["shop/web-4", "shop/web-5", "shop/web-6"]
    refused = editor.post(CHANGE, form(day, do="add", object=f"{workload(replicas=-3)}"))
    assert "spec.replicas" in refused.content.decode()


def test_a_long_timeline_is_edited_without_its_text(editor, day, monkeypatch):
    monkeypatch.setattr(kind, "MAX_EDITABLE_ENTRIES", 1)
    page = editor.get(DAY).content.decode()
    assert "data-editor" not in page
    assert 'value="shift"' in page
    assert editor.post(CHANGE, {"base": 1, "do": "shift", "by": "1s"}).status_code == 302
    assert times(day) == [2, 3, 3, 5, 11]
    assert ">compare</a>" not in editor.get(DAY).content.decode()
    page = editor.get(DRAFT).content.decode()
    assert ("data-editor" in page, 'value="shift"' in page) == (False, True)
    refused = editor.post(CHANGE, {"version": 1, "do": "shift", "by": "-9s"})
    assert refused.status_code == 400
    assert "before 0s" in refused.content.decode()


def test_a_text_that_was_typed_in_a_draft_keeps_its_comments_until_arrivals_are_edited(editor, day):
    editor.post(CHANGE, form(day, do="shift", by="1s"))
    shown = editor.get(DRAFT).context
    typed = shown["text"].replace("at: 3s", "at: 3500ms # later", 1)
    sent = {"version": 1, "seen": shown["seen"], "do": "text", "text": typed}
    assert editor.post(CHANGE, sent).status_code == 302
    assert times(day) == [2, 3, 3.5, 5, 11]
    assert "# later" in editor.get(DRAFT).context["text"]
    assert editor.get(DRAFT).context["draft_bar"].chips[0].label == "5 entries"
    editor.post(f"{DRAFT}save")
    assert "# later" in timeline_text(day.revisions.first())


def test_a_text_in_which_nothing_differs_is_no_edit(editor, day):
    editor.post(CHANGE, form(day, do="shift", by="1s"))
    shown = editor.get(DRAFT).context
    sent = {"version": 1, "seen": shown["seen"], "do": "text", "text": shown["text"]}
    assert editor.post(CHANGE, sent).status_code == 400
    assert day.drafts.get().version == 1
