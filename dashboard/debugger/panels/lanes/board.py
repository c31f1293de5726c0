"""The queue board as of the cursor: lanes in the order in which pods leave them, each a page at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.labels import split_key, wakes
from dashboard.debugger.panels.lanes.heads import HEADS, LaneHead
from scheduler_core.recording.state import QueueEntry, RunState, lanes
from scheduler_core.recording.times import span

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.debugger.inputs.facts import Facts

PAGE = 50

LANES = ("flying", "active", "backoff", "unschedulable", "gated", "gone")


@dataclass(frozen=True)
class BoardPod:
    """A pod in a lane: `place` counts from 1 in the whole lane, `waits` is the time in it, `note` what else is said.

    `share` is what is left of its backoff (None: no bar). `uid` is "" for the first pod of its name in the run;
    `details` say more than fits: sentence parts.
    """

    key: str
    name: str
    namespace: str
    place: int
    waits: str
    note: str = ""
    is_cursor: bool = False
    is_selected: bool = False
    is_moved: bool = False
    is_node: bool = False
    share: float | None = None
    nominated: str = ""
    uid: str = ""
    details: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Return the pod's key with everything known about its place."""
        nominated = (f"nominated to {self.nominated}",) if self.nominated else ()
        return ", ".join((self.key, *nominated, *self.details))


@dataclass(frozen=True)
class BoardLane:
    """A lane: one page of the `matched` pods that the filter lets through, of `count` in it."""

    name: str
    head: LaneHead
    count: int
    matched: int
    pods: list[BoardPod] = field(default_factory=list)
    page: int = 1
    filter: str = ""

    @property
    def more(self) -> int:
        """Return how many pods follow."""
        return max(0, self.matched - self.page * PAGE)

    @property
    def following(self) -> int:
        """Return how many the next page shows."""
        return min(self.more, PAGE)

    @property
    def count_text(self) -> str:
        """Return the count, with a filter "12 of 474"."""
        return f"{grouped(self.matched)} of {grouped(self.count)}" if self.filter else grouped(self.count)

    @property
    def none_text(self) -> str:
        """Return the text of a lane that shows no pod."""
        return f"none of {plural(self.count, 'pod')} matches" if self.count else self.head.none


@dataclass(frozen=True)
class BoardQuery:
    """Which pods: those whose namespace/name holds `text`; `pod` and `uid` are the selected one, "" for none."""

    text: str = ""
    pod: str = ""
    uid: str = ""


Entries = list[tuple[str, QueueEntry]]


@dataclass(frozen=True)
class _Board:
    """What the rows of one moment have in common."""

    state: RunState
    facts: Facts | None
    query: BoardQuery


def board(state: RunState, facts: Facts | None, query: BoardQuery | None = None) -> list[BoardLane]:
    """Return the first page of each lane. Every lane is always there, so that none moves on the page."""
    asked = _Board(state, facts, query or BoardQuery())
    entries = entries_of(state)
    return [_lane(asked, name, entries[name], 1) for name in LANES]


def lane_page(state: RunState, facts: Facts | None, name: str, page: int, query: BoardQuery | None = None) -> BoardLane:
    """Return one page of one lane."""
    return _lane(_Board(state, facts, query or BoardQuery()), name, entries_of(state)[name], page)


def entries_of(state: RunState) -> dict[str, Entries]:
    """Return {lane: (pod, entry)} in the order in which pods leave the lanes; gone pods have their cause as source."""
    queued = lanes(state)
    current = state.current.pod if state.current else ""
    # The pod whose cycle it is stands first, then those that bind, in the order in which they were popped.
    flying = sorted(queued.in_flight, key=lambda item: item[0] != current)
    return {
        "flying": flying,
        "active": queued.active,
        # An error backs off in a queue of its own (backoff_queue.go); what waits is the same, so they share a lane.
        "backoff": sorted(queued.backoff + queued.error_backoff, key=lambda item: item[1].backoff_until or 0),
        "unschedulable": queued.unschedulable,
        "gated": queued.gated,
        "gone": [(key, QueueEntry("", source=cause)) for key, cause in reversed(state.gone.items())],
    }


def _lane(asked: _Board, name: str, entries: Entries, page: int) -> BoardLane:
    text = asked.query.text.lower()
    # The place is counted before the filter: it says when the pod's turn comes.
    placed = list(enumerate(entries, start=1))
    if text:
        placed = [item for item in placed if text in item[1][0].lower()]
    placed = _selected_in_reach(asked, placed)
    at, make = (page - 1) * PAGE, _MAKERS[name]
    return BoardLane(
        name=name,
        head=HEADS[name],
        count=len(entries),
        matched=len(placed),
        pods=[make(asked, key, entry, place) for place, (key, entry) in placed[at : at + PAGE]],
        page=page,
        filter=asked.query.text,
    )


