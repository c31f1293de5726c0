"""Attempts and bindings at their edges: pods that are being deleted, pods that are refused after a node was chosen."""

from __future__ import annotations

import msgspec

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine import test_extension_points as points

SECOND = 1_000_000


def test_a_pod_that_is_being_deleted_is_not_attempted():
    waiting = make_pod("p", cpu="8", termination_grace_period_seconds=60)
    going = msgspec.structs.replace(waiting, deletion_timestamp=60.0)
    entries = [(0, waiting), (1, going), (2, make_node("large", cpu="16"))]
    inputs = RunInputs(
        objects=ClusterObjects(nodes=[make_node("small")], pods=[waiting]),
        schedule="timeline",
        timeline=Timeline.of([TimelineEntry(at * SECOND, "put", each) for at, each in entries]),
        max_virtual_us=30 * SECOND,
    )
    session, events = RunSession.start(inputs), list[ev.AnyEvent]()
    session.simulation.observers.append(events.append)
    session.advance()
    assert [e.at < SECOND for e in events if isinstance(e, ev.CycleStarted)] == [True]
    assert not [e for e in events if isinstance(e, ev.Bound)]


def test_a_pod_refused_while_it_waits_for_its_binding_is_not_woken_by_its_own_room():
    """Upstream moves all pods but the one itself when a rejected binding gives its room back."""
    events, _ = points.run((0, points.pod("w", "wait")), limit_seconds=30)
    after = [e for e in events if isinstance(e, ev.QueueMove) and e.pod == "default/w" and e.at >= 5 * SECOND]
    assert [(e.target, e.event) for e in after] == [("unschedulable", "ScheduleAttemptFailure")]


def test_a_pod_refused_while_it_waits_for_its_binding_loses_its_nomination():
    nominated = msgspec.structs.replace(points.pod("w", "wait"), nominated_node_name="n1")
    events, _ = points.run((0, nominated), limit_seconds=8)
    assert [(e.pod, e.node) for e in events if isinstance(e, ev.Nominated)] == [("default/w", "")]
