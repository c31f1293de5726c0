"""Changes of a run with their places, and what tells them apart."""

from __future__ import annotations

import pytest

from dashboard.runs.models import Run, RunBranch, RunChange, RunHead, changes_key, placed_changes
from tests.dashboard.runs.branches.conftest import CORDON

pytestmark = pytest.mark.django_db


@pytest.fixture
def changed(launch, again):
    """A run at event 50 with changes at 10 and at 50, one that waits and one that was refused."""
    run = launch(2, 3)
    for number, (seq, error) in enumerate([(10, ""), (50, ""), (None, ""), (None, "no")], start=1):
        RunChange.objects.create(run=run, number=number, changes=[CORDON], seq=seq, error=error)
    RunHead.objects.filter(run=run).update(n_changes=2, seq=50)
    return again(run)


def test_only_changes_that_were_taken_up_have_a_place(changed):
    assert placed_changes(changed) == [{**CORDON, "at": 10}, {**CORDON, "at": 50}]
    assert [one.is_waiting for one in changed.changes.order_by("number")] == [False, False, True, False]


def test_changes_of_a_branch_come_in_the_order_of_their_places(changed, again):
    own = {"action": "switch_off", "entry": 1}
    RunBranch.objects.create(run=changed, origin_number=1, asked_seq=20, seq=20, changes=[own], inherited=[])
    assert [one["at"] for one in placed_changes(again(changed))] == [10, 20, 50]


def test_the_key_changes_with_each_change_that_the_run_comes_by(changed, launch):
    before = changes_key(changed)
    changed.head.seq = 51
    assert changes_key(changed) != before
    assert changes_key(launch(2, 4)) == ()


def test_a_run_without_changes_asks_nothing(launch, django_assert_num_queries):
    run = Run.objects.select_related("branch", "head").get(pk=launch(2, 3).pk)
    with django_assert_num_queries(0):
        assert placed_changes(run) == []
