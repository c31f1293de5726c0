"""A run as it was between two of its steps, made again from its inputs and a keyframe of its recording.

The engine resumes at the keyframe and carries out again what was recorded after it. Columns, queue, nominations,
pods on Permit and the state of plugins are therefore those that the run had, not what could be gathered of them from
events.
"""

from __future__ import annotations

from scheduler_core.engine import checkpoint
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.engine.simulation import MakeFrameworks, Simulation


def restore_at(inputs: RunInputs, keyframe: bytes, seq: int, make_frameworks: MakeFrameworks) -> Simulation:
    """The run at the end of the last step that left at most ``seq`` events; ``recorder.head_seq`` says how many.

    ``keyframe`` must not be later than ``seq``. A seq inside of a step costs a second resume, as steps are not taken
    back: for the beginning of a cycle hand in the seq of the event before its CycleStarted.
    Raises RecordingError or msgspec.ValidationError for a bad keyframe.
    """
    simulation = checkpoint.restore(inputs, keyframe, make_frameworks)
    n_steps = _steps_until(simulation, seq)
    if simulation.recorder.head_seq <= seq:
        return simulation
    simulation = checkpoint.restore(inputs, keyframe, make_frameworks)
    for _ in range(n_steps - 1):
        simulation.step()
    return simulation


def _steps_until(simulation: Simulation, seq: int) -> int:
    """Step until the head is at ``seq`` or beyond. Returns how many steps it took."""
    n_steps = 0
    while simulation.recorder.head_seq < seq and not simulation.finished:
        simulation.step()
        n_steps += 1
    return n_steps
