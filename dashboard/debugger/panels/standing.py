"""The state of a pod at a cursor, for every header that shows one.

It follows from the recorded state at the cursor alone, so that no header says how the pod ended while the cursor is
before that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scheduler_core.explain.outcomes import COMPLETED, DELETED, LOST, PREEMPTED
from scheduler_core.explain.outcomes.reasons import kind_of_cause

if TYPE_CHECKING:
    from scheduler_core.recording.state import Placement, RunState

LANE_LOOKS = {
    "active": ("queue", "dot"),
    "backoff": ("backoff", "clock"),
    "error_backoff": ("error", "alert"),
    "unschedulable": ("unsched", "x"),
    "gated": ("gated", "lock"),
    "in_flight": ("wait", "hour"),
    "": ("bound", "check"),
}
"""Meaning and glyph of each lane of the queue."""
_LANE_WORDS = {
    "active": "in activeQ",
    "backoff": "in backoffQ",
    "error_backoff": "in backoffQ after an error",
    "unschedulable": "unschedulable",
    "gated": "gated",
    "in_flight": "in flight",
}
_GONE = {
    PREEMPTED: ("victim", "preempted", "eject"),
    LOST: ("victim", "lost with its node", "eject"),
    COMPLETED: ("bound", "completed", "check"),
    DELETED: ("none", "deleted", "eject"),
}


@dataclass(frozen=True)
class Standing:
    """The state of a pod: meaning, word and glyph. `until` is the moment at which its wait ended, or the cursor's while
    it `still_waits`; None where it did not wait or is gone."""

    meaning: str
    word: str
    glyph: str
    until: int | None = None
    still_waits: bool = False

    @property
    def pill(self) -> tuple[str, str, str]:
        """Return meaning, word and glyph."""
        return self.meaning, self.word, self.glyph


AWAY = Standing("none", "not there", "dash")


def standing_of(state: RunState, pod: str, uid: str) -> Standing:
    """Return the state of a pod; `uid` is the recorded uid of one of several pods of that name, "" for the first."""
    if state.uids.get(pod, "") != uid:
        return AWAY
    if (placement := state.placements.get(pod)) is not None:
        return _placed(state, pod, placement)
    if (entry := state.queue.get(pod)) is not None:
        meaning, glyph = LANE_LOOKS[entry.lane]
        return Standing(meaning, _LANE_WORDS[entry.lane], glyph, state.at, still_waits=True)
    if pod in state.gone:
        return Standing(*_GONE[kind_of_cause(state.gone[pod])])
    return AWAY


def _placed(state: RunState, pod: str, placement: Placement) -> Standing:
    if pod in state.terminating:
        return Standing(_GONE[kind_of_cause(state.terminating[pod])][0], "terminating", "eject")
    if placement.of_input:
        return Standing("wait", "decided, not bound", "hour")
    if not placement.bound:
        word = "waiting at Permit" if pod in state.waiting else "binding"
        return Standing("wait", word, "hour", state.at, still_waits=True)
    if placement.cycle:
        return Standing("bound", "bound", "check", placement.at)
    return Standing("bound", "bound" if placement.at else "bound before the run", "check")
