"""The objects that a change of a cluster changes, field by field."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.operations import undo
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.review.deciding.asking import ReviewRequest, ask_about
from dashboard.review.deciding.subjects import subject_in
from dashboard.review.findings.cluster import LISTED_OF_A_KIND, change_of, of_cluster
from tests.dashboard.run_helpers import node, pod

pytestmark = pytest.mark.django_db


def lines(review):
    groups = of_cluster(review, "team").groups
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
    groups = {group.title: group for group in of_cluster(review, "team").groups}
    assert [(one.what, one.glyph) for one in groups["Node"].findings] == [("a", "edit"), ("b", "plus")]
    assert (len(groups["Pod"].findings), groups["Pod"].total) == (LISTED_OF_A_KIND, len(many))
    changed = change_of(review, groups["Node"].findings[0].key)
    assert [(one.path, one.before, one.after) for one in changed.fields] == [("status.allocatable.cpu", "16", "8")]
    assert change_of(review, "object:none") is None
    assert groups["Node"].findings[0].url == "/w/team/clusters/prod/diff/?from=1&to=2"
