"""Restores the state of a recorded run at a cursor, for answers that try changes on it.

>>> trials = at_cycle(reader, inputs, 62)                                      # doctest: +SKIP
>>> trial = trials.attempt("shop/web-4")              # what cycle 62 decided   # doctest: +SKIP
>>> edited = msgspec.structs.replace(trials.pod("shop/web-4"), tolerations=()) # doctest: +SKIP
>>> trials.attempt("shop/web-4", Changes(pod=edited)).node                     # doctest: +SKIP

Restoring resumes the engine at the newest keyframe and carries out what was recorded after it: up to some thousand
events, so seconds where nodes are many. A ``Trials`` may be kept for more questions at the same cursor, by one thread
at a time. The inputs must be those of the run, and the engine of the same version (``ENGINE_VERSION``) as the one that
recorded it: ``differs`` says whether a cycle is decided as it was recorded.
"""

from __future__ import annotations

from typing import NamedTuple

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.restore import restore_at
from scheduler_core.engine.trials.trial import Points, Trial, Trials
from scheduler_core.extenders.calls import ExtenderSource
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.profiles.registry import Registry
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader

__all__ = ["Changes", "Points", "Trial", "Trials", "TrialsOf", "at_cycle", "at_seq", "differs"]


def at_seq(
    reader: RecordingReader,
    inputs: RunInputs,
    seq: int,
    registry: Registry | None = None,
    extenders: ExtenderSource | None = None,
) -> Trials:
    """Trials on the state after the first ``seq`` events, or at the last step's end before that: where the seq lies
    inside of a scheduling cycle, on the state that the cycle found. ``registry``: plugins (None: all installed).
    ``extenders`` answers for those of the configuration, as it did when the run was recorded.

    Raises RecordingError where the recording has no such seq, ProfileError where plugins are missing.
    """
    now = reader.event(seq - 1).at if seq else 0
    return _restored(reader, inputs, (seq, now), registry, extenders)


def at_cycle(
    reader: RecordingReader,
    inputs: RunInputs,
    cycle: int,
    registry: Registry | None = None,
    extenders: ExtenderSource | None = None,
) -> Trials:
    """Trials on the state that a recorded cycle found. Raises as ``at_seq``."""
    started = reader.cycle_span(cycle)[0]
    return _restored(reader, inputs, (max(0, started - 1), reader.event(started).at), registry, extenders)


class TrialsOf(NamedTuple):
    """A run and what answers for its extenders, to restore at one place after the other."""

    reader: RecordingReader
    inputs: RunInputs
    extenders: ExtenderSource | None = None

    def at_seq(self, seq: int) -> Trials:
        """See at_seq."""
        return at_seq(self.reader, self.inputs, seq, extenders=self.extenders)

    def at_cycle(self, cycle: int) -> Trials:
        """See at_cycle."""
        return at_cycle(self.reader, self.inputs, cycle, extenders=self.extenders)


def _restored(
    reader: RecordingReader,
    inputs: RunInputs,
    moment: tuple[int, int],
    registry: Registry | None,
    extenders: ExtenderSource | None,
) -> Trials:
    """Trials at a seq and virtual time."""
    seq, now = moment

    def make(configuration: SchedulerConfiguration, run: RunContext) -> dict[str, Framework]:
        return build_frameworks(configuration, run, registry, extenders)

    simulation = restore_at(inputs, reader.keyframe_bytes(seq), seq, make)
    return Trials(simulation, now)


def differs(reader: RecordingReader, cycle: int, trial: Trial) -> str:
    """The first difference between a trial without changes and the recorded cycle; "" if they agree.

    Compared are the events of the search for a node (verdicts counted, scores of winner and runner-up, node and tie
    set) and the decision of preemption.
    """
    first, last = reader.cycle_span(cycle)
    recorded = {type(event): event for _, event in reader.events(first, last) if isinstance(event, _COMPARED)}
    decided = {type(event): event for event in trial.events if isinstance(event, _COMPARED)}
    for kind in _COMPARED:
        if recorded.get(kind) != decided.get(kind):
            return f"{kind.__name__}: recorded {recorded.get(kind)}, decided now {decided.get(kind)}"
    return _preemption_differs(reader, first, last, trial)


_COMPARED = (ev.NodesFiltered, ev.NodesScored, ev.HostSelected)


def _preemption_differs(reader: RecordingReader, first: int, last: int, trial: Trial) -> str:
    recorded = next((event for _, event in reader.events(first, last) if isinstance(event, ev.PreemptionDecided)), None)
    decided = trial.preemption
    if recorded is None or decided is None:
        return "" if recorded is None and decided is None else f"preemption: recorded {recorded}, decided now {decided}"
    for field in ("eligible", "message", "nominated_node", "criterion", "tied", "potential"):
        if getattr(recorded, field) != getattr(decided, field):
            return f"preemption, {field}: recorded {getattr(recorded, field)}, decided now {getattr(decided, field)}"
    return "" if recorded.candidates == decided.candidates else "preemption: other candidates"
