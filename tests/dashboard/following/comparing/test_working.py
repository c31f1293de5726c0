"""A worker compares what is due: by the hour, again after a failure or a death."""

from __future__ import annotations

from dashboard.agreement.models import CollectedBundle, FollowedComparison
from dashboard.following.comparing import actions, working
from dashboard.following.live_page.comparison import shown_comparison
from tests.dashboard.following.collectors import compare_all


def test_each_decision_is_held_against_the_state_before_it_and_again_after_an_hour(owner, followed_cluster, clock):
    assert shown_comparison(followed_cluster).figures is None
    actions.compare(owner.member, followed_cluster)
    compare_all()
    shown = shown_comparison(followed_cluster)
    assert (shown.n_bindings, shown.is_on, shown.is_computing, shown.problem) == (2, True, False, "")
    first = CollectedBundle.objects.get(is_followed=True)
    clock.on(minutes=59)
    assert not working.work()
    clock.on(minutes=2)
    compare_all()
    newest = CollectedBundle.objects.filter(is_followed=True).first()
    assert newest.pk != first.pk
    clock.on(hours=2)
    compare_all()
    assert CollectedBundle.objects.filter(is_followed=True).count() == working.KEPT
    assert shown_comparison(followed_cluster).figures is not None


def test_what_fails_is_said_and_tried_again_an_hour_later(owner, followed_cluster, clock, monkeypatch):
    actions.compare(owner.member, followed_cluster)
    with monkeypatch.context() as patched:
        patched.setattr(working, "record_of", lambda following: 1 / 0)
        assert working.work()
    assert "ZeroDivisionError" in shown_comparison(followed_cluster).problem
    assert not working.work()
    clock.on(minutes=61)
    compare_all()
    assert shown_comparison(followed_cluster).problem == ""


def test_one_that_a_dead_worker_had_is_taken_over_after_its_lease(owner, followed_cluster, clock):
    actions.compare(owner.member, followed_cluster)
    FollowedComparison.objects.update(due_at=clock() + working.LEASE)
    assert not working.work()
    clock.on(minutes=11)
    assert working.work()
