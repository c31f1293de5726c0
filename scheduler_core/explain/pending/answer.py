"""Why a pod is pending, by its recorded history: its cause, groups of nodes, attempts, and changes between them."""

from __future__ import annotations

from scheduler_core.explain.diagnosis.model import Diagnosis, EqualNodes
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.explain.pending.between import between_all
from scheduler_core.explain.pending.history import AttemptHistory
from scheduler_core.explain.pending.model import DominantReason, PendingAttempt, RefusedNodeGroup, WhyPending
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.state import RunState


def why_pending(
    reader: RecordingReader, history: AttemptHistory, diagnosis: Diagnosis | None, attempt: int = 0
) -> WhyPending:
    """The answer as of the history's seq, with what was ``found`` of the attempt (None: nothing keeps the pod off).

    Raises ValueError, saying how many there are, for an attempt that is not there.
    """
    state = reader.state_at(history.seq)
    shown = attempt_shown(history, attempt)
    name, node = pod_state(history, state)
    return WhyPending(
        pod=history.pod,
        seq=history.seq,
        at=state.at,
        state=name,
        because=_because(history, state, name, diagnosis),
        attempts=tuple(history.attempts),
        between=between_all(reader, history.attempts),
        groups=tuple(map(_group, diagnosis.groups)) if diagnosis is not None else (),
        message=shown.message if shown is not None else "",
        node=node,
    )


def attempt_shown(history: AttemptHistory, attempt: int) -> PendingAttempt | None:
    """The attempt of this number, the last for 0; None where there is none. Raises ValueError for another number."""
    if not attempt:
        return history.attempts[-1] if history.attempts else None
    chosen = next((one for one in history.attempts if one.number == attempt), None)
    if chosen is None:
        raise ValueError(f"{history.pod} was tried {plural(len(history.attempts), 'time')}, not {attempt:,}")
    return chosen


def pod_state(history: AttemptHistory, state: RunState) -> tuple[str, str]:
    """(the pod's state as of WhyPending, its node)."""
    placement, entry = state.placements.get(history.pod), state.queue.get(history.pod)
    if history.pod in state.gone and placement is None and entry is None:
        return "gone", ""
    if placement is not None:
        return "decided" if placement.of_input else "placed", placement.node
    if entry is not None and entry.lane == "gated":
        return "gated", ""
    if history.object is None:
        return "unknown", ""
    return ("pending" if history.attempts else "untried"), ""


def _because(history: AttemptHistory, state: RunState, name: str, diagnosis: Diagnosis | None) -> DominantReason:
    """The cause in the older form of the answer, or a sentence on a pod that has none."""
    if diagnosis is not None:
        cause = diagnosis.cause
        return DominantReason(cause.text, plugin=cause.plugins[0] if cause.plugins else "")
    if name == "gone":
        return DominantReason(f"It is gone: {state.gone[history.pod]}" if state.gone[history.pod] else "It is gone")
    said = {"placed": "It has a node", "decided": "It is decided and not bound", "unknown": "It is not known"}
    return DominantReason(said.get(name, "It was not tried yet"))


def _group(one: EqualNodes) -> RefusedNodeGroup:
    """Nodes with equal obstacles in the older form: counted under the plugin that refused first."""
    hidden = tuple((plugin, one.count) for plugin in one.plugins if plugin != one.counted)
    return RefusedNodeGroup(
        plugin=one.counted,
        reasons=one.reasons,
        nodes=one.nodes,
        title="; ".join(one.texts),
        shared=one.shared,
        unresolvable=one.unresolvable,
        only=0 if hidden else one.count,
        hidden=hidden,
    )
