"""Reviews are numbered in their workspace, and locked or made in one place."""

from __future__ import annotations

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from dashboard.common.problems import NotFound
from dashboard.review.deciding.opening import locked_review
from dashboard.review.models import Review
from dashboard.runs.models import Run
from tests.dashboard.review.conftest import make_run


def test_reviews_count_from_one_in_each_workspace(workspace, reviewer, stranger, foreign_run):
    first, second = (locked_review(reviewer.member, make_run(workspace, number)) for number in (1, 2))
    assert (first.number, second.number) == (1, 2)
    assert locked_review(stranger.user.memberships.get(), foreign_run).number == 1
    assert locked_review(reviewer.member, first).pk == locked_review(reviewer.member, first.run).pk == first.pk


def test_a_number_is_not_given_twice_while_a_review_of_a_run_that_goes_is_still_there(workspace, reviewer, run):
    locked_review(reviewer.member, run)
    Run.everything.filter(pk=run.pk).update(state="deleting")
    assert not Review.objects.exists()
    assert locked_review(reviewer.member, make_run(workspace, 2)).number == 2


def test_what_is_not_in_the_workspace_has_no_review_here(reviewer, foreign_run, stranger):
    theirs = locked_review(stranger.user.memberships.get(), foreign_run)
    for of in (foreign_run, theirs):
        with pytest.raises(NotFound):
            locked_review(reviewer.member, of)


def test_others_may_refer_to_the_workspace_while_a_review_is_made(run, reviewer):
    """Else two who write at once wait for each other: one holds the feed's lock, the other the workspace's."""
    with CaptureQueriesContext(connection) as statements, transaction.atomic():
        locked_review(reviewer.member, run)
    locks = [one["sql"] for one in statements if '"accounts_workspace"' in one["sql"] and "UPDATE" in one["sql"]]
    assert all(sql.endswith("FOR NO KEY UPDATE") for sql in locks)
    assert bool(locks) == (connection.vendor == "postgresql"), "SQLite has one lock for everything"
