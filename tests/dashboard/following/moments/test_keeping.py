"""Which moments and pieces are kept: 48 hours, 30 days, and what anything refers to."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dashboard.clusters.models import (
    CondemnedBlob,
    Draft,
    FollowedPiece,
    FollowedRevision,
    KeptMoment,
    ObjectBlob,
    Revision,
)
from dashboard.clusters.revisions import actions, object_store
from dashboard.clusters.revisions.contents import cache, read_contents
from dashboard.clusters.sweeping import sweep
from dashboard.following.moments import keeping
from tests.dashboard.clusters.conftest import pod
from tests.dashboard.following.collectors import bound, work

HOUR = 3600.0
START = datetime(2026, 11, 28, tzinfo=UTC).timestamp()


def hours(n, first=START):
    return [first + k * HOUR for k in range(n)]


def test_the_newest_48_are_kept():
    assert keeping.kept_of(hours(48)) == set(hours(48))
    assert keeping.kept_of(hours(50)) >= set(hours(50)[2:])


def test_of_older_ones_the_first_of_each_of_30_days_is_kept():
    stays = sorted(keeping.kept_of(hours(24 * 60)))
    assert len(stays) == 48 + 30
    days = stays[:30]
    assert all(moment % (24 * HOUR) == 0 for moment in days)
    assert days[-1] == START + 57 * 24 * HOUR
    assert days == [days[0] + n * 24 * HOUR for n in range(30)]


def test_a_day_that_begins_within_the_hours_is_not_kept_twice():
    stays = keeping.kept_of(hours(60))
    assert len(stays) == 48 + 1
    assert START in stays


def keep_hours(followed, following, clock, n):
    """Follow for n hours, in each of which a pod changes."""
    for k in range(n):
        clock.on(hours=1)
        followed.send(*followed.changed("MODIFIED", bound("web-1", "node-a", cpu=f"{k + 1}m")))
        work()
    following.refresh_from_db()


@pytest.fixture
def short(monkeypatch):
    """Three hours and two days are kept."""
    monkeypatch.setattr(keeping, "HOURLY", 3)
    monkeypatch.setattr(keeping, "DAILY", 2)


def numbers(following):
    return sorted(following.cluster.revisions.values_list("number", flat=True))


@pytest.mark.long
def test_hours_that_are_not_kept_go_with_their_revisions_and_used_ones_stay(followed, following, clock, short, editor):
    keep_hours(followed, following, clock, 2)
    used = following.moments.filter(kind=KeptMoment.HOUR).first().revision
    Draft.objects.create(cluster=following.cluster, author=editor.user, base=used, name="Mine")
    by_hand = actions.import_revision(
        editor.member, following.cluster, actions.checked([pod("mine")], "x"), "by hand", "import of mine.yaml"
    )
    keep_hours(followed, following, clock, 6)
    stays = {one.revision_id for one in following.moments.all()}
    assert used.pk in stays
    assert following.moments.count() == 3 + 1 + 1  # three hours, the first of the day, the one in use
    assert set(Revision.objects.values_list("pk", flat=True)) >= {by_hand.pk, *stays}
    for revision in Revision.objects.select_related("cluster"):
        cache.clear()
        assert read_contents(revision) is not None


@pytest.mark.long
def test_the_history_goes_on_over_a_revision_that_was_removed(followed, following, clock, short):
    keep_hours(followed, following, clock, 5)
    for revision in following.cluster.revisions.exclude(parent=None).select_related("parent"):
        assert revision.parent.number < revision.number
    assert actions.newest_revision(following.cluster).number == max(numbers(following))


@pytest.mark.long
def test_what_was_asked_about_is_kept_as_long_as_an_hour(following, followed, clock, short):
    revision = actions.newest_revision(following.cluster)
    asked = FollowedRevision.objects.create(
        following=following, revision=revision, kind=KeptMoment.ASKED, moment=following.moment
    )
    keep_hours(followed, following, clock, 2)
    assert FollowedRevision.objects.filter(pk=asked.pk).exists()
    keep_hours(followed, following, clock, 4)
    assert not FollowedRevision.objects.filter(pk=asked.pk).exists()


def test_pieces_are_kept_for_two_days_once_they_are_folded(followed, following, clock):
    clock.on(hours=47)
    followed.send()
    work()
    assert FollowedPiece.objects.count() == 2
    clock.on(hours=2)
    followed.send()
    work()
    assert list(FollowedPiece.objects.values_list("number", flat=True)) == [1, 2]


@pytest.mark.slow
def test_content_of_removed_revisions_is_deleted_a_day_later(followed, following, clock, short, monkeypatch):
    monkeypatch.setattr("dashboard.clusters.models.following.timezone.now", clock)
    keep_hours(followed, following, clock, 6)
    CondemnedBlob.objects.update(condemned_at=clock.now)
    condemned = {bytes(one.sha256) for one in CondemnedBlob.objects.all()}
    assert condemned
    workspace = following.cluster.workspace_id
    assert sweep(workspace) == 0
    clock.on(days=1, seconds=1)
    n = ObjectBlob.objects.count()
    assert sweep(workspace) == n - ObjectBlob.objects.count() > 0
    assert not CondemnedBlob.objects.exists()
    for revision in Revision.objects.select_related("cluster"):
        assert object_store.read_stored(revision) is not None
        for address in (bytes(revision.events), bytes(revision.unplayed)):
            assert not address or object_store.read_blob(workspace, address)


def test_of_many_collections_the_oldest_are_forgotten(followed, following, monkeypatch):
    monkeypatch.setattr(keeping, "COLLECTIONS", 2)
    for _ in range(4):
        followed.begin()
        followed.send()
        work()
    assert list(following.collections.values_list("generation", flat=True)) == [5, 4, 1]


def test_every_reference_to_a_revision_is_known_to_keep_it_or_to_go_with_it():
    keeps = {model._meta.label for model, _ in keeping.references()} - keeping.DERIVED
    assert keeps == {
        *("runs.Run", "runs.BranchKeeping", "clusters.Draft", "review.Review"),
        "agreement.CollectedBundle",
    }
