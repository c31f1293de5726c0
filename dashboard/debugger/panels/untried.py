"""A selected pod without an attempt before the cursor: where it is instead."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.labels import LANES, split_key
from dashboard.debugger.panels.standing import standing_of
from scheduler_core.recording.state import lanes
from scheduler_core.recording.times import span

if TYPE_CHECKING:
    from scheduler_core.recording.state import QueueEntry, RunState


AWAY = "not in the cluster at this moment"
FOREIGN = ("none", "another scheduler's", "dash")
# At most this many pods ahead of it are named, those that are popped first.
SHOWN_AHEAD = 12


@dataclass(frozen=True)
class Ahead:
    """A pod before it in activeQ, at its `place`; `uid` is "" for the first pod of its name."""

    place: int
    key: str
    uid: str
    priority: int


@dataclass(frozen=True)
class UntriedPod:
    """The pod's name in parts, and in words where it is at the cursor.

    `pill` is meaning, word and glyph of its state. `state` names what it waits for: active, gated, waiting
    (another lane), placed, decided, gone, foreign or away. `node` is where a placed one runs, and where the room of a
    decided one is held; `scheduler` the one that a foreign one is for, `since` for how long it is where it is (""
    unknown). `ahead` are the first of `n_ahead` pods. `gated_by` is the PreEnqueue plugin that keeps a gated one out of
    activeQ, `gates` its scheduling gates.
    """

    namespace: str
    name: str
    place: str
    state: str
    pill: tuple[str, str, str]
    priority: int | None = None
    since: str = ""
    node: str = ""
    n_ahead: int = 0
    ahead: tuple[Ahead, ...] = ()
    gated_by: str = ""
    gates: tuple[str, ...] = ()
    scheduler: str = ""

    @property
    def more_ahead(self) -> int:
        """Return the number of further pods ahead of it."""
        return self.n_ahead - len(self.ahead)

    @property
    def template(self) -> str:
        """Return the partial of its state."""
        return f"debugger/untried/_{self.state}.html"


def untried_pod(state: RunState, pod: str, uid: str, gates: tuple[str, ...] = (), scheduler: str = "") -> UntriedPod:
    """Return where a pod without an attempt is: its place in the queue, its node, or that it is not there.

    `uid` tells which pod of that name is meant, as in the recording ("" is the first); `gates` are its own,
    `scheduler` is the one that it is for where that is none of the run's.
    """
    bare = UntriedPod(*split_key(pod), AWAY, "away", standing_of(state, pod, uid).pill)
    entry, placement = state.queue.get(pod), state.placements.get(pod)
    if state.uids.get(pod, "") != uid:
        return bare
    if entry is not None:
        since = span(state.at - entry.since)
        return _queued(state, pod, entry, replace(bare, priority=entry.priority, since=since, gates=gates))
    if placement is not None and placement.of_input:
        place = f"decided by the input for {placement.node}, where its room is held"
        return replace(bare, place=place, state="decided", node=placement.node)
    if placement is not None:
        place = f"not tried in this run, it runs on {placement.node}"
        return replace(bare, place=place, state="placed", node=placement.node)
    if pod in state.gone:
        return replace(bare, place=f"gone: {state.gone[pod] or 'deleted'}", state="gone")
    if scheduler:
        return replace(
            bare, place=f"not tried, it is for {scheduler}", state="foreign", pill=FOREIGN, scheduler=scheduler
        )
    return bare


def _queued(state: RunState, pod: str, entry: QueueEntry, bare: UntriedPod) -> UntriedPod:
    if entry.lane != "active":
        gate = f" by {entry.gated_by}" if entry.gated_by else ""
        kind = "gated" if entry.lane == "gated" else "waiting"
        place_text = f"not tried yet, {LANES[entry.lane]}{gate}"
        return replace(bare, place=place_text, state=kind, gated_by=entry.gated_by or "")
    order = lanes(state).active
    before = next(i for i, (key, _) in enumerate(order) if key == pod)
    shown = enumerate(order[: min(before, SHOWN_AHEAD)], start=1)
    ahead = tuple(Ahead(place, key, state.uids.get(key, ""), one.priority) for place, (key, one) in shown)
    place = f"not tried yet, place {grouped(before + 1)} in activeQ"
    return replace(bare, place=place, state="active", n_ahead=before, ahead=ahead)
