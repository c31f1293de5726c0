"""The comments beside a change: on the page of a draft, of two revisions, and on a page of their own."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import Edit, put_in
from dashboard.clusters.drafts.saving import save
from dashboard.review.models import Review, Thread
from dashboard.runs.models import Run, RunBranch, RunHead
from tests.dashboard.review.on_changes.test_actions import NODE, PIN, shown
from tests.dashboard.review.pages import page
from tests.dashboard.run_helpers import node

__all__ = ["shown"]
THREADS, COMMENT = "/w/team/reviews/changes/threads", "/w/team/reviews/changes/comment"
ON = {"finding": PIN.finding, "field": PIN.field}


@pytest.fixture
def named(draft):
    """What names the draft."""
    return {"cluster": "drafted", "draft": str(draft.pk)}


def test_the_page_of_a_draft_has_a_control_at_each_object_and_field(editor, draft, named):
    shown = page(editor, f"/w/team/clusters/drafted/drafts/{draft.pk}/")
    assert f'data-finding="{PIN.finding}"' in shown
    assert f"{THREADS}?cluster=drafted&amp;draft={draft.pk}&amp;finding={PIN.finding}&amp;field={PIN.field}" in shown
    assert f'&amp;finding={PIN.finding}&amp;field="' in shown


def test_a_comment_stands_beside_the_draft_and_is_outdated_when_the_field_changes(editor, draft, named):
    sent = editor.post(COMMENT, {**named, **ON, "text": "So <b>much</b>?"})
    thread = Thread.objects.get()
    assert sent.headers["Location"] == f"/w/team/threads/{thread.pk}/"
    beside = page(editor, f"{THREADS}?{urlencode(named)}")
    assert "So &lt;b&gt;much&lt;/b&gt;?" in beside
    assert f'data-of="{PIN.finding}"' in beside
    assert "outdated" not in beside
    edits = [Edit(key, node("node-0", "64"), one.address) for key, one in OpenedDraft(draft).objects([NODE]).items()]
    put_in(editor.user, draft, "Grow", edits)
    beside = page(editor, f"{THREADS}?{urlencode(named | ON)}")
    assert "outdated" in beside
    assert "64" in beside


def test_the_difference_of_revisions_lists_fields_and_its_comments(editor, reviewer, draft):
    revision = save(editor.member, draft, "Grown")
    named = {"cluster": "drafted", "revision": str(revision.number), "base": "1"}
    shown = page(reviewer, "/w/team/clusters/drafted/diff/?from=1&to=2")
    assert f'<tr data-field="{PIN.field}"' in shown
    assert f"{THREADS}?{urlencode(named).replace('&', '&amp;')}" in shown
    answer = reviewer.post(COMMENT, {**named, **ON, "text": "Good"}, headers={"HX-Request": "true"})
    assert (answer.status_code, answer.headers["HX-Trigger"]) == (204, "threads-changed")
    assert "Good" in page(reviewer, f"{THREADS}?{urlencode(named)}")
    assert Review.objects.get().revision == revision


def test_a_draft_that_was_saved_keeps_its_comments(editor, draft, named):
    editor.post(COMMENT, {**named, **ON, "text": "Why?"})
    save(editor.member, draft, "Grown")
    beside = page(editor, f"{THREADS}?{urlencode(named)}")
    assert "the change leaves it as it is now" in beside
    assert editor.post(COMMENT, {**named, **ON, "text": "x"}).status_code == 400


def test_what_names_no_change_or_nothing_in_it_is_refused(reviewer, editor, draft, named, run):
    assert reviewer.get(f"{THREADS}?{urlencode(named)}").status_code == 404
    assert editor.get(f"{THREADS}?text=x").status_code == 400
    assert editor.get(THREADS).status_code == 400
    assert editor.post(COMMENT, {**named, "text": "x"}).status_code == 400
    assert editor.post(COMMENT, {**named, "finding": "object:none", "text": "x"}).status_code == 404
    assert not Review.objects.exists()


def test_a_draft_stands_beside_the_change_for_its_author_alone(editor, reviewer, draft, named):
    revision = save(editor.member, draft, "Grown")
    on = {"cluster": "drafted", "revision": str(revision.number), "base": "1"}
    answer = editor.post(COMMENT, {**on, **ON, "text": "Hm <b>", "keep": "draft"}, headers={"HX-Request": "true"})
    assert (answer.status_code, answer.headers["HX-Trigger"]) == (204, "threads-changed")
    mine = page(editor, f"{THREADS}?{urlencode(on)}")
    assert "Hm &lt;b&gt;" in mine
    assert 'href="/w/team/reviews/1/"' in mine
    assert "Hm &lt;b&gt;" not in page(reviewer, f"{THREADS}?{urlencode(on)}")
    assert "reviews/1/" not in page(reviewer, "/w/team/reviews/")
    without = editor.post(COMMENT, {**on, **ON, "text": "And", "keep": "draft"})
    assert without.headers["Location"] == "/w/team/reviews/1/"


def test_a_branch_of_a_run_on_the_revision_is_suggested_beside_its_change(editor, draft):
    revision = save(editor.member, draft, "Grown")
    on = {"cluster": "drafted", "revision": str(revision.number), "base": "1"}
    assert 'name="suggest"' not in page(editor, f"{THREADS}?{urlencode(on)}")
    number = 7
    run = Run.everything.create(workspace=revision.cluster.workspace, number=number, revision=revision)
    RunHead.objects.create(run=run)
    assert editor.post(COMMENT, {**on, **ON, "text": "x", "suggest": str(number)}).status_code == 400
    RunBranch.objects.create(run=run, origin_number=6, asked_seq=0)
    assert f'<option value="{number}"' in " ".join(page(editor, f"{THREADS}?{urlencode(on)}").split())
    editor.post(COMMENT, {**on, **ON, "text": "Rather this", "suggest": str(number)})
    assert Thread.objects.get().comments.get().suggested == run
    beside = page(editor, f"{THREADS}?{urlencode(on)}")
    assert "rv-effect" in beside
    assert f'<option value="{number}"' in " ".join(page(editor, "/w/team/reviews/1/?finding=" + PIN.finding).split())
