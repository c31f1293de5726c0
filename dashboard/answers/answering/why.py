"""The first answer of a page: what keeps a pod off nodes, by the attempt of a cycle or before any was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.explain.cause import beside_input, diagnosis_at, diagnosis_of_attempt
from scheduler_core.explain.pending import AttemptHistory
from scheduler_core.explain.rivals.answer import pod_of_cycle
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.recording.events import CycleFinished

if TYPE_CHECKING:
    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import RefusedThere, UntriedOf, WhyOf
    from scheduler_core.explain.diagnosis.model import Diagnosis
    from scheduler_core.recording.events import AnyEvent
    from scheduler_core.recording.reader import RecordingReader


def diagnose_cycle(source: Source, question: WhyOf, limit: TimeLimit) -> Diagnosis | None:
    """Say what keeps the cycle's pod off nodes; raises RecordingError for a cycle that is not recorded.

    One attempt on the state that the cycle found is all it takes, so that the limit is not asked.
    """
    return diagnosed(source, question.cycle, question.seq)


def refused_there(source: Source, question: RefusedThere, limit: TimeLimit) -> Diagnosis | None:
    """Say why the real scheduler refused the pod that the cycle placed; None where the input shows what decides. Raises
    RecordingError for a cycle that is not recorded."""
    pod = source.read(lambda reader: pod_of_cycle(reader, question.cycle))
    return beside_input(None, source.trials(question.cycle).pod(pod), source.inputs, "")


def untried(source: Source, question: UntriedOf, limit: TimeLimit) -> Diagnosis | None:
    """Say why the pod was not tried yet; None of a pod that is on a node, gone or not there. Raises RecordingError
    behind the head.
    """
    followed = source.followed

    def at_moment(reader: RecordingReader) -> Diagnosis | None:
        cluster = followed.at(reader, question.seq)
        uid = cluster.state.uids.get(question.pod, "")
        history = AttemptHistory(source.inputs, question.pod, uid, question.seq)
        history.objects = cluster.objects
        return diagnosis_at(TrialsOf(reader, source.inputs, source.extenders()), history, None)

    return source.read(at_moment)


def diagnosed(source: Source, cycle: int, seq: int = 0) -> Diagnosis | None:
    """What keeps the pod of a cycle off nodes, as of the first `seq` events (0: those up to the cycle's end)."""
    pod = source.read(lambda reader: pod_of_cycle(reader, cycle))
    events = source.read(lambda reader: _of_cycle(reader, cycle, seq))
    message = next((one.message for one in events if isinstance(one, CycleFinished)), "")
    trials = source.trials(cycle)
    diagnosis = diagnosis_of_attempt(trials, pod, events, message)
    return None if diagnosis is None else beside_input(diagnosis, trials.pod(pod), source.inputs, message)


def _of_cycle(reader: RecordingReader, cycle: int, seq: int) -> list[AnyEvent]:
    """The cycle's events with those of its binding, which come between others."""
    first, last = reader.cycle_span(cycle)
    events = reader.events(first, max(seq, last + 1))
    return [event for _, event in events if getattr(event, "cycle", cycle) == cycle]
