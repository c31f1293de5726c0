"""Beginning a branch at a seq of a run, and changing a live run at its head."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

import msgspec

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import KINDS, Workload
from scheduler_core.engine import checkpoint
from scheduler_core.engine.inputs import InputChange, RunInputs, settings_after
from scheduler_core.engine.policies import OF_THE_START, Policies
from scheduler_core.engine.simulation import MakeFrameworks, Simulation

_KINDS: tuple[type[Any], ...] = (*KINDS.values(), Workload)
_seq = attrgetter("seq")
Keyframes = Callable[[int], bytes] | None
"""Gives the newest keyframe of a run with at most a given number of events, as ``RecordingReader.keyframe_bytes`` does;
None: the run is executed from its beginning."""


class BranchError(ValueError):
    """The branch is impossible: the run has no such place, or a change cannot take effect there."""


class BranchPoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where a branch begins: after the first ``seq`` events of the run, at virtual time ``at``, between two steps.

    ``asked`` is the seq that was asked for. Where it lay inside of a step, ``seq`` is the beginning of that step, and
    ``cycle`` the number of the scheduling cycle that it lay in (0: another step). ``is_over``: the run had ended there,
    and the branch begins before that end. The start of a run is no place to branch: then ``seq`` lies after it.
    """

    seq: int
    asked: int
    at: int
    cycle: int = 0
    is_over: bool = False

    @property
    def text(self) -> str:
        """Why the branch does not begin at the requested seq, "" if it does."""
        if self.seq == self.asked:
            return ""
        if self.seq > self.asked:
            return f"The start of the run takes its first {self.seq:,} events. The branch begins after them."
        if self.is_over:
            return f"The run ends with event {self.seq}. The branch begins before it."
        place = f"cycle {self.cycle:,}" if self.cycle else "a step of the engine"
        return f"Event {self.asked} is inside {place}. The branch begins before it, with event {self.seq}."


class Branch(msgspec.Struct):
    """A branch at its beginning: ``simulation`` is the run restored there, with the inputs of the branch."""

    simulation: Simulation
    point: BranchPoint

    @property
    def inputs(self) -> RunInputs:
        """Everything that the branch depends on."""
        return self.simulation.inputs


def begin_branch(
    inputs: RunInputs,
    seq: int,
    changes: Iterable[InputChange],
    make_frameworks: MakeFrameworks,
    keyframes: Keyframes = None,
) -> Branch:
    """The branch that leaves the run of these inputs after its first ``seq`` events.

    ``keyframes`` are those of that run; those of another engine version must not be handed in. Changes whose seq is
    ``seq`` come where the branch begins (see BranchPoint); later ones count the branch's own events. The run's own
    changes after that place stay.

    Raises BranchError, ProfileError for a configuration that cannot work, RecordingError for a bad keyframe.
    """
    chosen = sorted(changes, key=_seq)
    if seq < 0 or (chosen and chosen[0].seq < seq):
        raise BranchError(f"a change at event {chosen[0].seq if chosen else seq} lies before the branch")
    simulation, point = _restored(inputs, seq, make_frameworks, keyframes)
    moved = (msgspec.structs.replace(c, seq=point.seq) if c.seq == seq else c for c in chosen)
    _take(simulation, list(moved))
    return Branch(simulation, point)


def change_at_head(simulation: Simulation, changes: Sequence[InputChange]) -> RunInputs:
    """Apply these changes at the head of a live run, whatever seqs they name, and return the inputs that give
    the same recording from the beginning. Raises BranchError, ProfileError.

    They come before the next step; where the last one recorded nothing, after the next event, or before the end.
    """
    if simulation.finished:
        raise BranchError("the run is over; begin a branch")
    seq = next_change_seq(simulation)
    _take(simulation, [msgspec.structs.replace(change, seq=seq) for change in changes])
    return simulation.inputs


def next_change_seq(simulation: Simulation) -> int:
    """The seq of a change that comes at the head now."""
    return simulation.recorder.head_seq + (simulation.started and not simulation.is_after_event)


