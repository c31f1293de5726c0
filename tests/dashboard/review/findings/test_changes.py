"""What a change of a cluster or timeline changes, field by field."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.operations import undo
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.documents.timelines.drafts.actions import find_draft
from dashboard.review.deciding.asking import ReviewRequest, ask_about
from dashboard.review.deciding.subjects import subject_in
from dashboard.review.deciding.verdicts import give_verdict
from dashboard.review.findings.changes import LISTED_OF_A_KIND, change_of, change_url, of_change
from dashboard.review.models import ReviewState, VerdictKind
from dashboard.review.pins.fields import FieldPin, differs_in
from dashboard.review.place import ReviewPlace
from tests.dashboard.documents.timelines.arrivals.some_entries import rush, stored
from tests.dashboard.run_helpers import node, pod

pytestmark = pytest.mark.django_db


def lines(review):
    groups = of_change(review, "team").groups
    return {group.title: [(one.what, one.more, one.glyph) for one in group.findings] for group in groups}


def test_a_draft_is_shown_as_it_was_put_up_for_review(draft, editor):
    member = editor.member
    subject = subject_in(member, {"cluster": "drafted", "draft": str(draft.pk)})
    review = ask_about(member, subject, ReviewRequest("x"))
    shown = lines(review)
    assert shown["Node"] == [("node-0", "status.allocatable.cpu: 16 → 32", "edit")]
    assert [(what, glyph) for what, _, glyph in shown["Pod"]] == [("pod-1", "dash")]
    undo(editor.user, draft)
    assert lines(review) == shown, "later edits of the draft change nothing here"
    draft.delete()
    review.refresh_from_db()
    assert lines(review) == shown
    assert review.draft is None


def test_a_revision_is_compared_with_the_one_before_it(workspace, ask_about_one):
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod")
    many = [pod(f"pod-{n}") for n in range(LISTED_OF_A_KIND + 2)]
    object_store.save_revision(cluster, [node("a"), *many], Saving(None))
    object_store.save_revision(cluster, [node("a", "8"), node("b")], Saving(None))
    review = ask_about_one(cluster="prod", revision=2)
    groups = {group.title: group for group in of_change(review, "team").groups}
    assert [(one.what, one.glyph) for one in groups["Node"].findings] == [("a", "edit"), ("b", "plus")]
    assert (len(groups["Pod"].findings), groups["Pod"].total) == (LISTED_OF_A_KIND, len(many))
    changed = change_of(review, groups["Node"].findings[0].key)
    assert [(one.path, one.before, one.after) for one in changed.fields] == [("status.allocatable.cpu", "16", "8")]
    assert change_of(review, "object:none") is None
    assert groups["Node"].findings[0].url == "/w/team/clusters/prod/diff/?from=1&to=2"


@pytest.fixture
def day(editor):
    """A timeline whose entries before its third second are shifted by a minute in the editor's draft."""
    timeline = stored(editor.member, rush()).timeline
    editor.post("/w/team/timelines/day/change", {"base": 1, "do": "shift", "by": "1m", "before": "2001ms"})
    return timeline


def test_a_draft_of_a_timeline_is_shown_as_it_was_put_up_for_review(day, editor, reviewer):
    subject = subject_in(editor.member, {"timeline": "day", "draft": "1"})
    review = ask_about(editor.member, subject, ReviewRequest("x"))
    shown = lines(review)
    assert sorted(more for group in shown.values() for _, more, _ in group) == [
        "at: 1s → 61s",
        "at: 2s → 62s",
        "at: 2s → 62s",
    ]
    editor.post("/w/team/timelines/day/draft/undo")
    find_draft(editor.member, day).delete()
    review.refresh_from_db()
    assert lines(review) == shown, "later edits of the draft change nothing here"
    assert (review.timeline, review.timeline_draft) == (day, None)
    assert change_url(review, "team") == "/w/team/timelines/day/?r=1"
    finding = of_change(review, "team").findings[0]
    changed = change_of(review, finding.key)
    assert [one.path for one in changed.fields] == ["at"]
    assert differs_in(reviewer.member, review, FieldPin(finding.key, "at")).endswith(", at: 2s → 62s")
    give_verdict(reviewer.member, review, VerdictKind.APPROVE, "", of_change(review, "team"))
    review.refresh_from_db()
    assert review.state == ReviewState.APPROVED
    assert review.records.get().hashes == [["draft as it was put up for review", review.proposal["digest"]]]


def test_the_page_of_a_review_of_a_timeline_has_its_entries_by_field(day, editor, reviewer):
    review = ask_about(editor.member, subject_in(editor.member, {"timeline": "day", "draft": "1"}), ReviewRequest("x"))
    key = of_change(review, "team").findings[0].key
    page = reviewer.get(f"/w/team/reviews/{review.number}/", {"finding": key})
    assert page.status_code == 200
    assert 'data-field="at"' in page.content.decode()
    said = {"finding": key, "field": "at", "text": "why a minute?"}
    reviewer.post(ReviewPlace("team", review).url("open_field_thread"), said)
    assert "why a minute?" in reviewer.get(f"/w/team/reviews/{review.number}/").content.decode()
