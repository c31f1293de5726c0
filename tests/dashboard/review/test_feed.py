"""The topics of reviews."""

from __future__ import annotations

from dashboard.live.feed.topics import changes_since
from dashboard.review.feed import TOPIC, review_topic
from dashboard.review.models import Review, SubjectKind


def test_the_review_of_a_run_is_named_by_its_run_and_any_other_by_itself():
    assert review_topic(Review(pk=3, kind=SubjectKind.RUN, run_id=7)) == "run:7"
    assert review_topic(Review(pk=3, kind=SubjectKind.COMPARISON, run_id=7)) == "review:3"


def test_a_comment_is_announced_with_its_review_and_the_list(workspace, thread):
    assert changes_since(workspace.pk, 0).topics == {f"run:{thread.run_id}", TOPIC}
