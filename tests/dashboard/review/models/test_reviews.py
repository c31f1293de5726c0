"""What a review's state follows from, and reviews of runs that go."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from dashboard.review.deciding import verdicts
from dashboard.review.models import Comment, Review, ReviewRecord, ReviewState, SubjectKind
from dashboard.runs.models import Run


def state_of(run):
    return Review.objects.get(run=run).state


def test_verdicts_make_the_state(run, reviewer, editor):
    verdicts.give_verdict(reviewer.member, run, "approve", "")
    assert state_of(run) == ReviewState.APPROVED
    verdicts.give_verdict(editor.member, run, "request_changes", "Too full")
    assert state_of(run) == ReviewState.CHANGES, "one request outweighs an approval"
    verdicts.withdraw_verdict(editor.member, run)
    assert state_of(run) == ReviewState.APPROVED
    verdicts.give_verdict(reviewer.member, run, "request_changes", "I was wrong")
    assert state_of(run) == ReviewState.CHANGES
    verdicts.withdraw_verdict(reviewer.member, run)
    assert state_of(run) == ReviewState.OPEN


def test_reviews_of_vanishing_runs_are_invisible_and_go_with_them(run, thread):
    Run.everything.filter(pk=run.pk).update(state="deleting")
    assert not Review.objects.exists()
    Run.everything.filter(pk=run.pk).delete()
    assert not Review.everything.exists()
    assert not Comment.objects.exists()


def test_a_review_with_a_record_outlives_its_run(run, thread):
    review = thread.review
    ReviewRecord.objects.create(review=review, outcome=ReviewState.APPROVED, text="as it was")
    Review.objects.update(about="night 1")
    Run.everything.filter(pk=run.pk).update(state="deleting")
    assert Review.objects.get() == review
    Run.everything.filter(pk=run.pk).delete()
    remaining = Review.objects.get()
    assert (remaining.run, remaining.subject, remaining.records.get().text) == (None, "night 1", "as it was")
    assert not Comment.objects.exists()


def test_a_review_has_no_columns_of_another_kind(workspace, run):
    for kind, fields in (
        (SubjectKind.RUN, {"run": run, "other_run": run}),
        (SubjectKind.RUN, {"run": run, "revision": run.revision}),
        (SubjectKind.COMPARISON, {"run": run, "other_run": run, "base": run.revision}),
        (SubjectKind.CLUSTER, {"revision": run.revision, "run": run}),
        (SubjectKind.CONFIGURATION, {"base": run.revision}),
    ):
        with pytest.raises(IntegrityError, match="review_columns_of_its_kind"), transaction.atomic():
            Review.everything.create(workspace=workspace, number=1, kind=kind, **fields)


def test_a_run_has_one_review_and_any_number_of_comparisons(workspace, run):
    Review.everything.create(workspace=workspace, number=1, run=run)
    for number in (2, 3):
        Review.everything.create(
            workspace=workspace, number=number, kind=SubjectKind.COMPARISON, run=run, other_run=run
        )
    with pytest.raises(IntegrityError), transaction.atomic():
        Review.everything.create(workspace=workspace, number=4, run=run)
