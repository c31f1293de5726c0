"""Who took the room on the nodes that a pod is allowed on, since the start of the run, and by which preemptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from scheduler_core.explain.pending.chains import preemption_chains
from scheduler_core.explain.pending.taken_capacity import taken_capacity
from scheduler_core.profiles.names import SELECTING
from scheduler_core.recording.vocabulary import NOT_VISITED

if TYPE_CHECKING:
    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import ChainsOf, RoomTaken
    from scheduler_core.explain.pending.model import PreemptionGraph, Taken, Taker
    from scheduler_core.recording import Frame
    from scheduler_core.recording.state import RunState

SHOWN = 12


class TakerShare(msgspec.Struct, frozen=True):
    """Pods of one owner and priority: how many, what they request together, and in which cycles they were placed."""

    owner: str
    priority: int
    pods: int
    requested: dict[str, int]
    first_cycle: int
    last_cycle: int


class RoomAnswer(msgspec.Struct, frozen=True):
    """The first of `n_takers` by what they took, on `n_nodes` nodes; sums by resource of what was there at the start,
    of what left since, and of what is there when the cycle begins: before + taken - left = now."""

    n_nodes: int = 0
    takers: tuple[TakerShare, ...] = ()
    n_takers: int = 0
    before: dict[str, int] = {}
    left: dict[str, int] = {}
    now: dict[str, int] = {}
    allocatable: dict[str, int] = {}


def taken(source: Source, question: RoomTaken, limit: TimeLimit) -> RoomAnswer:
    """Sum up who took the room; raises RecordingError for a cycle that is not recorded."""
    room = _taken(source, question.cycle)
    if room is None:
        return RoomAnswer()
    return RoomAnswer(
        n_nodes=len(room.nodes),
        takers=tuple(_share(one) for one in room.takers[:SHOWN]),
        n_takers=len(room.takers),
        before=room.before,
        left=room.left,
        now=room.now,
        allocatable=room.allocatable,
    )


def chains(source: Source, question: ChainsOf, limit: TimeLimit) -> PreemptionGraph:
    """Follow preemptors and victims; raises RecordingError for a cycle that is not recorded."""
    room = _taken(source, question.cycle) if question.cycle is not None else None
    around = [question.pod, *(pod for taker in (room.takers if room is not None else ()) for pod in taker.pods)]
    inputs = source.inputs
    return source.read(lambda reader: preemption_chains(reader, inputs, around, question.seq))


def _taken(source: Source, cycle: int) -> Taken | None:
    """Who took the room since the start of the run; None where the cycle ended before any node was looked at."""
    frame = source.read(lambda reader: reader.frame(cycle))
    if frame is None:
        return None
    first_seq = source.read(lambda reader: reader.cycle_span(cycle)[0])
    followed = source.followed
    followed_state = source.read(lambda reader: followed.at(reader, first_seq))
    return taken_capacity(
        source.state(0), followed_state.state, followed_state.objects, _allowed(frame, followed_state.state)
    )


def _share(one: Taker) -> TakerShare:
    return TakerShare(one.owner, one.priority, len(one.pods), one.requested, one.cycles[0], one.cycles[-1])


def _allowed(frame: Frame, state: RunState) -> list[str]:
    """The nodes that the cycle looked at, but for those that the pod itself leaves out by name or labels."""
    selecting = [i for i, name in enumerate(frame.filter_plugins) if name in SELECTING]
    outside = (frame.codes[selecting] != 0).any(axis=0) if selecting else np.zeros(frame.n_rows, dtype=np.bool_)
    inside = (frame.decisive != NOT_VISITED) & ~outside
    return [name for name, row in state.nodes.items() if row < frame.n_rows and inside[row]]
