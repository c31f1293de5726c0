"""Which of many equal pods are evicted, an order that the reference leaves to chance: those that came last, always."""

from __future__ import annotations

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.decided import decided, node, pod

SECOND = 1_000_000
NAMES = ["k", "c", "t", "a", "q", "x", "b", "m", "z", "d", "n", "f", "w", "e", "h", "s"]


def test_of_sixteen_equal_pods_those_that_came_last_go() -> None:
    bound = [pod(name, nodeName="n1", priority=0) for name in NAMES]
    large = node("n1", cpu="16")
    large["status"]["capacity"]["pods"] = "20"
    step = decided([large, *bound], [pod("big", cpu="3", priority=10)])[0]
    assert step["postFilter"]["victims"] == ["default/e", "default/h", "default/s"]


def given() -> RunInputs:
    """Sixteen equal pods come to the one node, one leaves and comes again, then one needs the room of three."""
    start = {"start_time": 1.0, "node_name": "n1", "cpu": "1"}
    bound = [make_pod(name, **start) for name in NAMES]
    changes = [
        TimelineEntry(SECOND, "delete", bound[3]),
        TimelineEntry(2 * SECOND, "put", bound[3]),
        TimelineEntry(3 * SECOND, "put", make_pod("big", cpu="3", priority=10)),
    ]
    objects = ClusterObjects(nodes=[make_node("n1", cpu="16")], pods=bound)
    return RunInputs(objects=objects, schedule="timeline", timeline=Timeline(tuple(changes)))


def test_a_pod_that_left_and_came_again_came_last() -> None:
    session = RunSession.start(given())
    events: list[ev.AnyEvent] = []
    session.simulation.observers.append(events.append)
    session.advance()
    evicted = [e.key for e in events if isinstance(e, ev.ObjectChanged) and e.cause.startswith("preempted")]
    assert sorted(set(evicted)) == ["default/a", "default/h", "default/s"]


def test_a_resumed_run_evicts_the_same() -> None:
    undisturbed = RunSession.start(given())
    undisturbed.advance()
    session = RunSession.start(given())
    while session.now_us < 3 * SECOND:
        session.simulation.step()
        chunk = session.cut_chunk()
        if chunk is not None and chunk.keyframe is not None:
            session = RunSession.resume(given(), chunk.keyframe)
    session.advance()
    assert session.recording_hash() == undisturbed.recording_hash()
