"""Runs, random changes of them, and what a branch is compared with."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.api.config import Profile, SchedulerConfiguration
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.stores import MemoryStore
from scheduler_core.simulate import BranchPoint, InputChange, Policies, RunInputs, RunSession, Timeline, TimelineEntry
from tests.properties.strategies import NODE_NAMES, budgets, nodes, pods, services

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scheduler_core.recording.frames.frame import Frame

PACKING = {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}]}}
CONFIGURATIONS = (
    SchedulerConfiguration(),
    SchedulerConfiguration(profiles=(Profile(plugin_config={"NodeResourcesFit": PACKING}),)),
    SchedulerConfiguration(profiles=(Profile(), Profile(scheduler_name="somebody-else"))),
    SchedulerConfiguration(profiles=(Profile(scheduler_name="somebody-else"),), pod_initial_backoff_seconds=3),
)
POLICIES = (
    {"draw": "smallest"},
    {"queue": "move-cycle"},
    {"cycle_us": 5_000, "binding_us": 70_000},
    {"victims": "at_once", "owners": "ignore"},
    {"owners": "keep", "job_running_us": 5_000_000, "node_loss": "pods_stay"},
    {"node_search": "configured", "terminating": "stay"},
    {"taint_message": "named", "unschedulable_stay_us": 20_000_000},
)
KINDS_OF_OBJECTS = (
    *("pod", "preemptor", "pod edited", "pod edited", "pod priority", "pod goes", "pod terminates"),
    *("node", "node edited", "node goes", "node goes", "budget", "budget goes", "service", "namespace", "class"),
)
KINDS_OF_CHANGE = (*KINDS_OF_OBJECTS, *("configure", "set_policies", "switch_off") * 3)


class Told(msgspec.Struct):
    """All that a run recorded, in the order of seqs."""

    events: list[ev.AnyEvent]
    causes: list[int | None]
    hash: str
    store: MemoryStore
    """With a keyframe every few steps."""


def executed(inputs: RunInputs, *, every: int = 7, cached: bool = True) -> Told:
    """The run from its beginning to its end."""
    session = RunSession.start(inputs, cached=cached)
    return followed(session, MemoryStore(session.initial_keyframe()), every)


def followed(session: RunSession, store: MemoryStore, every: int = 7) -> Told:
    """A session carried on to its end; its chunks follow those of the store."""
    going = True
    while going:
        for _ in range(every):
            going = session.simulation.step()
        store.add(session.cut_chunk())
    reader = RecordingReader(store)
    n = session.head_seq
    events = [event for _, event in reader.events(0, n - 1)]
    return Told(events, reader.causes(0, n - 1), session.recording_hash(), store)


def frames_of(run: Told) -> list[Any]:
    """What every plugin said of every node, in every cycle."""
    reader = RecordingReader(run.store)
    frames = reader.frames(e.cycle for e in run.events if isinstance(e, ev.CycleStarted))
    return [None if frame is None else _matrix(frame) for frame in frames]


def _matrix(frame: Frame) -> tuple[Any, ...]:
    texts = [[frame.reason_table[number] for number in line] for line in frame.reasons.tolist()]
    verdicts = frame.filter_plugins, frame.codes.tolist(), texts, frame.decisive.tolist()
    return frame.cycle, frame.template, verdicts, frame.score_plugins, frame.weights, frame.raw.tolist()


def branched(run: Told, inputs: RunInputs, seq: int, *changes: InputChange) -> tuple[RunSession, BranchPoint]:
    """A branch of the run that told this, from its keyframes."""
    return RunSession.branch(inputs, seq, changes, RecordingReader(run.store).keyframe_bytes)


def carried_on(run: Told, branch: RunSession) -> Told:
    """What a branch of the run records, with what it has in common with the run."""
    return followed(branch, MemoryStore(run.store.initial, run.store.chunks[: branch.next_chunk]))


def random_of(inputs: RunInputs, seed: int) -> Random:
    """Numbers that depend on the inputs alone, each as likely as the others: Hypothesis prefers simple ones."""
    return Random(f"{seed} {inputs!r}")


def change_at(draw: Any, chance: Random, seq: int, session: RunSession, kinds: Sequence[str]) -> InputChange:
    """A change of one of these kinds of what a run has at that place; ``draw`` is Hypothesis's, for objects."""
    what = chance.choice(kinds)
    world, inputs = session.simulation.world, session.inputs
    there = list(world.pods.values())
    pod = chance.choice(there) if there else draw(pods("nobody"))
    table = world.cluster.table
    names = sorted(table.row_of) or NODE_NAMES
    name = chance.choice(names)
    node = next(iter(world.nodes([name])), None) or draw(nodes())
    edited = msgspec.structs.replace
    action, obj = "put", None
    if what == "pod":
        obj = draw(pods("branch"))
    elif what == "preemptor":
        obj = edited(draw(pods("branch-hi")), priority=2000)
    elif what == "pod edited":
        obj = edited(pod, labels={**pod.labels, "app": "db"}, scheduling_gates=())
    elif what == "pod priority":
        obj = edited(pod, priority=500)
    elif what == "pod terminates":
        obj = edited(pod, deletion_timestamp=1.0)
    elif what == "pod goes":
        action, obj = "delete", pod
    elif what == "node":
        obj = edited(draw(nodes()), name="node-new")
    elif what == "node edited":
        obj = edited(draw(nodes()), name=node.name)
    elif what == "node goes":
        action, obj = "delete", node
    elif what.startswith("budget"):
        action, obj = ("delete" if what == "budget goes" else "put"), draw(budgets())
    elif what == "service":
        obj = draw(services())
    elif what == "namespace":
        obj = k8s.Namespace("default", {"team": "branch"})
    elif what == "class":
        obj = k8s.StorageClass(name="late", provisioner="csi", volume_binding_mode="WaitForFirstConsumer")
    elif what == "configure":
        action, obj = what, chance.choice(CONFIGURATIONS)
    elif what == "set_policies":
        now = session.simulation.policies
        action, obj = what, msgspec.structs.replace(now, **chance.choice(POLICIES))
    else:
        first, n = session.simulation.timeline_position, len(inputs.timeline.entries)
        if first >= n:
            action, obj = "put", draw(pods("branch"))
        else:
            action, obj = "switch_off", chance.randrange(first, n)
    return InputChange(seq=seq, action=action, object=obj)


