"""The queue board as of the cursor: lanes in the order in which pods leave them, each a page at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.labels import seconds, split_key, wakes
from scheduler_core.recording.state import QueueEntry, RunState, lanes

if TYPE_CHECKING:
    from dashboard.debugger.inputs.facts import Facts

PAGE = 50

LANES = ("flying", "active", "backoff", "error_backoff", "unschedulable", "gated", "gone")
# Lanes that are shown only where somebody is in them.
SOMETIMES = ("error_backoff", "gone")


@dataclass(frozen=True)
class BoardPod:
    """A pod in a lane. `meta` is the figure at the right, `share` what is left of its backoff (None: no bar).

    `uid` is "" for the first pod of its name in the run; `title` says more than fits.
    """

    key: str
    name: str
    namespace: str
    place: str
    meta: str
    is_cursor: bool = False
    is_moved: bool = False
    share: float | None = None
    why: str = ""
    wakes: str = ""
    refused_by: str = ""
    nominated: str = ""
    cycle: int = 0
    uid: str = ""
    title: str = ""


@dataclass(frozen=True)
class BoardLane:
    """A lane: the first pods of `count`, `more` of which are on later pages."""

    name: str
    title: str
    meaning: str
    glyph: str
    note: str
    count: int
    pods: list[BoardPod] = field(default_factory=list)
    page: int = 1

    @property
    def more(self) -> int:
        """Return how many pods follow."""
        return max(0, self.count - self.page * PAGE)

    @property
    def following(self) -> int:
        """Return how many the next page shows."""
        return min(self.more, PAGE)


_HEADS = {
    "flying": ("In flight", "wait", "hour", ""),
    "active": ("activeQ", "queue", "dot", "pop order · priority"),
    "backoff": ("backoffQ", "backoff", "clock", "time left"),
    "error_backoff": ("After an error", "error", "alert", "time left"),
    "unschedulable": ("Unschedulable", "unsched", "x", ""),
    "gated": ("Gated", "gated", "lock", ""),
    "gone": ("Gone", "victim", "eject", "why · the last one first"),
}

Entries = list[tuple[str, QueueEntry]]


def board(state: RunState, facts: Facts | None) -> list[BoardLane]:
    """Return all lanes, first pages; those of errors and of pods that are gone only where somebody is in them."""
    entries = _entries(state)
    shown = [name for name in LANES if name not in SOMETIMES or entries[name]]
    return [_lane(state, facts, name, entries[name], 1) for name in shown]


def lane_page(state: RunState, facts: Facts | None, name: str, page: int) -> BoardLane:
    """Return one page of one lane."""
    return _lane(state, facts, name, _entries(state)[name], page)


def _entries(state: RunState) -> dict[str, Entries]:
    found = lanes(state)
    current = state.current.pod if state.current else ""
    # The pod whose cycle it is stands first, then those that bind, in the order in which they were popped.
    flying = sorted(found.in_flight, key=lambda item: item[0] != current)
    return {
        "flying": flying,
        "active": found.active,
        "backoff": found.backoff,
        "error_backoff": found.error_backoff,
        "unschedulable": found.unschedulable,
        "gated": found.gated,
        "gone": [(key, QueueEntry("", source=cause)) for key, cause in reversed(state.gone.items())],
    }


def _lane(state: RunState, facts: Facts | None, name: str, entries: Entries, page: int) -> BoardLane:
    title, meaning, glyph, note = _HEADS[name]
    at = (page - 1) * PAGE
    make = _MAKERS[name]
    pods = [make(state, facts, key, entry, at + i) for i, (key, entry) in enumerate(entries[at : at + PAGE], start=1)]
    return BoardLane(name, title, meaning, glyph, note, len(entries), pods, page)


def _pod(state: RunState, key: str, entry: QueueEntry, place: str, meta: str, **more: object) -> BoardPod:
    namespace, name = split_key(key)
    return BoardPod(
        key=key,
        name=name,
        namespace=namespace,
        place=place,
        meta=meta,
        is_moved=entry.since == state.at and state.seq > 0,
        nominated=state.nominations.get(key, ""),
        uid=state.uids.get(key, ""),
        **more,  # type: ignore[arg-type]
    )


def _flying(state: RunState, facts: Facts | None, key: str, entry: QueueEntry, number: int) -> BoardPod:
    if state.current is not None and state.current.pod == key:
        cycle = state.current.cycle
        return _pod(state, key, entry, "", state.current.point or "popped", is_cursor=True, cycle=cycle)
    waiting, placement = state.waiting.get(key), state.placements.get(key)
    if waiting is not None:
        return _pod(state, key, entry, "", f"Permit {seconds(waiting.deadline - state.at)}", cycle=waiting.cycle)
    if placement is not None:
        return _pod(state, key, entry, "", f"→ {placement.node}", cycle=placement.cycle)
    return _pod(state, key, entry, "", "popped")


def _active(state: RunState, facts: Facts | None, key: str, entry: QueueEntry, number: int) -> BoardPod:
    return _pod(state, key, entry, grouped(number), str(entry.priority))


def _backoff(state: RunState, facts: Facts | None, key: str, entry: QueueEntry, number: int) -> BoardPod:
    until = entry.backoff_until or state.at
    whole, left = max(until - entry.since, 1), max(until - state.at, 0)
    return _pod(state, key, entry, "", seconds(left), share=min(left / whole, 1.0))


def _unschedulable(state: RunState, facts: Facts | None, key: str, entry: QueueEntry, number: int) -> BoardPod:
    tries = "1 try" if entry.attempts == 1 else f"{entry.attempts} tries"
    plugins = entry.plugins + entry.pending_plugins
    return _pod(state, key, entry, "", tries, why=_first(plugins), wakes=wakes(plugins), refused_by=", ".join(plugins))


def _first(plugins: tuple[str, ...]) -> str:
    """The first plugin and how many more: what wakes the pod has to find room beside it."""
    return plugins[0] + (f" +{len(plugins) - 1}" if len(plugins) > 1 else "") if plugins else "no plugin"


def _gated(state: RunState, facts: Facts | None, key: str, entry: QueueEntry, number: int) -> BoardPod:
    known = facts.pod(key, state) if facts else None
    gates = ", ".join(known.gates) if known and known.gates else entry.gated_by
    return _pod(state, key, entry, "", gates)


def _gone(state: RunState, facts: Facts | None, key: str, entry: QueueEntry, number: int) -> BoardPod:
    cause = entry.source or "deleted"
    return _pod(
        state, key, entry, "", next((word for start, word in _ENDS if cause.startswith(start)), cause), title=cause
    )


_ENDS = (("preempted by ", "preempted"), ("lost with node ", "lost with its node"), ("removed: ", "removed"))

_MAKERS = {
    "flying": _flying,
    "active": _active,
    "backoff": _backoff,
    "error_backoff": _backoff,
    "unschedulable": _unschedulable,
    "gated": _gated,
    "gone": _gone,
}
