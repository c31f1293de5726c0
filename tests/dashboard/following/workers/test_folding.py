"""Pieces folded into the objects as of now, an hour of following, and workers that die between."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.clusters.models import FollowedObject, FollowedPiece, Following, KeptMoment
from dashboard.clusters.revisions.contents import read_contents
from dashboard.following.moments import folded, revisions
from dashboard.following.workers import folding
from dashboard.following.workers.working import work
from scheduler_core.manifests.bundle.folding import FoldedObjects
from scheduler_core.manifests.bundle.pieces import read_piece
from tests.dashboard.clusters.conftest import node, pod
from tests.dashboard.following.collectors import bound, managed, small

HOUR = 3600.0
LONG = pytest.mark.long


def names(following):
    """Kind and name of each object as of now."""
    return sorted((row.kind, row.name) for row in folded.current_rows(following))


def pods_of(revision):
    return {row.name: row.node for row in read_contents(revision).rows.pods}


def test_the_first_listing_is_the_state_once_it_is_whole(collector):
    collector.send(*collector.listed(*small()[:2]))
    work()
    following = Following.objects.get()
    assert following.generation == 0
    assert names(following) == []
    collector.send(*collector.listed(*small()[2:]), is_listed=True)
    work()
    following = Following.objects.get()
    assert names(following) == [("Node", "node-a"), ("Node", "node-b"), ("Pod", "big"), ("Pod", "web-1")]
    moment = following.moments.get()
    assert moment.kind == KeptMoment.LISTED
    assert pods_of(moment.revision) == {"web-1": "node-a", "big": ""}
    assert moment.revision.source == "collector shop collector"
    assert moment.revision.author is None


def test_changes_are_folded_in_the_order_of_their_times(followed, following, clock):
    clock.on(seconds=30)
    early, late = clock.seconds - 20, clock.seconds - 10
    lines = followed.changed("MODIFIED", bound("big", "node-b"), t=late) + followed.changed(
        "MODIFIED", pod("big", cpu="3"), t=early
    )
    followed.send(*lines, *followed.changed("DELETED", node("node-b"), t=late))
    work()
    rows = {row.name: row for row in folded.current_rows(following)}
    assert "node-b" not in rows
    assert rows["big"].changed_at == late
    assert msgspec.json.decode(folded.read_objects(following, "Pod")[0])["spec"]["nodeName"] == "node-b"


@pytest.mark.slow
def test_an_hour_of_following_is_kept_as_it_was_at_the_hour(followed, following, clock):
    for minute in range(5, 75, 5):
        clock.on(minutes=5)
        followed.send(*followed.changed("ADDED", bound(f"job-{minute}", "node-a")))
        if minute == 30:
            work()
    work()
    hour = following.moments.get(kind=KeptMoment.HOUR)
    assert hour.moment % HOUR == 0
    # From 12:07 to 12:57, every five minutes; that of 13:02 is after the hour.
    assert set(pods_of(hour.revision)) == {"web-1", "big", *(f"job-{n}" for n in range(5, 60, 5))}
    assert hour.changes == {"Pod": [11, 0, 0]}
    assert hour.revision.message.startswith("State at 2026-11-28 13:00:00 UTC")
    following.refresh_from_db()
    assert ("Pod", "job-70") in names(following)


def test_an_hour_in_the_middle_of_a_piece_is_the_state_at_the_hour(followed, following, clock):
    clock.on(minutes=70)
    before, after = clock.seconds - 15 * 60, clock.seconds - 5 * 60
    lines = followed.changed("ADDED", bound("late", "node-a"), t=after)
    followed.send(*lines, *followed.changed("ADDED", bound("early", "node-a"), t=before))
    work()
    hour = following.moments.get(kind=KeptMoment.HOUR)
    assert set(pods_of(hour.revision)) == {"web-1", "big", "early"}


def test_an_hour_in_which_nothing_changed_shares_the_revision(followed, following, clock):
    clock.on(minutes=61, seconds=1)
    followed.send()
    work()
    listed, hour = following.moments.order_by("moment")
    assert hour.kind == KeptMoment.HOUR
    assert hour.revision == listed.revision
    assert hour.changes == {}


def test_hours_without_a_word_are_not_made_up(followed, following, clock):
    clock.on(hours=7)
    followed.send(*followed.changed("ADDED", bound("late", "node-a")))
    work()
    assert [one.moment % (24 * HOUR) / HOUR for one in following.moments.filter(kind=KeptMoment.HOUR)] == [13.0]


@pytest.mark.parametrize("place", ["hour", pytest.param("fold", marks=LONG), pytest.param("end", marks=LONG)])
def test_a_worker_that_dies_between_folds_nothing_twice(followed, following, clock, monkeypatch, place):
    clock.on(minutes=70)
    times = [clock.seconds - minutes * 60 for minutes in (15, 5)]
    lines = [one for n, t in enumerate(times) for one in followed.changed("ADDED", bound(f"job-{n}", "node-a"), t=t)]
    followed.send(*lines)

    class Killed(BaseException):
        pass

    def die(*_args, **_fields):
        raise Killed

    where = {"fold": (folding, "_keep_hour"), "hour": (revisions, "_revision"), "end": (folding, "_end")}[place]
    with monkeypatch.context() as patched:
        patched.setattr(*where, die)
        with pytest.raises(Killed):
            work()
    Following.objects.update(claimed_at=None)
    work()
    assert not FollowedPiece.objects.filter(folded_at=None).exists()
    hour = following.moments.get(kind=KeptMoment.HOUR)
    assert set(pods_of(hour.revision)) == {"web-1", "big", "job-0"}
    following.refresh_from_db()
    assert {name for kind, name in names(following) if kind == "Pod"} == {"web-1", "big", "job-0", "job-1"}


def test_a_worker_that_dies_after_the_listing_keeps_it_later(collector, monkeypatch):
    collector.send(*collector.listed(*small()), is_listed=True)
    with monkeypatch.context() as patched:
        patched.setattr(folding.revisions, "keep", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            work()
    Following.objects.update(claimed_at=None)
    work()
    assert Following.objects.get().moments.get().kind == KeptMoment.LISTED


def test_another_collection_replaces_the_objects_when_it_is_listed(followed, following, clock):
    clock.on(minutes=1)
    followed.begin()
    followed.send(*followed.listed(node("node-c")))
    work()
    assert ("Node", "node-a") in names(following)
    followed.send(is_listed=True)
    work()
    following.refresh_from_db()
    assert names(following) == [("Node", "node-c")]
    assert following.generation == 2
    assert not FollowedObject.objects.exclude(generation=2).exists()


def test_managers_of_the_latest_write_are_kept(followed, following, clock):
    one = managed(node("node-a"), "kubectl-edit")
    two = node("node-b")
    two["metadata"]["managedFields"] = [
        {"manager": "kubelet", "time": "2026-11-28T11:00:00Z"},
        {"manager": "helm", "time": "2026-11-28T12:00:00Z", "fieldsV1": {"f:spec": {}}},
    ]
    odd = node("node-c")
    odd["metadata"]["managedFields"] = [{"manager": "a\0b"}, {"manager": 7}, "x"]
    followed.send(*followed.changed("MODIFIED", one, two, odd))
    work()
    assert {row.name: row.managers for row in folded.current_rows(following).filter(kind="Node")} == {
        "node-a": "kubectl-edit",
        "node-b": "helm",
        "node-c": "",
    }


def test_times_of_a_wrong_clock_stay_between_the_moment_and_now(followed, following, clock):
    clock.on(minutes=1)
    moment = following.moment
    lines = followed.changed("ADDED", pod("old"), t=1.0) + followed.changed("ADDED", pod("new"), t=clock.seconds + 1e9)
    followed.send(*lines)
    work()
    times = {row.name: row.changed_at for row in folded.current_rows(following)}
    assert (times["old"], times["new"]) == (moment, clock.seconds)


def test_too_many_objects_leave_the_piece_out_and_say_so(followed, following, monkeypatch):
    monkeypatch.setattr(folded, "MOST_OBJECTS", 4)
    followed.send(*followed.changed("ADDED", pod("one-more")))
    work()
    following.refresh_from_db()
    assert "4 objects" in following.problem
    assert ("Pod", "one-more") not in names(following)
    assert not FollowedPiece.objects.filter(folded_at=None).exists()


def test_rows_of_a_collection_that_was_taken_over_before_its_listing_are_forgotten(followed, following):
    for name in ("lost", "next"):
        followed.begin()
        followed.send(*followed.listed(node(name)))
        work()
    generations = set(FollowedObject.objects.values_list("generation", flat=True))
    assert generations == {1, 3}
    assert ("Node", "node-a") in names(following)


def test_a_piece_that_cannot_be_folded_says_so_until_it_can(followed, following, monkeypatch):
    followed.send(*followed.changed("ADDED", pod("one")))

    def fail(*_args):
        raise ValueError("odd")

    with monkeypatch.context() as patched:
        patched.setattr(folding, "_fold", fail)
        work()
    following.refresh_from_db()
    assert "odd" in following.problem
    followed.send()
    work()
    following.refresh_from_db()
    assert following.problem == ""
    assert ("Pod", "one") in names(following)


def test_folding_comes_to_what_the_bundle_comes_to(followed, following, clock):
    lines = []
    for n in range(60):
        t = clock.seconds + n / 100
        type = ("ADDED", "MODIFIED", "DELETED")[n % 3]
        lines += followed.changed(type, bound(f"job-{n % 7}", "node-a", cpu=f"{n}m"), t=t)
    clock.on(seconds=5)
    followed.send(*lines[:25])
    followed.send(*lines[25:])
    work()
    whole = FoldedObjects()
    for piece in FollowedPiece.objects.all():
        _, objects, _, changes = read_piece(bytes(piece.data))
        for one in objects:
            whole.put(one)
        for change in changes:
            whole.apply(change)
    assert {bytes(one) for one in whole.objects.values()} == {bytes(one) for one in folded.read_objects(following)}
