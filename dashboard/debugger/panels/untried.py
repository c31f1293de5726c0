"""A selected pod that had no attempt yet at the cursor: where it stands instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.labels import LANES, split_key
from scheduler_core.recording.state import lanes

if TYPE_CHECKING:
    from scheduler_core.recording.state import RunState


AWAY = "not in the cluster at this moment"


@dataclass(frozen=True)
class UntriedPod:
    """The pod's name in parts, and in words where it is at the cursor."""

    namespace: str
    name: str
    place: str


def untried_pod(state: RunState, pod: str, uid: str) -> UntriedPod:
    """Return where a pod without an attempt is: its place in the queue, its node, or that it is not there.

    `uid` tells which pod of that name is meant, as in the recording ("" is the first).
    """
    namespace, name = split_key(pod)
    is_there = state.uids.get(pod, "") == uid
    return UntriedPod(namespace, name, _place(state, pod) if is_there else AWAY)


def _place(state: RunState, pod: str) -> str:
    entry, placement = state.queue.get(pod), state.placements.get(pod)
    if entry is not None and entry.lane == "active":
        place = next(i for i, (key, _) in enumerate(lanes(state).active, start=1) if key == pod)
        return f"not tried yet, place {grouped(place)} in activeQ"
    if entry is not None:
        gate = f" by {entry.gated_by}" if entry.gated_by else ""
        return f"not tried yet, {LANES[entry.lane]}{gate}"
    if placement is not None:
        return f"not tried in this run, it runs on {placement.node}"
    if pod in state.gone:
        return f"gone: {state.gone[pod] or 'deleted'}"
    return AWAY
