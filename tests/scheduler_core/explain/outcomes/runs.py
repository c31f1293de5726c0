"""Runs that these tests sum up."""

from __future__ import annotations

from scheduler_core.explain.outcomes import Outcomes, OutcomesTally, summarize, tally_recording
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import RunInputs, RunSession


def recorded(inputs: RunInputs, cycles: int | None = None, registry=None) -> tuple[RunSession, RecordingReader]:
    """The run at its end, or after so many cycles, and a reader of its recording in several chunks."""
    session = RunSession.start(inputs, registry)
    store, left = MemoryStore(session.initial_keyframe()), cycles
    while True:
        finished = session.advance(7 if left is None else min(7, left))
        store.add(session.cut_chunk())
        left = None if left is None else left - 7
        if finished or (left is not None and left <= 0):
            return session, RecordingReader(store)


def tallied(inputs: RunInputs, cycles: int | None = None, registry=None) -> tuple[RunSession, OutcomesTally]:
    """The run and its tally."""
    session, reader = recorded(inputs, cycles, registry)
    return session, tally_recording(inputs, reader)


def summed_up(inputs: RunInputs, cycles: int | None = None, registry=None) -> Outcomes:
    """The summary of the run."""
    return summarize(tallied(inputs, cycles, registry)[1])


def group_of(outcomes: Outcomes, pod: str):
    """The group of the last pod of this name."""
    return outcomes.groups[[one for one in outcomes.pods if one.pod == pod][-1].group]


def said(group) -> str:
    """A group's evidence as one text."""
    return "".join(part.text for part in group.evidence)
