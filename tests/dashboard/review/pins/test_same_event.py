"""The same event in a run whose events have other numbers: by the pod's attempt, the object and what was done to it."""

from __future__ import annotations

import pytest

from dashboard.review.pins import same_event as events
from dashboard.review.pins.same_event import TooFar, same_event
from dashboard.runs.storage import recordings
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.run_helpers import node, pod


@pytest.fixture
def again(execute):
    """Two runs of the scene; the second begins with a pod more, so that all of its numbers are others."""
    first = execute(scene(), schedule="pending")
    return first, execute([*scene(), node("spare"), pod("aaa", "100m", priority=2000)], "prod", schedule="pending")


def all_events(run):
    return recordings.read_events(run.pk, 0, run.head.seq - 1)


def test_every_event_of_a_pod_that_fares_alike_is_there_under_another_number(again):
    first, second = again
    there = dict(all_events(second))
    moved = 0
    for seq, event in all_events(first):
        if getattr(event, "pod", "") != "default/small-2":
            continue
        other = same_event(first, seq, second)
        assert type(there[other]) is type(event)
        assert there[other].pod == event.pod
        assert getattr(there[other], "point", "") == getattr(event, "point", "")
        moved += other != seq
    assert moved > 5


def test_an_object_is_told_by_its_key_and_what_was_done_to_it(again):
    first, second = again
    there = dict(all_events(second))
    changes = [(seq, one) for seq, one in all_events(first) if type(one).__name__ == "ObjectChanged"]
    assert {one.action for _, one in changes} >= {"updated", "deleted"}
    places = {seq: same_event(first, seq, second) for seq, _ in changes}
    for seq, event in changes:
        other = there.get(places[seq])
        if other is not None:
            assert (other.kind, other.key, other.action) == (event.kind, event.key, event.action)
    # The spare node has room, so nobody is evicted.
    gone = [event for seq, event in changes if places[seq] is None]
    assert {event.cause.partition(" ")[0] for event in gone} <= {"preempted", "binding", ""}
    assert any(event.cause.startswith("preempted") for event in gone)


def test_the_end_is_the_end(again):
    first, second = again
    assert same_event(first, first.head.seq - 1, second) == second.head.seq - 1


def test_a_run_that_is_too_long_to_be_searched_says_so(again, monkeypatch):
    first, second = again
    monkeypatch.setattr(events, "NEAR", 2)
    evicted = next(seq for seq, one in all_events(first) if getattr(one, "cause", "").startswith("preempted"))
    with pytest.raises(TooFar):
        same_event(first, evicted, second)
