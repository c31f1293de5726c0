"""Why a pod is pending, by its recorded history: reason, evidence, groups of nodes, attempts, changes between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.engine.inputs import settings_at
from scheduler_core.explain.outcomes.model import Part
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.explain.pending.because import because, selected_by, selector_of
from scheduler_core.explain.pending.between import between_all
from scheduler_core.explain.pending.groups import Terms, groups_of
from scheduler_core.explain.pending.history import AttemptHistory
from scheduler_core.explain.pending.model import (
    AgainstPod,
    DominantReason,
    PendingAttempt,
    RefusedNodeGroup,
    WhyPending,
)
from scheduler_core.explain.pending.nodes import FoundNodes, found_nodes
from scheduler_core.explain.shortfalls import checked_requests
from scheduler_core.recording.frames.frame import Frame
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.state import RunState


class WhyAttempt(msgspec.Struct, frozen=True):
    """Why an attempt found no node: the dominant reason, and the nodes by what stands against the pod."""

    because: DominantReason
    groups: tuple[RefusedNodeGroup, ...] = ()


class AttemptInputs(msgspec.Struct, frozen=True):
    """The inputs of an attempt: the ``pod`` as it was (None if no input has it), those of its ``requests`` that its
    profile compares with nodes, and the nodes as the attempt found them."""

    pod: Pod | None
    requests: Mapping[str, int]
    nodes: FoundNodes


def against_pod(frame: Frame, inputs: AttemptInputs) -> AgainstPod:
    """What stood against the pod by the verdicts of a frame."""
    groups = groups_of(frame, Terms(inputs.nodes, inputs.requests, selector_of(inputs.pod)))
    return AgainstPod(groups, dict(inputs.requests), selected_by(inputs.pod, groups, inputs.nodes.labels))


def why_attempt(attempts: Sequence[PendingAttempt], shown: PendingAttempt, against: AgainstPod) -> WhyAttempt:
    """Why the attempt ``shown`` found no node, and how that is over all ``attempts``; an empty ``against`` is of one
    that ended before any node was looked at."""
    return WhyAttempt(because(attempts, shown, against), against.groups)


def why_pending(reader: RecordingReader, history: AttemptHistory, attempt: int = 0) -> WhyPending:
    """The answer as of the history's seq; groups are those of attempt number ``attempt`` (0: the last).

    Raises ValueError, saying how many there are, for an attempt that is not there.
    """
    state = reader.state_at(history.seq)
    shown = _chosen(history, attempt)
    name, node = _state(history, state)
    why = WhyAttempt(_otherwise(history, state, name))
    if shown is not None and name == "pending":
        why = _explained(reader, history, shown)
    return WhyPending(
        pod=history.pod,
        seq=history.seq,
        at=state.at,
        state=name,
        because=why.because,
        attempts=tuple(history.attempts),
        between=between_all(reader, history.attempts),
        groups=why.groups,
        message=shown.message if shown is not None else "",
        node=node,
    )


def _explained(reader: RecordingReader, history: AttemptHistory, shown: PendingAttempt) -> WhyAttempt:
    nodes, pods = history.inputs_there[history.attempts.index(shown)]
    frame, pod = reader.frame(shown.cycle), pods.get(history.pod)
    if frame is None or pod is None:
        return why_attempt(history.attempts, shown, AgainstPod())
    nodes_found = found_nodes(reader.state_at(shown.first_seq), history.objects, nodes, pods, pod)
    requests = checked_requests(pod, settings_at(history.inputs, shown.first_seq)[0])
    return why_attempt(history.attempts, shown, against_pod(frame, AttemptInputs(pod, requests, nodes_found)))


def _chosen(history: AttemptHistory, attempt: int) -> PendingAttempt | None:
    if not attempt:
        return history.attempts[-1] if history.attempts else None
    chosen = next((one for one in history.attempts if one.number == attempt), None)
    if chosen is None:
        raise ValueError(f"{history.pod} was tried {plural(len(history.attempts), 'time')}, not {attempt:,}")
    return chosen


def _state(history: AttemptHistory, state: RunState) -> tuple[str, str]:
    """(the pod's state as of WhyPending, its node)."""
    placement, entry = state.placements.get(history.pod), state.queue.get(history.pod)
    if history.pod in state.gone and placement is None and entry is None:
        return "gone", ""
    if placement is not None:
        return "placed", placement.node
    if entry is not None and entry.lane == "gated":
        return "gated", ""
    if history.object is None:
        return "unknown", ""
    return ("pending" if history.attempts else "untried"), ""


def _otherwise(history: AttemptHistory, state: RunState, name: str) -> DominantReason:
    """The sentence on a pod that has a node, or was not tried."""
    if name == "placed":
        return DominantReason("It has a node")
    if name == "gone":
        cause = state.gone.get(history.pod, "")
        return DominantReason("It is gone", (Part(cause),) if cause else ())
    if name == "gated":
        gate = state.queue[history.pod].gated_by
        step = f"Take away what {gate} waits for"
        return DominantReason(f"{gate} holds it back, so it is not tried", next_step=step, plugin=gate)
    pod = history.object
    configuration, _ = settings_at(history.inputs, history.seq)
    profiles = {one.scheduler_name for one in configuration.profiles}
    if pod is not None and pod.scheduler_name not in profiles:
        return DominantReason(f"It is for another scheduler: {pod.scheduler_name}")
    return DominantReason("It was not tried yet")
