"""What wakes a pod, compared with what then wakes it in the run."""

from __future__ import annotations

from typing import Literal

import msgspec
import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.api.taints import Taint
from scheduler_core.explain.pending import hints_for, wakes_up, what_wakes
from scheduler_core.explain.pending.model import HintsAsked
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod

MINUTE = 60_000_000
QUEUES: tuple[Literal["hints"], Literal["move-cycle"]] = ("hints", "move-cycle")


def stuck(*entries: TimelineEntry, queue: Literal["hints", "move-cycle"] = "hints") -> RunSession:
    """A run in which a pod of 3 cpu finds no room on a tainted node of 2, after its first attempt."""
    nodes = [make_node("n", cpu="2"), make_node("t", cpu="8", taints=[Taint("gpu", "yes")])]
    inputs = RunInputs(
        objects=ClusterObjects(nodes=nodes, pods=[make_pod("p", cpu="3")]),
        timeline=Timeline(entries=entries),
        policies=Policies(queue=queue),
    )
    session = RunSession.start(inputs)
    session.advance(max_cycles=1)
    return session


def test_the_timer_is_told_with_the_time_that_is_left_and_then_moves_the_pod() -> None:
    session = stuck(TimelineEntry(at=30 * MINUTE, action="put", object=make_node("late", cpu="1")))
    (timer,) = what_wakes(session.simulation, "default/p", session.now_us).timers
    assert (timer.kind, timer.at - timer.left_us) == ("unschedulable flush", session.now_us)
    moves: list[ev.QueueMove] = []
    session.observe(lambda seq, event: moves.append(event) if isinstance(event, ev.QueueMove) else None)
    session.advance(max_cycles=1)
    assert (moves[0].event, moves[0].at) == ("UnschedulableTimeout", timer.at)


def test_the_timer_names_the_stay_that_the_queue_of_the_run_allows() -> None:
    hints, by_cycle = (what_wakes(stuck(queue=name).simulation, "default/p", 0).timers[0].text for name in QUEUES)
    assert "for 5 min" in hints
    assert "for 1 min" in by_cycle


def test_events_are_those_that_the_refusing_plugins_registered_for() -> None:
    wakes = what_wakes(stuck().simulation, "default/p", 0)
    assert set(wakes.plugins) == {"NodeResourcesFit", "TaintToleration"}
    events = {event.event: event for event in wakes.events}
    assert events["NodeAdd"].plugins == ("NodeResourcesFit", "TaintToleration")
    assert events["PodUpdatePodToleration"].hinting == ("TaintToleration",)
    assert "PersistentVolumeClaimAdd" not in events


def test_a_pod_that_backs_off_is_told_when_that_ends() -> None:
    session = stuck(TimelineEntry(at=600_000, action="put", object=make_node("k", cpu="3")))
    simulation = session.simulation
    while (queued := simulation.queue.get("default/p")) is not None and queued.lane != "backoff":
        simulation.step()
    (timer,) = what_wakes(simulation, "default/p", session.now_us).timers
    # a second of backoff from time 0, and the whole window of a second that it ends in
    assert (timer.kind, timer.at, timer.left_us) == ("backoff", 2_000_000, 1_400_000)
    assert timer.text == "its backoff ends in 1.4 s, or sooner where activeQ runs empty"


def test_hints_are_asked_of_every_placed_pod_and_of_a_node_like_each_that_is_there() -> None:
    """NodeResourcesFit takes any placed pod that leaves for help, and of nodes those that could hold the 3 cpu;
    TaintToleration those without the taint."""
    taints = [Taint("gpu", "yes")]
    nodes = [make_node("n", cpu="2", taints=taints), make_node("m", cpu="4"), make_node("t", cpu="8", taints=taints)]
    placed = [make_pod("takes", cpu="3", node_name="m"), make_pod("idle", node_name="m")]
    session = RunSession.start(
        RunInputs(objects=ClusterObjects(nodes=nodes, pods=[*placed, make_pod("p", cpu="3")]), timeline=Timeline())
    )
    session.advance(max_cycles=1)
    simulation = session.simulation
    leaving, coming = what_wakes(simulation, "default/p", session.now_us).asked
    assert (leaving.event, leaving.waking) == ("AssignedPodDelete", ("default/idle", "default/takes"))
    assert (leaving.count, leaving.of) == (2, 2)
    assert (coming.event, coming.waking) == ("NodeAdd", ("m", "t"))
    assert (coming.count, coming.of) == (2, 3)
    for key in leaving.waking:
        assert wakes_up(hints_for(simulation, "default/p", simulation.world.pods[key], None))
    for node in nodes:
        wakes = wakes_up(hints_for(simulation, "default/p", None, msgspec.structs.replace(node, name="late")))
        assert wakes == (node.name in coming.waking)


@pytest.mark.parametrize(
    ("event", "count", "of", "text"),
    [
        ("NodeAdd", 0, 3, "adding a node like any of the 3 nodes would not wake it"),
        ("NodeAdd", 2, 3, "adding a node like 2 of 3 nodes would wake it, the other 1 would not"),
        ("AssignedPodDelete", 1, 1, "deleting the 1 placed pod would wake it"),
        ("AssignedPodDelete", 2, 2, "deleting any of the 2 placed pods would wake it"),
    ],
)
def test_words(event: str, count: int, of: int, text: str) -> None:
    assert HintsAsked(event=event, waking=(), count=count, of=of).text == text
