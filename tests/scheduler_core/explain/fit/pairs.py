"""Generated drafts with a pod that a run tries first, and what the run's first cycle says of each node."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from scheduler_core.framework.contracts.filter_outcome import NOT_VISITED
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession
from scheduler_core.testing.generated import pod as generated_pod
from tests.scheduler_core.explain.facts.generated_runs import generated_inputs

if TYPE_CHECKING:
    from scheduler_core.api.objects import Pod
    from scheduler_core.recording.frames.frame import Frame

FIRST = 2_000_000_000
Refusal = tuple[str, tuple[str, ...]]
LEFT_OUT: Refusal = ("PreFilter", ())
"""Stands for every refusal by PreFilter, which is not recorded by node."""


class Pair(NamedTuple):
    """A draft and a pod of it that waits and goes before all others, perhaps as an edit of one that was there."""

    inputs: RunInputs
    pod: Pod


class FirstCycle(NamedTuple):
    """By node: (plugin, reasons) of the refusal that counts, None where it fits; total and points of scored nodes."""

    verdicts: dict[str, Refusal | None]
    totals: dict[str, int]
    points: dict[tuple[str, str], int]
    failure: str


def pair(seed: int) -> Pair:
    """Nodes, placed pods, nominated pods and volumes; the pod is pending, taken off its node, or new."""
    draw, inputs = Random(seed), generated_inputs(seed)
    pods = list(inputs.objects.pods)
    waiting = [one for one in pods if not one.node_name]
    nodes = [node.name for node in inputs.objects.nodes]
    for one in waiting[:3]:
        if draw.random() < 0.6:
            promised = msgspec.structs.replace(
                one, nominated_node_name=draw.choice(nodes), priority=FIRST, creation_timestamp=1.0, scheduling_gates=()
            )
            pods[pods.index(one)] = promised
    tried = _tried(draw, seed, waiting[3:], [one for one in pods if one.node_name])
    pods = [one for one in pods if one.key != tried.key]
    pods.insert(draw.randrange(len(pods) + 1), tried)
    return Pair(
        msgspec.structs.replace(inputs, objects=msgspec.structs.replace(inputs.objects, pods=pods), max_cycles=1), tried
    )


def _tried(draw: Random, seed: int, waiting: list[Pod], placed: list[Pod]) -> Pod:
    what = draw.random()
    if what < 0.6 or not placed:
        one = draw.choice(waiting)
    elif what < 0.8:
        one = draw.choice(placed)
    else:
        one = generated_pod(Random(seed + 1), "edited")
    return msgspec.structs.replace(
        one,
        priority=FIRST,
        creation_timestamp=0.0,
        node_name="",
        phase="Pending",
        deletion_timestamp=None,
        scheduling_gates=(),
        nominated_node_name="",
    )


def first_cycle(inputs: RunInputs) -> tuple[str, FirstCycle]:
    """The pod that the run tries first, and what it finds."""
    session = RunSession.start(inputs)
    store = MemoryStore(session.initial_keyframe())
    session.advance()
    store.add(session.cut_chunk())
    reader = RecordingReader(store)
    first, last = reader.cycle_span(1)
    said = [event for _, event in reader.events(first, last)]
    failed = next((event.message for event in said if isinstance(event, ev.CycleFinished)), "")
    frame, names = reader.frame(1), reader.node_names(1)
    assert frame is not None
    verdicts = _verdicts(frame, names)
    return said[0].pod, FirstCycle(verdicts, *_scores(frame, names), failed)


def _verdicts(frame: Frame, names: list[str]) -> dict[str, Refusal | None]:
    refusal_of: dict[str, Refusal | None] = {}
    overlay = {entry.row: entry for entry in frame.overlay}
    for row, name in enumerate(names):
        if not name:
            continue
        index = int(frame.decisive[row])
        if row in overlay:
            refusal_of[name] = overlay[row].plugin, overlay[row].reasons
        elif index >= 0:
            refusal_of[name] = frame.filter_plugins[index], frame.reason_table[int(frame.reasons[index, row])]
        else:
            refusal_of[name] = LEFT_OUT if index == NOT_VISITED else None
    return refusal_of


def _scores(frame: Frame, names: list[str]) -> tuple[dict[str, int], dict[tuple[str, str], int]]:
    if not frame.score_plugins:
        return {}, {}
    rows, totals = frame.feasible().tolist(), frame.totals()
    norms = {plugin: frame.normalized(i) for i, plugin in enumerate(frame.score_plugins)}
    points = {
        (names[row], plugin): int(norm[row]) * frame.weights[i]
        for row in rows
        for i, (plugin, norm) in enumerate(norms.items())
    }
    return {names[row]: int(totals[row]) for row in rows}, points