# --- what a timeline says as well ----------------------------------------------------------------------------------
ANCHOR = k8s.Namespace("anchor")


def anchored(inputs: RunInputs, at: int) -> tuple[RunInputs, int]:
    """The inputs with an object at a moment of its own that nobody looks at, and the index of that entry."""
    timeline = Timeline.of([*inputs.timeline.entries, TimelineEntry(at, "put", ANCHOR)])
    index = next(i for i, entry in enumerate(timeline.entries) if entry.object is ANCHOR)
    return msgspec.structs.replace(inputs, timeline=timeline), index


def with_entry(inputs: RunInputs, index: int, change: InputChange) -> RunInputs:
    """The inputs in whose timeline the change stands at this index, at the time of the entry before it."""
    entries = list(inputs.timeline.entries)
    entries.insert(index, TimelineEntry(entries[index - 1].at, change.action, change.object))
    return msgspec.structs.replace(inputs, timeline=Timeline(tuple(entries)))


def without_entry(inputs: RunInputs, index: int) -> RunInputs:
    """The inputs without an entry of their timeline."""
    entries = inputs.timeline.entries
    return msgspec.structs.replace(inputs, timeline=Timeline((*entries[:index], *entries[index + 1 :])))


def as_of_timeline(events: Sequence[ev.AnyEvent], index: int, *, is_change: bool) -> list[ev.AnyEvent]:
    """The events without what says of which entry they are: those behind ``index`` are moved by one, the change
    (``is_change``) or the entry at it names neither input nor object."""
    made: list[ev.AnyEvent] = []
    for event in events:
        if isinstance(event, ev.ObjectChanged):
            if event.change is not None or (not is_change and event.entry == index):
                event = msgspec.structs.replace(event, change=None, entry=None, object=b"")
            elif not is_change and event.entry is not None and event.entry > index:
                event = msgspec.structs.replace(event, entry=event.entry - 1)
        made.append(event)
    return made


ALL_ON = {"terminating": "leave", "owners": "keep", "node_loss": "pods_go"}


def with_all_on(inputs: RunInputs) -> RunInputs:
    """The inputs with every policy of aftermath on, and pods of Jobs that end."""
    policies = msgspec.structs.replace(inputs.policies, **ALL_ON, job_running_us=20_000_000)
    assert isinstance(policies, Policies)
    return msgspec.structs.replace(inputs, policies=policies)
