"""What somebody wants reviewed: found in their workspace, kept as it was, refused where there is nothing to review."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.operations import undo
from dashboard.common.problems import BadQuery, NotFound, Problem
from dashboard.review.deciding import subjects
from dashboard.review.deciding.subjects import subject_in
from tests.dashboard.documents.timelines.arrivals.some_entries import rush, stored
from tests.dashboard.preview.conftest import PACKING
from tests.dashboard.review.conftest import make_run

pytestmark = pytest.mark.django_db


def test_two_runs_are_named_by_their_numbers(workspace, run, reviewer):
    other = make_run(workspace, 2)
    subject = subject_in(reviewer.member, {"a": "1", "b": "2"})
    assert subject.columns == {"run": run, "other_run": other}
    assert "run 2 (night" in subject.about
    assert subject.named_by == {"a": "1", "b": "2"}


@pytest.mark.parametrize(
    ("query", "error", "message"),
    [
        ({}, BadQuery, "Say what is to be reviewed"),
        ({"a": "1", "b": "1"}, Problem, "another one beside it"),
        ({"a": "1"}, NotFound, "Run 0 does not exist"),
        ({"a": "1", "b": "x"}, BadQuery, "b"),
        ({"cluster": "prod", "revision": "9"}, NotFound, "no revision"),
        ({"cluster": "none", "revision": "1"}, NotFound, "This cluster does not exist"),
        ({"cluster": "drafted", "draft": "999"}, NotFound, "draft does not exist"),
        ({"timeline": "none", "draft": "1"}, NotFound, "This timeline does not exist"),
        ({"configuration": "none", "revision": "1"}, NotFound, "configuration does not exist"),
        ({"configuration": "fit", "revision": "9"}, NotFound, "no revision 9"),
        ({"configuration": "fit", "revision": "2", "before": "fit@2"}, Problem, "are the same"),
        ({"configuration": "fit", "revision": "2", "before": "other@2"}, NotFound, "does not exist in this workspace"),
        ({"configuration": "fit", "revision": "2", "on": "none"}, NotFound, "has no revision"),
        ({"configuration": "fit", "revision": "2", "on": "run:9"}, NotFound, "Run 9 does not exist"),
        ({"configuration": "fit", "revision": "2", "on": "run:x"}, BadQuery, "on"),
        ({"configuration": "fit", "text": "kind: Pod"}, Problem, "no scheduler configuration"),
    ],
)
def test_what_cannot_be_reviewed_is_refused(run, draft, configuration, owner, query, error, message):
    with pytest.raises(error, match=message):
        subject_in(owner.member, query)


def test_only_who_sees_a_draft_puts_it_up_for_review(draft, editor, reviewer):
    query = {"cluster": "drafted", "draft": str(draft.pk)}
    assert subject_in(editor.member, query).named_by == query
    with pytest.raises(NotFound):
        subject_in(reviewer.member, query)
    undo(editor.user, draft)
    with pytest.raises(Problem, match="changes nothing"):
        subject_in(editor.member, query)


def test_a_draft_of_a_timeline_is_put_up_by_its_author_while_it_changes_something(editor, owner, monkeypatch):
    stored(editor.member, rush())
    query = {"timeline": "day", "draft": "1"}
    editor.post("/w/team/timelines/day/change", {"base": 1, "do": "shift", "by": "1m", "before": "2001ms"})
    assert subject_in(editor.member, query).about == "draft of day r1"
    with pytest.raises(NotFound, match="no draft of day"):
        subject_in(owner.member, query)
    monkeypatch.setattr(subjects, "MOST_CHANGES", 2)
    with pytest.raises(Problem, match="3 entries; a review of a draft holds at most 2"):
        subject_in(editor.member, query)
    editor.post("/w/team/timelines/day/draft/undo")
    with pytest.raises(Problem, match="changes nothing"):
        subject_in(editor.member, query)


def test_a_draft_of_too_many_objects_is_reviewed_as_a_revision(draft, editor, monkeypatch):
    monkeypatch.setattr(subjects, "MOST_CHANGES", 1)
    with pytest.raises(Problem, match="Save it and ask for a review of the revision"):
        subject_in(editor.member, {"cluster": "drafted", "draft": str(draft.pk)})


def test_a_text_that_is_not_saved_is_compared_with_what_is(configuration, editor):
    text = PACKING.replace("weight: 1", "weight: 3")
    subject = subject_in(editor.member, {"configuration": "fit", "text": text.replace("\n", "\r\n")})
    assert subject.about.startswith("Fit r2 → ")
    assert subject.columns["proposal"]["before"] == "fit@2"
    assert subject.columns["proposal"]["after_text"] == text
    assert subject.named_by["text"] == text
    fresh = subject_in(editor.member, {"text": text})
    assert (fresh.named_by["text"], fresh.columns["config"]) == (text, None)


def test_a_text_that_is_too_long_is_refused(editor, monkeypatch):
    monkeypatch.setattr(subjects, "MOST_TEXT", 10)
    with pytest.raises(Problem, match="at most 10"):
        subject_in(editor.member, {"text": PACKING})


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"a": "1", "b": "2"}, "run 1 (night 1) and run 2 (night 2)"),
        ({"cluster": "drafted", "draft": ""}, "draft Larger of Drafted r1"),
        ({"configuration": "fit", "text": PACKING.replace("weight: 1", "weight: 3")}, "Fit r2 → proposed text"),
        ({"text": PACKING}, "kube-scheduler defaults → proposed text"),
    ],
)
def test_words(workspace, run, draft, configuration, editor, query, sentence):
    make_run(workspace, 2)
    numbered = {**query, "draft": str(draft.pk)} if "draft" in query else query
    assert subject_in(editor.member, numbered).about == sentence
