"""The same event in a run whose events have other numbers: by the pod's attempt, the object and what was done to it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dashboard.review.pins import same_event as events
from dashboard.review.pins.same_event import TooFar, same_event
from dashboard.runs.models import Cycle
from dashboard.runs.storage import recordings
from scheduler_core.recording import events as ev
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.review.conftest import make_run
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


class Recorded:
    """Recordings of events that were written by hand: {key of the run: its events}."""

    def __init__(self, events_of):
        self.events_of = events_of

    def read(self, run, ask):
        return ask(SimpleNamespace(event=self.events_of[run].__getitem__))

    def read_events(self, run, first, last):
        return [(seq, one) for seq, one in enumerate(self.events_of[run]) if first <= seq <= last]


def updated(key, **more):
    return ev.ObjectChanged(at=0, kind="Pod", key=key, action="updated", **more)


@pytest.fixture
def written(run, workspace, monkeypatch):
    """Two runs with the same cycles, of which all but the first come 20 events later in the second."""
    later = make_run(workspace, 2, cycles=5)
    for cycle in Cycle.objects.filter(run=later, number__gt=1):
        Cycle.objects.filter(pk=cycle.pk).update(first_seq=cycle.first_seq + 20, last_seq=cycle.last_seq + 20)
    recorded = Recorded({one.pk: [updated(f"default/other-{n}") for n in range(50)] for one in (run, later)})
    monkeypatch.setattr(events, "recordings", recorded)
    return run, later, recorded.events_of


def test_of_equal_events_the_one_nearest_to_its_place_in_the_same_attempt_is_taken(written):
    first, second, events_of = written
    events_of[first.pk][12] = updated("default/p")
    for seq in (3, 12, 31, 39):
        events_of[second.pk][seq] = updated("default/p")
    assert same_event(first, 12, second) == 31, "two events into the second cycle, which begins at 30"
    events_of[second.pk][39] = updated("default/p", entry=4)
    events_of[first.pk][12] = updated("default/p", entry=4)
    assert same_event(first, 12, second) == 39, "the same entry of the timeline is nearer than any number"


def test_only_a_run_that_was_looked_through_lacks_an_event(written, monkeypatch):
    first, second, events_of = written
    monkeypatch.setattr(events, "NEAR", 5)
    events_of[first.pk][2] = updated("default/p")
    second.head.seq = 8
    assert same_event(first, 2, second) is None, "events 0 to 7 are all"
    second.head.seq = 9
    with pytest.raises(TooFar):
        same_event(first, 2, second)
    events_of[first.pk][6] = updated("default/p")
    second.head.seq = 8
    with pytest.raises(TooFar):
        same_event(first, 6, second)