def _restored(
    inputs: RunInputs, seq: int, make_frameworks: MakeFrameworks, keyframes: Keyframes
) -> tuple[Simulation, BranchPoint]:
    """The run at the end of the last step that left at most ``seq`` events and did not end it."""
    simulation = _resumed(inputs, seq, make_frameworks, keyframes)
    recorder, context = simulation.recorder, simulation.context
    begins, cycle, is_over, is_first = recorder.head_seq, context.cycle, False, simulation.is_after_event
    simulation.stays_open = True
    while recorder.head_seq < seq and not is_over:
        begins, cycle, is_first = recorder.head_seq, context.cycle, simulation.is_after_event
        is_over = not simulation.step()
    simulation.stays_open = False
    head = recorder.head_seq
    if head + is_over < seq:
        raise BranchError(f"the run has {head + 1:,} events; there is no event {seq:,}")
    if head == seq:
        begins, is_first = head, simulation.is_after_event
    inside = context.cycle if head > seq and context.cycle > cycle else 0
    if head > begins or (simulation.started and not is_first):
        simulation = _first_at(inputs, begins, make_frameworks, keyframes)
    point = BranchPoint(seq=begins, asked=seq, at=simulation.now(), cycle=inside, is_over=is_over)
    return _after_start(simulation, point)


def _resumed(inputs: RunInputs, seq: int, make_frameworks: MakeFrameworks, keyframes: Keyframes) -> Simulation:
    """The run at its newest keyframe that has at most ``seq`` events and lies before its end."""
    while keyframes is not None:
        simulation = checkpoint.restore(inputs, keyframes(seq), make_frameworks)
        head = simulation.recorder.head_seq
        if head > seq:
            raise BranchError(f"the keyframe lies after event {seq:,}")
        if not simulation.finished:
            return simulation
        seq = head - 1
    return Simulation(inputs, make_frameworks)


def _first_at(inputs: RunInputs, seq: int, make_frameworks: MakeFrameworks, keyframes: Keyframes) -> Simulation:
    """The run at the first moment at which it has ``seq`` events.

    Steps that record nothing may follow at the same seq, and a change takes effect before them."""
    simulation = _resumed(inputs, seq, make_frameworks, keyframes)
    if simulation.recorder.head_seq == seq and simulation.started and not simulation.is_after_event:
        simulation = _resumed(inputs, seq - 1, make_frameworks, keyframes)
    while simulation.recorder.head_seq < seq:
        simulation.step()
    return simulation


def _after_start(simulation: Simulation, point: BranchPoint) -> tuple[Simulation, BranchPoint]:
    """Nothing comes before the start, which is one step."""
    if simulation.started:
        return simulation, point
    simulation.step()
    return simulation, msgspec.structs.replace(point, seq=simulation.recorder.head_seq)


def _take(simulation: Simulation, changes: Sequence[InputChange]) -> None:
    inputs = simulation.inputs
    for change in changes:
        _check(simulation, change)
    together = tuple(sorted((*inputs.changes, *changes), key=_seq))
    merged = msgspec.structs.replace(inputs, changes=together)
    _, policies = settings_after(inputs, simulation.change_position)
    for change in changes:
        if change.action == "set_policies" and policies.differs(change.object, OF_THE_START):
            raise BranchError(f"{', '.join(OF_THE_START)} say with what a run begins. They cannot change later")
        if change.action == "configure":
            simulation.try_configuration(change.object)
    simulation.take_inputs(merged)


_TYPES: dict[str, tuple[type[Any], ...]] = {
    "put": _KINDS,
    "delete": _KINDS,
    "configure": (SchedulerConfiguration,),
    "set_policies": (Policies,),
    "switch_off": (int,),
}


def _check(simulation: Simulation, change: InputChange) -> None:
    """Whether the change can come at the simulation's head or later."""
    if change.action not in _TYPES or not isinstance(change.object, _TYPES[change.action]):
        raise BranchError(f'no change "{change.action}" of a {type(change.object).__name__}')
    if change.action == "switch_off":
        n_entries, done = len(simulation.inputs.timeline.entries), simulation.timeline_position
        if not 0 <= change.object < n_entries:
            raise BranchError(f"the timeline has {n_entries:,} entries; there is no entry {change.object:,}")
        if change.object < done:
            raise BranchError(
                f"entry {change.object:,} of the timeline was carried out before the branch. Begin it at the event"
                " that the entry caused"
            )


def carry_out(simulation: Simulation, changes: Sequence[InputChange]) -> None:
    """Apply these changes at once, in their order, as the first steps of a branch from here do. For trials: a run
    notes changes at its head with `change_at_head`. Raises BranchError, ProfileError.
    """
    head = simulation.recorder.head_seq
    _take(simulation, [msgspec.structs.replace(change, seq=head) for change in changes])
    for _ in changes:
        simulation.step()
