"""The pods of an input that wait, by the cause of each: what an import shows before anything is saved.

The pods are run by the default configuration in memory. Of pods with one owner and one message one is diagnosed, as its
Why page is; pods with one cause are a row. Both end with the caller's deadline, and how many causes were computed until
then is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.engine.inputs import RunInputs, start_pods
from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport
from scheduler_core.explain.cause import diagnosis_at
from scheduler_core.explain.diagnosis.model import ObstacleSet
from scheduler_core.explain.doubts.answer import policies_followed
from scheduler_core.explain.pending import attempt_history, attempt_shown
from scheduler_core.explain.real_report import Verdict, real_report
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.manifests import LoadResult
from scheduler_core.recording import RecordingReader
from scheduler_core.recording.events import CycleFinished, CycleStarted

MOST_NAMED = 50
_EQUAL = ("equal", "counts-equal")


class WaitingCause(msgspec.Struct, kw_only=True):
    """Pods with one cause: its ``text``, ``codes``, who can act, how many pods there are and the first of them
    (namespace/name); of how many the real scheduler said the same (``equal``) or something else (``differ``), by the
    input, and the first ``message`` of it, one that differs where there is one. ``is_placed``: this run places them,
    and the real scheduler refused them."""

    text: str
    codes: tuple[str, ...] = ()
    actor: str = ""
    pods: list[str] = []
    count: int = 0
    equal: int = 0
    differ: int = 0
    message: str = ""
    is_placed: bool = False


class WaitingCauses(msgspec.Struct, kw_only=True):
    """The causes, those of the most pods first; ``n_waiting`` pods in all, ``n_computed`` of them with a cause that was
    computed."""

    causes: list[WaitingCause] = []
    n_waiting: int = 0
    n_computed: int = 0


class _Waiting(NamedTuple):
    """A pod of the input without a node, what this run says of it and where it puts it."""

    pod: Pod
    message: str
    node: str


def waiting_causes(
    loaded: LoadResult,
    reports: Mapping[str, SchedulerReport],
    record: Callable[[RunInputs], RecordingReader | None],
    is_over: Callable[[], bool],
    note: Callable[[WaitingCause, Pod], None] = lambda cause, pod: None,
) -> WaitingCauses:
    """The causes of the pods of ``loaded`` that wait; ``reports``: what the real scheduler said, by namespace/name;
    ``record`` carries a run out, None where there was no time for it; ``note`` is called with each pod that has a
    cause."""
    inputs = RunInputs(
        objects=loaded.objects, unplayed=loaded.unplayed, schedule="pending", policies=policies_followed(loaded)
    )
    waiting = {pod.key: pod for pod in start_pods(inputs) if not pod.node_name and not pod.is_terminal}
    if not waiting:
        return WaitingCauses()
    reader = record(inputs)
    if reader is None:
        return WaitingCauses(n_waiting=len(waiting))
    rows: dict[object, WaitingCause] = {}
    alike: dict[object, tuple[object, WaitingCause] | None] = {}
    n_computed = n_there = 0
    for one in _outcomes(reader, waiting):
        report = reports.get(one.pod.key)
        if one.node and (report is None or not report.message) and one.pod.key not in loaded.unplayed.said:
            continue
        n_there += 1
        key = _likeness(one)
        if key not in alike:
            alike[key] = None if is_over() else _cause_of(reader, inputs, one)
        of_its_kind = alike[key]
        if of_its_kind is None:
            continue
        n_computed += 1
        row = rows.setdefault(*of_its_kind)
        _count(row, one, report, len(loaded.objects.nodes))
        note(row, one.pod)
    causes = sorted(rows.values(), key=lambda row: -row.count)
    return WaitingCauses(causes=causes, n_waiting=n_there, n_computed=n_computed)


def _outcomes(reader: RecordingReader, waiting: Mapping[str, Pod]) -> Iterator[_Waiting]:
    """Each pod with the message of its last attempt and its node at the end of the run."""
    state = reader.state_at(reader.head_seq())
    messages: dict[str, str] = {}
    cycles: dict[int, str] = {}
    for _, event in reader.events(0, reader.head_seq()):
        if isinstance(event, CycleStarted):
            cycles[event.cycle] = event.pod
        elif isinstance(event, CycleFinished):
            messages[cycles.get(event.cycle, "")] = event.message
    for key, pod in waiting.items():
        placement = state.placements.get(key)
        yield _Waiting(pod, messages.get(key, ""), placement.node if placement is not None else "")


def _likeness(one: _Waiting) -> object:
    """What pods share of which one is diagnosed: owner, message and node; a pod without an owner is its own."""
    owner = next((owner for owner in one.pod.owner_references if owner.controller), None)
    if owner is None:
        return one.pod.key
    return owner.kind, one.pod.namespace, owner.name, one.message, bool(one.node), one.pod.priority


def _cause_of(reader: RecordingReader, inputs: RunInputs, one: _Waiting) -> tuple[object, WaitingCause] | None:
    """The cause of a pod, and what makes it the same for others."""
    history = attempt_history(reader, inputs, one.pod.key, reader.head_seq())
    diagnosis = diagnosis_at(TrialsOf(reader, inputs), history, attempt_shown(history, 0))
    if diagnosis is not None:
        cause = diagnosis.cause
        return _key(cause), WaitingCause(text=cause.text, codes=cause.codes, actor=cause.actor)
    if not one.node:
        return None
    text = "The real scheduler refused them, and this run places them."
    return "placed", WaitingCause(text=text, codes=("REAL_SCHEDULER_DIFFERS",), actor="other", is_placed=True)


def _key(cause: ObstacleSet) -> object:
    """Equal for causes that differ at most in the pod: the codes, the subjects, and what is needed."""
    return tuple((one.code, one.subject, tuple(sorted(one.needs.items()))) for one in cause.obstacles) or cause.codes


def _count(row: WaitingCause, one: _Waiting, report: SchedulerReport | None, n_nodes: int) -> None:
    row.count += 1
    if len(row.pods) < MOST_NAMED:
        row.pods.append(one.pod.key)
    real = real_report(report, one.message, one.node, n_nodes) if report is not None else None
    verdict: Verdict | None = real.verdict if real is not None else None
    if verdict is None or report is None:
        return
    is_equal = verdict in _EQUAL
    if not row.message or (not is_equal and not row.differ):
        row.message = report.message
    row.equal += is_equal
    row.differ += not is_equal
