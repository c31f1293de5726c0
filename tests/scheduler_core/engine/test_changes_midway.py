"""Pods that change or go while the run has plans for them."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod

MS = 1_000
POD = make_pod("p", uid="", cpu="1")
RELABELLED = msgspec.structs.replace(POD, labels={"app": "web"})


def inputs(*entries):
    timeline = Timeline(tuple(TimelineEntry(at * MS, action, pod) for at, action, pod in entries))
    return RunInputs(objects=ClusterObjects(nodes=[make_node("n")]), schedule="timeline", timeline=timeline)


def run(given):
    session, events = RunSession.start(given), []
    session.simulation.observers.append(events.append)
    session.advance()
    return session, events


def test_an_update_from_the_timeline_leaves_a_bound_pod_where_it_is():
    session, _ = run(inputs((0, "put", POD), (100, "put", RELABELLED)))
    pod = session.simulation.world.pods["default/p"]
    assert (pod.node_name, pod.phase, pod.labels) == ("n", "Running", {"app": "web"})
    assert pod.start_time is not None
    assert session.simulation.context.cluster.pods["default/p"].pod == pod


def test_a_pod_made_anew_while_its_namesake_is_being_bound_is_scheduled_itself():
    other = msgspec.structs.replace(POD, labels={"generation": "2"})
    session, events = run(inputs((0, "put", POD), (2, "delete", POD), (3, "put", other)))
    assert len([e for e in events if isinstance(e, ev.Unreserved) and e.reason]) == 1
    assert len([e for e in events if isinstance(e, ev.Bound)]) == 1
    pod = session.simulation.world.pods["default/p"]
    assert (pod.node_name, pod.labels) == ("n", {"generation": "2"})


@pytest.mark.parametrize("change", [(2, "put", RELABELLED), (2, "delete", POD)])
def test_a_pod_changed_while_it_is_being_bound_survives_a_resume(change):
    given = inputs((0, "put", POD), change)
    session = RunSession.start(given)
    while session.now_us < 2 * MS:
        session.simulation.step()
    assert session.simulation.bindings
    chunk = session.cut_chunk()
    assert chunk is not None
    resumed = RunSession.resume(given, chunk.keyframe)
    resumed.advance()
    assert resumed.recording_hash() == run(given)[0].recording_hash()
