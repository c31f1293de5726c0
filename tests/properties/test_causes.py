"""An event that an input caused does not happen without that input; every other chain of causes ends in an input or the
start of the run."""

from __future__ import annotations

from functools import cache
from random import Random

import msgspec
import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.framework.contracts.run_context import NO_CAUSE
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.properties.causes import check_causes, everything, is_input, is_root
from tests.seeds import how_many

SAMPLES = how_many(60, 200)
PER_RUN = 10
MS = 1_000


def history(seed: int) -> RunInputs:
    """Some forty inputs, each at a moment of its own: pods of several sizes and priorities, nodes."""
    random = Random(seed)
    names = [f"p{i}" for i in range(12)]
    entries, at = [], 0
    for _ in range(40):
        at += random.choice([1, 7, 900, 4_000, 20_000, 70_000]) * MS + random.randrange(1, MS)
        if random.random() < 0.65:
            name = random.choice(names)
            size, priority = random.choice(["500m", "1", "3"]), random.choice([0, 0, 10, 100])
            pod = make_pod(name, uid="", cpu=size, priority=priority, labels={"size": size})
            entries.append(TimelineEntry(at, random.choice(["put", "put", "put", "delete"]), pod))
        else:
            taints = ["kind=gpu:NoSchedule"] if random.random() < 0.3 else []
            node = make_node(f"n{random.randrange(3)}", cpu=random.choice(["1", "4"]), taints=taints)
            entries.append(TimelineEntry(at, random.choice(["put", "put", "delete"]), node))
    objects = ClusterObjects(nodes=[make_node("n0", cpu="2")])
    return RunInputs(objects=objects, schedule="timeline", timeline=Timeline(tuple(entries)), seed=seed)


def run(inputs: RunInputs) -> tuple[list[ev.AnyEvent], list[int | None]]:
    session = RunSession.start(inputs)
    session.advance()
    return everything(session)


@cache
def recorded(seed: int) -> tuple[RunInputs, list[ev.AnyEvent], list[int | None]]:
    inputs = history(seed)
    return inputs, *run(inputs)


def without(inputs: RunInputs, entry: int, until: int) -> list[ev.AnyEvent]:
    """What happens up to a moment when one entry of the timeline never comes."""
    entries = inputs.timeline.entries
    timeline = Timeline(entries[:entry] + entries[entry + 1 :])
    return run(msgspec.structs.replace(inputs, timeline=timeline, max_virtual_us=until))[0]


def effect(event: ev.AnyEvent) -> object:
    """What tells that the same thing happened, whatever its seq: for a move who moved when, from where and why."""
    if isinstance(event, ev.QueueMove):
        return event.at, event.pod, event.source, event.target, event.event
    return event


@pytest.mark.slow
def test_without_the_input_that_caused_it_an_event_does_not_happen() -> None:
    n_checked, seed = 0, 0
    while n_checked < SAMPLES:
        inputs, events, causes = recorded(seed)
        caused = [
            seq for seq, cause in enumerate(causes) if cause is not None and cause >= 0 and is_input(events[cause])
        ]
        for seq in Random(seed).sample(caused, min(PER_RUN, len(caused), SAMPLES - n_checked)):
            event, by = events[seq], events[causes[seq]]  # type: ignore[index]
            assert isinstance(by, ev.ObjectChanged)
            assert by.entry is not None
            others = map(effect, without(inputs, by.entry, event.at))
            assert effect(event) not in others, f"seed {seed}: {event} happens without {by}"
            n_checked += 1
        seed += 1
    assert n_checked == SAMPLES


@pytest.mark.parametrize("seed", range(8))
def test_causes_are_of_the_right_kind_and_chains_end_in_an_input_or_the_start(seed: int) -> None:
    _, events, causes = recorded(seed)
    check_causes(events, causes)
    for seq in range(len(events)):
        while causes[seq] != NO_CAUSE:
            seq = causes[seq]  # type: ignore[assignment]
        assert is_root(events[seq])


def test_the_chain_of_a_preemption_leads_from_the_victims_end_to_the_pod_that_came() -> None:
    small, big = make_pod("small", cpu="1", node_name="n"), make_pod("big", uid="", cpu="1", priority=5)
    objects = ClusterObjects(nodes=[make_node("n", cpu="1")], pods=[small])
    timeline = Timeline((TimelineEntry(MS, "put", big),))
    events, causes = run(RunInputs(objects=objects, schedule="timeline", timeline=timeline))
    left = next(i for i, e in enumerate(events) if isinstance(e, ev.ObjectChanged) and e.action == "deleted")
    chain = [left]
    while causes[chain[-1]] != NO_CAUSE:
        chain.append(causes[chain[-1]])  # type: ignore[arg-type]
    assert [type(events[seq]).__name__ for seq in chain] == [
        "ObjectChanged",  # small is gone, its grace period over
        "ObjectChanged",  # small terminates
        "PreemptionDecided",
        "CycleStarted",
        "QueueMove",  # big is popped
        "QueueMove",  # big is queued
        "ObjectChanged",  # big comes, as the timeline says
    ]
    woken = next(i for i, e in enumerate(events) if isinstance(e, ev.QueueMove) and e.event == "AssignedPodDelete")
    assert causes[woken] == left
