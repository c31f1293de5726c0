"""What was missing in refused cycles, read in one pass, is what is found for each of them from the start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.api.resources import pod_requests
from scheduler_core.explain.pending.following import FollowedRun
from scheduler_core.explain.pending.missing import MissingRoom, missing_in_cycles, missing_room, short_of_room
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.scenarios import teaching
from tests.scheduler_core.explain.facts.generated_runs import generated_inputs, recorded
from tests.scheduler_core.explain.pending.summed_nodes import found_nodes, objects_at
from tests.seeds import each_seed

if TYPE_CHECKING:
    from scheduler_core.recording.reader import RecordingReader


def refused_cycles(reader: RecordingReader) -> list[int]:
    every = reader.events(0, reader.head_seq())
    return [e.cycle for _, e in every if isinstance(e, ev.CycleFinished) and e.outcome == "unschedulable"]


def from_the_start(reader: RecordingReader, inputs: RunInputs, cycle: int) -> MissingRoom | None:
    first = reader.cycle_span(cycle)[0]
    started, frame = reader.event(first), reader.frame(cycle)
    assert isinstance(started, ev.CycleStarted)
    if frame is None:
        return None
    state, objects = reader.state_at(first), objects_at(reader, inputs, first)
    pod = objects.pods[started.pod]
    nodes = found_nodes(state, objects, objects.nodes, objects.pods, pod)
    return missing_room(short_of_room(frame, nodes, pod_requests(pod)))


def check(inputs: RunInputs) -> list[MissingRoom]:
    """Compare every refused cycle of a run; returns what was missing in those that lacked room."""
    reader = recorded(inputs)
    cycles = refused_cycles(reader)
    room_of_cycle = dict(missing_in_cycles(reader, FollowedRun(inputs), cycles[::-1]))
    assert list(room_of_cycle) == cycles
    assert room_of_cycle == {cycle: from_the_start(reader, inputs, cycle) for cycle in cycles}
    return [one for one in room_of_cycle.values() if one is not None]


@pytest.mark.slow
def test_every_refused_cycle_of_the_demo_says_what_is_found_from_the_start() -> None:
    missing = check(teaching())
    assert len(missing) > 20
    assert all(0 < one.least <= one.most for one in missing)


@pytest.mark.slow
@each_seed(range(12), together=12)
def test_generated_runs_say_the_same(seed: int) -> None:
    check(generated_inputs(seed))


def test_the_resource_of_most_nodes_with_the_least_and_the_most_that_is_missing() -> None:
    nodes = [make_node("a", cpu="4"), make_node("b", cpu="4"), make_node("small", cpu="2")]
    placed = [make_pod("p", cpu="2", node_name="a"), make_pod("q", cpu="3500m", node_name="b")]
    reader_inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=[*placed, make_pod("big", cpu="3")]))
    reader = recorded(reader_inputs)
    ((_, missing),) = missing_in_cycles(reader, FollowedRun(reader_inputs), [1])
    assert missing == MissingRoom("cpu", asked=3000, least=1000, most=2500, nodes=2)


def test_where_every_node_is_too_small_that_is_what_is_missing() -> None:
    objects = ClusterObjects(nodes=[make_node("small", cpu="2")], pods=[make_pod("big", cpu="3")])
    inputs = RunInputs(objects=objects)
    room_of_cycle = dict(missing_in_cycles(recorded(inputs), FollowedRun(inputs), [1]))
    assert room_of_cycle == {1: MissingRoom("cpu", 3000, 1000, 1000, 1)}


def test_a_cycle_refused_for_something_else_misses_no_room_and_no_cycle_is_read_without_time() -> None:
    pod = make_pod("picky", cpu="1", node_selector={"disk": "ssd"})
    inputs = RunInputs(objects=ClusterObjects(nodes=[make_node("a", cpu="4")], pods=[pod]))
    reader = recorded(inputs)
    assert dict(missing_in_cycles(reader, FollowedRun(inputs), [1])) == {1: None}
    assert dict(missing_in_cycles(reader, FollowedRun(inputs), [1], lambda: True)) == {}
