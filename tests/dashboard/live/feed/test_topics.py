"""Versions of a workspace's feed: what a page that was away is told when it is back."""

from __future__ import annotations

import random

import pytest
from django.db import transaction

from dashboard.live import hints
from dashboard.live.feed import topics
from dashboard.live.feed.topics import announce, changes_since, version_of


def test_who_names_a_version_is_told_what_changed_behind_it(workspace):
    announce(workspace.pk, "run:1", "reviews")
    seen = version_of(workspace.pk)
    announce(workspace.pk, "run:2", "reviews")
    assert changes_since(workspace.pk, 0).topics == {"run:1", "run:2", "reviews"}
    assert changes_since(workspace.pk, seen) == (seen + 1, {"run:2", "reviews"})
    assert changes_since(workspace.pk, seen + 1) == (seen + 1, frozenset())


def test_a_page_has_the_version_from_before_its_contents(workspace, owner):
    announce(workspace.pk, "reviews")
    assert f'data-version="{version_of(workspace.pk)}"' in owner.get("/w/team/reviews/").content.decode()


def test_a_version_of_another_database_means_everything(workspace):
    assert changes_since(workspace.pk, 9) == (0, None)


def test_too_many_topics_mean_everything(workspace, monkeypatch):
    monkeypatch.setattr(topics, "TOPICS_NAMED", 2)
    announce(workspace.pk, "run:1", "run:2")
    assert changes_since(workspace.pk, 0).topics == {"run:1", "run:2"}
    announce(workspace.pk, "run:3")
    assert changes_since(workspace.pk, 0).topics is None


def test_workspaces_have_feeds_of_their_own(workspace, stranger):
    announce(workspace.pk, "run:1")
    elsewhere = stranger.user.memberships.get().workspace_id
    assert changes_since(elsewhere, 0) == (0, frozenset())


def test_what_is_taken_back_is_not_announced(workspace):
    with transaction.atomic():
        announce(workspace.pk, "run:1")
        transaction.set_rollback(True)
    assert changes_since(workspace.pk, 0) == (0, frozenset())


def test_the_hint_comes_behind_the_commit(workspace, monkeypatch, django_capture_on_commit_callbacks):
    sent = []
    monkeypatch.setattr(hints, "feed_moved", sent.append)
    with django_capture_on_commit_callbacks() as callbacks:
        announce(workspace.pk, "run:1")
        assert sent == []
    for callback in callbacks:
        callback()
    assert sent == [workspace.pk]


@pytest.mark.parametrize("seed", range(5))
def test_a_page_that_asks_at_any_moments_ends_with_what_a_reload_shows(workspace, seed):
    """Topics change at random, hints are lost at random; what was fetched last of each topic is its last state."""
    chance = random.Random(seed)
    states = dict.fromkeys(("run:1", "run:2", "run:3"), 0)
    page, version = dict(states), 0

    def look():
        nonlocal version
        version, changed = changes_since(workspace.pk, version)
        page.update({name: states[name] for name in changed})

    for n in range(30):
        name = chance.choice(list(states))
        states[name] = n
        announce(workspace.pk, name)
        if chance.random() < 0.3:
            look()
    look()
    assert page == states
