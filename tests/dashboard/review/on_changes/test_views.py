"""The comments beside a change: on the page of a draft, of two revisions, and on a page of their own."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from dashboard.clusters.drafts.contents import read_objects
from dashboard.clusters.drafts.operations import Put, put_in
from dashboard.clusters.drafts.saving import save
from dashboard.review.models import Review, Thread
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
    puts = [Put(key, address, node("node-0", "64")) for key, (address, _) in read_objects(draft, [NODE]).items()]
    put_in(editor.user, draft, "Grow", puts)
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
