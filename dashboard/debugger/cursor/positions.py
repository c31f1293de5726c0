"""The positions of a scheduling cycle: its extension points and their plugin calls, as far as they were recorded.

A position is where a cursor can stop. Everything here follows from the events of the cycle and from the filter plugins
of its frame (filters answer in one event that does not name them); what was not recorded has no position:
- a cycle begins with its first event, which stands for PreEnqueue and QueueSort: the pod has come out of activeQ;
- a point that recorded answers of plugins has one call for each, in their order; one without has itself alone;
- HostSelected belongs to Score and PreemptionDecided to PostFilter, so these points have a result after their calls;
- a binding cycle runs beside the scheduling cycles, so its points are no positions of the scheduling cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dashboard.common.pages.extension_points import POINTS
from scheduler_core.recording import events as ev

if TYPE_CHECKING:
    from collections.abc import Sequence

SeqEvent = tuple[int, ev.AnyEvent]

START = "PreEnqueue"
"""The point that stands for the first event of a cycle."""

_POINT_OF: dict[type, str] = {
    ev.ExtendersFiltered: "Filter",
    ev.NodesFiltered: "Filter",
    ev.ExtendersScored: "Score",
    ev.NodesScored: "Score",
    ev.HostSelected: "Score",
    ev.ExtendersPreempted: "PostFilter",
    ev.PreemptionDecided: "PostFilter",
    ev.Reserved: "Reserve",
    ev.PermitWaiting: "Permit",
}


class Place(NamedTuple):
    """A place in a run, ordered: after the first `seq` events and, with `turn` n > 0, after the first n plugin calls
    that event number `seq` records.
    """

    seq: int
    turn: int = 0


@dataclass(frozen=True)
class Call:
    """A plugin call at a point, and the place after it. `status` is its answer if an event records it."""

    plugin: str
    place: Place
    status: ev.PluginStatus | None = None


@dataclass(frozen=True)
class PointSpan:
    """An extension point of one cycle: events first <= seq < end. `calls` in the order in which they were made."""

    name: str
    first: int
    end: int
    calls: tuple[Call, ...] = ()

    @property
    def place(self) -> Place:
        """Return the place after the point."""
        return Place(self.end)

    @property
    def has_result(self) -> bool:
        """Return whether the point recorded a result besides its calls, so that its end is a position of its own."""
        return not self.calls or self.end > self.calls[-1].place.seq + 1

    def holds(self, place: Place) -> bool:
        """Return whether the place is inside of the point or at its end."""
        return Place(self.first) < place <= self.place


@dataclass(frozen=True)
class Position:
    """A place with its name: a plugin call, or with an empty `call` a point of the cycle."""

    cycle: int
    point: str
    call: str
    place: Place


@dataclass(frozen=True)
class CyclePositions:
    """The points of one cycle in the order in which they ran, and the place after its last event."""

    cycle: int
    end: Place
    points: tuple[PointSpan, ...]

    def of_points(self) -> list[Position]:
        """Return one position for each point, at its end."""
        return [self.at_end(point) for point in self.points]

    def of_calls(self) -> list[Position]:
        """Return the positions of all points: each call, and the result where a point has one."""
        return [position for point in self.points for position in self.calls_of(point)]

    def calls_of(self, point: PointSpan) -> list[Position]:
        """Return the positions of one point."""
        calls = [Position(self.cycle, point.name, call.plugin, call.place) for call in point.calls]
        return [*calls, self.at_end(point)] if point.has_result else calls

    def at_end(self, point: PointSpan) -> Position:
        """Return the position at the end of the point."""
        return Position(self.cycle, point.name, "", point.place)

    def around(self, place: Place) -> PointSpan | None:
        """Return the extension point that contains the place, None where none does."""
        return next((point for point in self.points if point.holds(place)), None)

    def point(self, name: str) -> PointSpan | None:
        """Return the point of that name, None where it did not run; QueueSort is the cycle's start, as PreEnqueue."""
        point_name = START if name == "QueueSort" else name
        return next((point for point in self.points if point.name == point_name), None)


def positions_of(cycle: int, events: Sequence[SeqEvent], filters: Sequence[str] = ()) -> CyclePositions:
    """Return the positions of a cycle from its events, CycleStarted to CycleFinished, and its frame's `filters`."""
    spans: dict[str, PointSpan] = {}
    for seq, event in events:
        name = START if isinstance(event, ev.CycleStarted) else _point_of(event, cycle, spans)
        if not name:
            continue
        span = spans.get(name) or PointSpan(name, seq, seq)
        spans[name] = PointSpan(name, span.first, seq + 1, (*span.calls, *_calls(seq, event, filters, span.calls)))
    return CyclePositions(cycle, Place(events[-1][0] + 1), tuple(spans.values()))


def _point_of(event: ev.AnyEvent, cycle: int, spans: dict[str, PointSpan]) -> str:
    """The point of an event of the cycle, "" for one that belongs to none."""
    if getattr(event, "cycle", None) != cycle:
        return ""
    if isinstance(event, ev.PointFinished | ev.PluginFailed):
        return event.point if event.point in POINTS else ""
    if isinstance(event, ev.Unreserved):
        # A pod that was reserved is taken back by Permit, one that was not by Reserve itself.
        return "Permit" if "Reserve" in spans else "Reserve"
    if isinstance(event, ev.HostSelected) and "Score" not in spans:
        return ""
    return _POINT_OF.get(type(event), "")


def _calls(seq: int, event: ev.AnyEvent, filters: Sequence[str], before: Sequence[Call]) -> list[Call]:
    """The calls that an event records."""
    statuses: dict[str, ev.PluginStatus] = {}
    plugins: Sequence[str] = ()
    if isinstance(event, ev.PointFinished):
        statuses = {status.plugin: status for status in event.statuses}
        plugins = tuple(statuses)
    elif isinstance(event, ev.NodesFiltered):
        plugins = filters
    elif isinstance(event, ev.NodesScored):
        plugins = [summary.plugin for summary in event.plugins]
    elif isinstance(event, ev.PluginFailed) and event.plugin not in {call.plugin for call in before}:
        plugins = (event.plugin,)
    return [Call(name, Place(seq, turn), statuses.get(name)) for turn, name in enumerate(plugins, start=1)]
