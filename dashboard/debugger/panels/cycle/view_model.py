"""One cycle at the cursor: what had happened by then, and its outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dashboard.debugger.labels import OUTCOMES, event_words, split_key
from dashboard.debugger.panels.matrix.frame_view import CalledPlugins
from scheduler_core.recording import events as ev
from scheduler_core.recording.times import span
from scheduler_core.recording.vocabulary import address_of_extender

if TYPE_CHECKING:
    from dashboard.debugger.cursor.positions import CyclePositions, Place, SeqEvent
    from dashboard.runs.models import Cycle, QueueMove


@dataclass(frozen=True)
class PluginAnswer:
    """What a plugin answered at a point."""

    plugin: str
    meaning: str
    label: str
    reasons: str

    @property
    def text(self) -> str:
        """Return the answer with its reasons."""
        return f"{self.label}, {self.reasons}" if self.reasons else self.label


@dataclass(frozen=True)
class Point:
    """An extension point in the strip. `seq` is the cursor after it, None where it did not run (yet); the cursor may
    stand between its calls (`is_under_way`)."""

    name: str
    meaning: str
    label: str
    seq: int | None
    is_cursor: bool
    is_under_way: bool = False

    @property
    def classes(self) -> str:
        """Return the classes of its link: its colour, whether the cursor is at it, whether it ran."""
        look = "m-cursor is-cursor" if self.is_cursor else f"m-{self.meaning}"
        return look + ("" if self.ran else " is-skip") + (" only-wide" if self.name == "QueueSort" else "")

    @property
    def ran(self) -> bool:
        """Return whether it had run at the cursor."""
        return self.meaning != "none"


@dataclass
class CycleView:
    """The cycle at the cursor, which is at `place`. Parts after the cursor are None.

    `goes_on`: the run has not ended, so more of the cycle may be recorded.
    """

    row: Cycle
    events: list[SeqEvent]
    events_so_far: list[SeqEvent]
    place: Place
    positions: CyclePositions
    is_done: bool
    goes_on: bool
    started: ev.CycleStarted
    filtered: ev.NodesFiltered | None
    scored: ev.NodesScored | None
    selected: ev.HostSelected | None
    preemption: ev.PreemptionDecided | None
    shown_to_extenders: ev.ExtendersPreempted | None
    finished: ev.CycleFinished | None
    woken: QueueMove | None
    pending_us: int | None
    points: list[Point] = field(default_factory=list)

    @property
    def known_columns(self) -> CalledPlugins | None:
        """Return which columns of the cycle's frame are known at the cursor, None before the first filter."""
        if self.filtered is None:
            calls = self._calls_made("Filter")
            return CalledPlugins(filters=calls, scores=0) if calls else None
        return CalledPlugins(None, None if self.scored is not None else self._calls_made("Score"))

    def _calls_made(self, point: str) -> int:
        span = self.positions.point(point)
        return sum(call.place <= self.place for call in span.calls) if span else 0

    @property
    def failed_extender(self) -> str:
        """Return the address of the extender whose failed call ended the filters, "" for none."""
        asked = last_of(self.events_so_far, ev.ExtendersFiltered)
        if asked is None or self.filtered is not None:
            return ""
        return next((address_of_extender(call.name) for call in asked.calls if call.error and not call.ignored), "")

    @property
    def outcome_pill(self) -> tuple[str, str]:
        """Return meaning and label of the outcome of a cycle that scheduled nothing."""
        return OUTCOMES.get(self.row.outcome, ("none", self.row.outcome))

    @property
    def namespace(self) -> str:
        """Return the pod's namespace."""
        return split_key(self.row.pod)[0]

    @property
    def name(self) -> str:
        """Return the pod's name."""
        return split_key(self.row.pod)[1]

    @property
    def pending(self) -> str:
        """Return how long the pod had waited in virtual time."""
        return span(self.pending_us) if self.pending_us is not None else ""

    @property
    def queued_text(self) -> str:
        """Return which cluster event brought the pod into activeQ, in words; "" where that is not recorded."""
        if self.woken is None:
            return ""
        return f"to activeQ {event_words(self.woken.event)}"

    @property
    def winner(self) -> str:
        """Return the selected node if it is known at the cursor."""
        return self.selected.node if self.selected else ""

    @property
    def is_tie(self) -> bool:
        """Return whether the winner was drawn among nodes with the same total: then no plugin decided."""
        return self.selected is not None and self.selected.tie_count > 1

    @property
    def second(self) -> str:
        """Return the runner-up as far as the cursor knows it, "" where the winner had equals: none of them is it."""
        return self.selected.second if self.selected and not self.is_tie else ""

    @property
    def equal(self) -> str:
        """Return one of the nodes that the winner was drawn among, "" without a tie."""
        return self.selected.second if self.selected and self.is_tie else ""

    @property
    def margin(self) -> int | None:
        """Return the winner's lead."""
        selected = self.selected
        return selected.total - selected.second_total if selected and selected.second_total >= 0 else None

    @property
    def point(self) -> Point | None:
        """Return the point under the cursor."""
        return next((point for point in self.points if point.is_cursor), None)

    @property
    def narrowed(self) -> list[str]:
        """Return the plugins whose PreFilter left only some nodes."""
        statuses = statuses_of(self.events_so_far, "PreFilter")
        return [status.plugin for status in statuses if status.nodes is not None]

    @property
    def left(self) -> int:
        """Return how many nodes the PreFilters left that left only some, 0 where none did."""
        named = [
            set(status.nodes) for status in statuses_of(self.events_so_far, "PreFilter") if status.nodes is not None
        ]
        return len(set.intersection(*named)) if named else 0


def last_of(events: list[SeqEvent], kind: type) -> Any:
    return next((event for _, event in reversed(events) if isinstance(event, kind)), None)


def statuses_of(events: list[SeqEvent], point: str) -> tuple[ev.PluginStatus, ...]:
    statuses = [event.statuses for _, event in events if isinstance(event, ev.PointFinished) and event.point == point]
    return statuses[-1] if statuses else ()
