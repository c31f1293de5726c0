"""The state of a collector, and its gaps."""

from __future__ import annotations

from dashboard.following.live_page.collector import collector_state, facts, gaps
from scheduler_core.manifests.bundle.model import BundleGap


def test_gaps_of_the_last_day_and_what_is_missing_as_a_whole(followed, following, clock):
    at = clock.seconds
    named = (
        BundleGap(code="NO_RIGHTS", text="may not be listed", kind="CSIStorageCapacity", since=at - 9e5),
        BundleGap(code="WATCH_EXPIRED", text="listed again", kind="Pod", since=at - 600, until=at - 300),
        BundleGap(code="SERVER_AWAY", text="old", since=at - 9e5, until=at - 8e5),
    )
    followed.send(meta=followed.meta(gaps=named))
    following.refresh_from_db()
    shown = gaps(following)
    assert [(gap.code, gap.kind, gap.is_lasting) for gap in shown] == [
        ("WATCH_EXPIRED", "Pod", False),
        ("NO_RIGHTS", "CSIStorageCapacity", True),
    ]
    assert shown[0].until.timestamp() == at - 300


def test_what_lies_between_two_collections_is_a_gap(followed, following, clock):
    last = clock.now
    clock.on(minutes=4)
    followed.begin()
    followed.send()
    (gap,) = gaps(following)
    assert (gap.code, gap.since, gap.until) == ("STOPPED", last, clock.now)


def test_facts_of_a_collector(followed, following):
    said = facts(following)
    assert (said["program"], said["n_kinds"], said["token"], said["n_pieces"]) == (
        *("tests 1", 1, "shop collector", 1),
    )
    assert said["received_bytes"] > 0


def test_states(followed, following, clock):
    assert collector_state(following).state == "following"
    clock.on(seconds=61)
    silent = collector_state(following)
    assert (silent.state, silent.since) == ("silent", following.last_piece_at)
    following.is_ended = True
    assert collector_state(following).state == "stopped"
