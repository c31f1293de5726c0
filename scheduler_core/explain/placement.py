"""Where a placed pod is: when it was bound, in which attempt, what came second and by how much, among how many ties."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.explain.diagnosis.model import PlacementAnswer
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.explain.pending.history import AttemptHistory
from scheduler_core.explain.pending.model import PendingAttempt
from scheduler_core.recording import events as ev
from scheduler_core.recording import state as recorded
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.times import clock


def find_placement(reader: RecordingReader, history: AttemptHistory) -> PlacementAnswer | None:
    """The placement at the history's seq; None for a pod that is on no node, or decided for one by the input alone."""
    at = reader.state_at(history.seq).placements.get(history.pod)
    return None if at is None or at.of_input else placed(reader, at, history.attempts)


def placed(reader: RecordingReader, at: recorded.Placement, attempts: Sequence[PendingAttempt]) -> PlacementAnswer:
    """The same of a pod that the recorded state has on a node, with its attempts."""
    attempt = next((one for one in reversed(attempts) if one.cycle == at.cycle and at.cycle), None)
    if attempt is None:
        text = (
            f"It is on {at.node}, where the input has it." if not at.at else f"It is on {at.node} since {clock(at.at)}."
        )
        return PlacementAnswer(node=at.node, at=at.at, text=text)
    chosen = next(
        (one for _, one in reader.events(attempt.first_seq, attempt.last_seq + 1) if isinstance(one, ev.HostSelected)),
        None,
    )
    lead = chosen.total - chosen.second_total if chosen is not None and chosen.second and chosen.total >= 0 else 0
    return PlacementAnswer(
        node=at.node,
        at=at.at,
        attempt=attempt.number,
        runner_up=chosen.second if chosen is not None else "",
        lead=lead,
        tied=chosen.tie_count if chosen is not None else 1,
        text=_text(at.node, at.at, attempt.number, chosen, lead),
    )


def _text(node: str, at: int, number: int, chosen: ev.HostSelected | None, lead: int) -> str:
    head = f"It was bound to {node} at {clock(at)}, in attempt {number}"
    if chosen is None or chosen.total < 0 or not chosen.second:
        return f"{head}; no other node fitted." if chosen is not None and chosen.tie_count < 2 else f"{head}."
    if chosen.tie_count > 1:
        return f"{head}, drawn among {plural(chosen.tie_count, 'node')} with the best total of {chosen.total:,}."
    return f"{head}, {plural(lead, 'point')} ahead of {chosen.second}."