def _selected_in_reach(
    asked: _Board, placed: list[tuple[int, tuple[str, QueueEntry]]]
) -> list[tuple[int, tuple[str, QueueEntry]]]:
    """Return the first page's rows; a selected pod that stands on a later page is added at its end."""
    query = asked.query
    at = next((i for i, (_, (key, _)) in enumerate(placed) if key == query.pod), 0) if query.pod else 0
    if at < PAGE or asked.state.uids.get(query.pod, "") != query.uid:
        return placed
    return [*placed[: PAGE - 1], placed[at], *placed[PAGE - 1 : at], *placed[at + 1 :]]


def _pod(asked: _Board, key: str, entry: QueueEntry, place: int, **more: object) -> BoardPod:
    state, query = asked.state, asked.query
    namespace, name = split_key(key)
    uid = state.uids.get(key, "")
    return BoardPod(
        key=key,
        name=name,
        namespace=namespace,
        place=place,
        waits=span(state.at - entry.since),
        is_selected=key == query.pod and uid == query.uid,
        is_moved=entry.since == state.at and state.seq > 0,
        nominated=state.nominations.get(key, ""),
        uid=uid,
        **more,  # type: ignore[arg-type]
    )


def _flying(asked: _Board, key: str, entry: QueueEntry, place: int) -> BoardPod:
    state = asked.state
    if state.current is not None and state.current.pod == key:
        return _pod(asked, key, entry, place, note=state.current.point or "scheduling", is_cursor=True)
    waiting, placement = state.waiting.get(key), state.placements.get(key)
    if waiting is not None:
        left = f"Permit {span(waiting.deadline - state.at)}"
        detail = f"{', '.join(waiting.plugins)} may still allow or reject it"
        return _pod(asked, key, entry, place, note=left, details=(f"waits on Permit for {waiting.node}", detail))
    if placement is not None:
        detail = f"assumed on {placement.node}, binding"
        return _pod(asked, key, entry, place, note=placement.node, is_node=True, details=(detail,))
    return _pod(asked, key, entry, place, note="scheduling")


def _active(asked: _Board, key: str, entry: QueueEntry, place: int) -> BoardPod:
    return _pod(asked, key, entry, place, details=(f"priority {grouped(entry.priority)}", *_history(asked, entry)))


def _backoff(asked: _Board, key: str, entry: QueueEntry, place: int) -> BoardPod:
    state = asked.state
    until = entry.backoff_until or state.at
    whole, left = max(until - entry.since, 1), max(until - state.at, 0)
    kind = ("backs off after an error",) if entry.lane == "error_backoff" else ()
    return _pod(
        asked,
        key,
        entry,
        place,
        note=span(left),
        share=min(left / whole, 1.0),
        details=(*kind, *_history(asked, entry)),
    )


def _unschedulable(asked: _Board, key: str, entry: QueueEntry, place: int) -> BoardPod:
    plugins = entry.plugins + entry.pending_plugins
    details = (f"refused by {', '.join(plugins)}", f"wakes on {wakes(plugins)}") if plugins else ()
    return _pod(asked, key, entry, place, note=_first(plugins), details=(*details, *_history(asked, entry)))


def _history(asked: _Board, entry: QueueEntry) -> tuple[str, ...]:
    """How long it has been in this lane, and how often it was tried."""
    tried = (f"tried {plural(entry.attempts, 'time')}",) if entry.attempts else ()
    return (f"here for {span(asked.state.at - entry.since)}", *tried)


def _first(plugins: tuple[str, ...]) -> str:
    """The first plugin, and how many more there are."""
    return plugins[0] + (f" +{len(plugins) - 1}" if len(plugins) > 1 else "") if plugins else ""


def _gated(asked: _Board, key: str, entry: QueueEntry, place: int) -> BoardPod:
    pod = asked.facts.pod(key, asked.state) if asked.facts else None
    gates = ", ".join(pod.gates) if pod and pod.gates else entry.gated_by
    return _pod(asked, key, entry, place, note=gates, details=(f"gated by {gates}", *_history(asked, entry)))


def _gone(asked: _Board, key: str, entry: QueueEntry, place: int) -> BoardPod:
    cause = entry.source or "deleted"
    note = next((word for start, word in _ENDS if cause.startswith(start)), cause)
    return _pod(asked, key, entry, place, note=note, details=(cause,))


_ENDS = (("preempted by ", "preempted"), ("lost with node ", "lost with its node"), ("removed: ", "removed"))

_MAKERS: dict[str, Callable[[_Board, str, QueueEntry, int], BoardPod]] = {
    "flying": _flying,
    "active": _active,
    "backoff": _backoff,
    "unschedulable": _unschedulable,
    "gated": _gated,
    "gone": _gone,
}
