"""Random pairs of runs that differ a little, or in much, with what goes on after a decision switched on."""

from __future__ import annotations

import os
from functools import lru_cache
from random import Random

import msgspec

from scheduler_core.api.config import PluginRef, PluginSet, Profile, SchedulerConfiguration
from scheduler_core.compare import RunToCompare
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import InputChange, Policies, RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.scenarios import everything, teaching
from tests.seeds import how_many

N_PAIRS = int(os.environ.get("TEST_COMPARE_PAIRS", how_many(6, 12)))
FIRST_SEED = int(os.environ.get("TEST_SEED", "0"))
SEEDS = range(FIRST_SEED, FIRST_SEED + N_PAIRS)

PACKING = {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}]}}
PACKED = SchedulerConfiguration(profiles=(Profile(plugin_config={"NodeResourcesFit": PACKING}),))
UNBALANCED = SchedulerConfiguration(
    profiles=(Profile(plugins={"score": PluginSet(disabled=(PluginRef("NodeResourcesBalancedAllocation"),))}),)
)


def recorded(inputs: RunInputs, every: int = 20) -> RecordingReader:
    """The run to its end, in chunks of so many cycles."""
    session = RunSession.start(inputs)
    store, going = MemoryStore(session.initial_keyframe()), True
    while going:
        going = not session.advance(max_cycles=every)
        store.add(session.cut_chunk())
    return RecordingReader(store)


@lru_cache(maxsize=8)
def pair(seed: int) -> tuple[RunToCompare, RunToCompare]:
    """The pair of a seed; each tenth is one run at two cursors."""
    draw = Random(seed)
    inputs = _varied(draw, draw.choice((everything, teaching))(seed=draw.randrange(4), max_cycles=400), 1)
    a = recorded(inputs, draw.choice((7, 20)))
    if seed % 10 == 0:
        one, other = draw.randrange(a.head_seq() + 1), draw.randrange(a.head_seq() + 1)
        return RunToCompare(inputs, a, one), RunToCompare(inputs, a, other)
    others = _varied(draw, inputs, draw.randrange(1, 4))
    return RunToCompare(inputs, a), RunToCompare(others, recorded(others, draw.choice((7, 20))))


def _varied(draw: Random, inputs: RunInputs, n: int) -> RunInputs:
    for vary in draw.sample((_seed, _configuration, _timeline, _policies, _nodes, _pods, _changes), n):
        inputs = vary(draw, inputs)
    return inputs


def _seed(draw: Random, inputs: RunInputs) -> RunInputs:
    return msgspec.structs.replace(inputs, seed=inputs.seed + draw.randrange(1, 100))


def _configuration(draw: Random, inputs: RunInputs) -> RunInputs:
    return msgspec.structs.replace(inputs, configuration=draw.choice((PACKED, UNBALANCED, SchedulerConfiguration())))


def _timeline(draw: Random, inputs: RunInputs) -> RunInputs:
    entries = list(inputs.timeline.entries)
    gone = draw.choice(inputs.objects.nodes)
    if not entries or draw.random() < 0.5:
        entries.append(TimelineEntry(draw.randrange(120_000_000), "delete", gone))
    else:
        entries.pop(draw.randrange(len(entries)))
    return msgspec.structs.replace(inputs, timeline=Timeline.of(entries))


def _policies(draw: Random, inputs: RunInputs) -> RunInputs:
    policies = draw.choice(
        (
            Policies(victims="at_once"),
            Policies(owners="ignore"),
            Policies(job_running_us=None),
            Policies(cycle_us=20_000),
            Policies(node_loss="pods_stay"),
        )
    )
    return msgspec.structs.replace(inputs, policies=policies)


def _nodes(draw: Random, inputs: RunInputs) -> RunInputs:
    node = make_node(f"another-{draw.randrange(10**6)}", cpu=str(draw.randrange(1, 16)), memory="16Gi")
    objects = msgspec.structs.replace(inputs.objects, nodes=[*inputs.objects.nodes, node])
    return msgspec.structs.replace(inputs, objects=objects)


def _pods(draw: Random, inputs: RunInputs) -> RunInputs:
    pods = list(inputs.objects.pods)
    if pods and draw.random() < 0.5:
        pods.pop(draw.randrange(len(pods)))
    name, cpu = f"large-{draw.randrange(10**6)}", str(draw.randrange(1, 6))
    pods.append(make_pod(name, cpu=cpu, priority=draw.choice((0, 1000))))
    objects = msgspec.structs.replace(inputs.objects, pods=pods)
    return msgspec.structs.replace(inputs, objects=objects)


def _changes(draw: Random, inputs: RunInputs) -> RunInputs:
    seq = draw.randrange(20, 400)
    change = draw.choice(
        (
            InputChange(seq=seq, action="put", object=make_node("bought", cpu="64")),
            InputChange(seq=seq, action="configure", object=PACKED),
            InputChange(seq=seq, action="put", object=make_pod("urgent", cpu="2", priority=10_000)),
        )
    )
    changes = sorted((*inputs.changes, change), key=lambda one: one.seq)
    return msgspec.structs.replace(inputs, changes=tuple(changes))
