"""A host port that counts as free though a pod holds it is remembered across saving and restoring a run."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import ClusterObjects, Container, ContainerPort, Pod
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod

SECOND = 1_000_000


def holding(name: str, node_name: str = "") -> Pod:
    ports = (ContainerPort(container_port=80, host_port=80),)
    return make_pod(name, containers=(Container("c", "x", ports=ports),), node_name=node_name)


def inputs() -> RunInputs:
    """Two pods that hold port 80 of the only node; one is deleted, later a third one wants the port."""
    holders = [holding("a", "n"), holding("b", "n")]
    entries = [
        TimelineEntry(1 * SECOND, "delete", holders[0]),
        TimelineEntry(2 * SECOND, "put", make_pod("other")),
        TimelineEntry(3 * SECOND, "put", holding("p")),
        TimelineEntry(4 * SECOND, "put", holding("q")),
    ]
    objects = ClusterObjects(nodes=[make_node("n")], pods=holders)
    return RunInputs(objects=objects, schedule="timeline", timeline=Timeline.of(entries), max_virtual_us=60 * SECOND)


def bound(session: RunSession) -> tuple[set[str], str]:
    events: list[ev.AnyEvent] = []
    session.simulation.observers.append(events.append)
    session.advance()
    return {e.pod for e in events if isinstance(e, ev.Bound)}, session.recording_hash()


def test_the_port_of_two_holders_goes_to_one_more_pod() -> None:
    placed, _ = bound(RunSession.start(inputs()))
    assert placed == {"default/other", "default/p"}


@pytest.mark.parametrize("cycles", [1, 2])
def test_a_resumed_run_decides_the_same(cycles: int) -> None:
    _, undisturbed = bound(RunSession.start(inputs()))
    session = RunSession.start(inputs())
    session.advance(max_cycles=cycles)
    chunk = session.cut_chunk()
    assert chunk is not None
    assert chunk.keyframe is not None
    resumed = RunSession.resume(inputs(), chunk.keyframe)
    assert resumed.simulation.context.cluster.freed_ports == session.simulation.context.cluster.freed_ports
    assert bound(resumed)[1] == undisturbed
