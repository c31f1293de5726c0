"""The front door: inputs in, a run that can be advanced, cut into chunks, and resumed.

>>> session = RunSession.start(RunInputs(objects=load_cluster([source]).objects))    # doctest: +SKIP
>>> while not session.advance(max_seconds=1.0): ...                                  # doctest: +SKIP
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import Any

import msgspec

from scheduler_core import ENGINE_VERSION
from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import ClusterObjects, Pod
from scheduler_core.engine import checkpoint
from scheduler_core.engine.branches.branching import (
    BranchError,
    BranchPoint,
    begin_branch,
    change_at_head,
    next_change_seq,
)
from scheduler_core.engine.branches.change_lists import Changed, ChangesError, changes_from_raw
from scheduler_core.engine.branches.change_lists import merged as merge_patch
from scheduler_core.engine.branches.timeline_entries import (
    EntryMoment,
    MovedChange,
    RecordedPlace,
    entry_moment,
    time_text,
    timeline_with,
)
from scheduler_core.engine.branches.whole_objects import WholeObjectChange
from scheduler_core.engine.inputs import (
    EPOCH,
    InputChange,
    RunInputs,
    Schedule,
    default_schedule,
    run_epoch,
    settings_at,
    start_pods,
)
from scheduler_core.engine.kubelet_rules import read_rules
from scheduler_core.engine.policies import OF_THE_START, Policies, of_new_runs
from scheduler_core.engine.simulation import MakeFrameworks, Simulation
from scheduler_core.engine.timelines import MAX_ENTRIES as MAX_TIMELINE_ENTRIES
from scheduler_core.engine.timelines import TimelineError, entry_time, timeline_from_raw
from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply, ExtenderSource
from scheduler_core.framework.runtime.durations import BUCKETS as DURATION_BUCKETS
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.profiles.plugin_sets import ProfileError
from scheduler_core.profiles.registry import Registry
from scheduler_core.recording.chunks import Chunk
from scheduler_core.recording.events import AnyEvent
from scheduler_core.workloads.timeline import Timeline, TimelineEntry

__all__ = [
    "DURATION_BUCKETS",
    "ENGINE_VERSION",
    "EPOCH",
    "MAX_TIMELINE_ENTRIES",
    "OF_THE_START",
    "BranchError",
    "BranchPoint",
    "Changed",
    "ChangesError",
    "EntryMoment",
    "ExtenderCall",
    "ExtenderReply",
    "ExtenderSource",
    "InputChange",
    "MovedChange",
    "Policies",
    "ProfileError",
    "RecordedPlace",
    "RunInputs",
    "RunSession",
    "Schedule",
    "Timeline",
    "TimelineEntry",
    "TimelineError",
    "WholeObjectChange",
    "changes_from_raw",
    "check_profiles",
    "default_schedule",
    "entry_moment",
    "entry_time",
    "merge_patch",
    "of_new_runs",
    "pods_to_schedule",
    "read_rules",
    "run_epoch",
    "settings_at",
    "time_text",
    "timeline_from_raw",
    "timeline_with",
]


class RunSession:
    """A run being executed. Same inputs, same history, wherever and however often it is interrupted."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.last_step_seq = self.head_seq
        """Where the last step of ``advance`` and ``advance_to`` began: what lies before it, other steps recorded."""

    @classmethod
    def start(
        cls,
        inputs: RunInputs,
        registry: Registry | None = None,
        *,
        cached: bool = True,
        extenders: ExtenderSource | None = None,
    ) -> RunSession:
        """A run at its beginning; ``cached`` False recomputes everything in every cycle, with the same outcome.

        ``extenders`` answers for those of the configuration: what it answers is an input as the others are.
        Raises ProfileError for a configuration that cannot work.
        """
        return cls(Simulation(inputs, _frameworks(registry, extenders), cached=cached))

    @classmethod
    def resume(
        cls,
        inputs: RunInputs,
        keyframe: bytes,
        registry: Registry | None = None,
        *,
        extenders: ExtenderSource | None = None,
    ) -> RunSession:
        """The run as it was at a keyframe of the same inputs."""
        return cls(checkpoint.restore(inputs, keyframe, _frameworks(registry, extenders)))

    @classmethod
    def branch(
        cls,
        inputs: RunInputs,
        seq: int,
        changes: Iterable[InputChange],
        keyframes: Callable[[int], bytes] | None = None,
        *,
        engine_version: str = ENGINE_VERSION,
        extenders: ExtenderSource | None = None,
    ) -> tuple[RunSession, BranchPoint]:
        """Branch the run of these inputs after its first ``seq`` events; returns the session and the branch point.

        ``inputs`` of the session are everything that the branch depends on: kept, they give the same recording from the
        beginning. ``keyframes`` gives the other run's newest keyframe with at most a given number of events, as
        ``keyframe_bytes`` of a reader does (None: executed from the beginning); ``engine_version`` made that run.
        The session's chunks follow those of the other run from ``next_chunk`` on.
        Raises BranchError, ProfileError, RecordingError.
        """
        if engine_version != ENGINE_VERSION:
            raise BranchError(
                f"the run was made by engine {engine_version}, whose recordings differ from those of {ENGINE_VERSION}."
                " Run it again first"
            )
        begun = begin_branch(inputs, seq, changes, _frameworks(None, extenders), keyframes)
        return cls(begun.simulation), begun.point

    def change(self, changes: Sequence[InputChange]) -> RunInputs:
        """Change the run at its head, whatever seqs the changes name; the inputs that give the same recording from now
        on. Raises BranchError (also where the run is over), ProfileError."""
        return change_at_head(self.simulation, changes)

    @property
    def next_change_seq(self) -> int:
        """The seq that ``change`` gives to changes now."""
        return next_change_seq(self.simulation)

    @property
    def inputs(self) -> RunInputs:
        """What the run was made from."""
        return self.simulation.inputs

    @property
    def head_seq(self) -> int:
        """How many events there are."""
        return self.simulation.recorder.head_seq

    @property
    def next_chunk(self) -> int:
        """Index of the chunk that the session cuts next."""
        return self.simulation.recorder.next_chunk

    @property
    def cycle(self) -> int:
        """Number of the last scheduling cycle, 0 before the first."""
        return self.simulation.context.cycle

    @property
    def now_us(self) -> int:
        """Virtual time in microseconds."""
        return self.simulation.now()

    @property
    def n_steps(self) -> int:
        """What the run has to do: pods that wait at its start, come by its timeline or were made so far, and the
        timeline's entries. Pods that cannot have a node leave it undone.
        """
        inputs, entries = self.simulation.inputs, self.simulation.inputs.timeline.entries
        pods = sum(not pod.node_name for pod in self.simulation.start_pods.values())
        pods += sum(entry.action == "put" and isinstance(entry.object, Pod) for entry in entries)
        pods += self.simulation.aftermath.ownership.made
        return min(pods, inputs.max_cycles) + len(entries)

    @property
    def steps_done(self) -> int:
        """How much of ``n_steps`` is done: cycles that found a node, and entries of the timeline so far."""
        simulation = self.simulation
        return simulation.recorder.state.counts.scheduled + simulation.timeline_position

    @property
    def finish_reason(self) -> str:
        """Why the run is over, "" while it goes on."""
        return self.simulation.finished

    def initial_keyframe(self) -> bytes:
        """The keyframe before the first event; only before the first ``advance``."""
        return self.simulation.recorder.keyframe(None)

    def observe(self, listener: Callable[[int, AnyEvent], None]) -> None:
        """Call it with every further event but digests, and its seq: what is recorded need not be read back."""
        recorder = self.simulation.recorder
        self.simulation.observers.append(lambda event: listener(recorder.head_seq - 1, event))

    def advance(self, max_cycles: int | None = None, max_seconds: float | None = None) -> bool:
        """Go on for at most that many cycles or seconds, and say whether the run is over; stops between steps only."""
        context = self.simulation.context
        last = None if max_cycles is None else context.cycle + max_cycles
        deadline = None if max_seconds is None else monotonic() + max_seconds
        while self._step():
            if last is not None and context.cycle >= last:
                break
            if deadline is not None and monotonic() >= deadline:
                break
        return bool(self.simulation.finished)

    def advance_to(self, seq: int) -> None:
        """Go on until the head is at ``seq`` at least: how a resumed run catches up with what is stored."""
        while self.head_seq < seq and self._step():
            pass

    def _step(self) -> bool:
        self.last_step_seq = self.simulation.recorder.head_seq
        return self.simulation.step()

    def cut_chunk(self, keyframe: bool = True) -> Chunk | None:
        """Everything since the last chunk, with a keyframe if asked for; None when nothing happened."""
        return self.simulation.recorder.cut_chunk(checkpoint.dump(self.simulation) if keyframe else None)

    def recording_hash(self) -> str:
        """SHA-256 over all events so far, 64 hexadecimal digits."""
        return self.simulation.recorder.hash()

    def take_tracebacks(self) -> list[tuple[int, str]]:
        """(seq of PluginFailed, traceback) of exceptions since the last call, the first of each kind only."""
        taken, self.simulation.tracebacks = self.simulation.tracebacks, []
        return taken

    def take_durations(self) -> dict[tuple[str, str, str, str], tuple[int, float, tuple[int, ...]]]:
        """{(extension point, plugin or "", profile, status): (count, seconds, histogram)} since the last call."""
        taken: dict[tuple[str, str, str, str], Any] = {}
        for profile, framework in self.simulation.frameworks.items():
            for (point, plugin, status), figures in framework.durations.take().items():
                taken[point, plugin, profile, status] = figures
        return taken


def pods_to_schedule(objects: ClusterObjects, schedule: Schedule) -> Counter[str]:
    """{scheduler's name: pods} that wait at the start of such a run, without what a timeline brings or owners
    create."""
    inputs = RunInputs(objects=objects, schedule=schedule, policies=Policies(owners="ignore"))
    return Counter(pod.scheduler_name for pod in start_pods(inputs) if not pod.node_name)


def check_profiles(configuration: SchedulerConfiguration) -> None:
    """Raises ProfileError where the profiles cannot be made with the installed plugins and their arguments."""
    plain = msgspec.structs.replace(configuration, extenders=())
    RunSession.start(RunInputs(objects=ClusterObjects(), configuration=plain))


def _frameworks(registry: Registry | None, extenders: ExtenderSource | None) -> MakeFrameworks:
    """Profiles made with the plugins of the registry (None: all that are installed)."""
    return lambda configuration, context: build_frameworks(configuration, context, registry, extenders)
