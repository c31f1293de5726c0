"""The sections beside the table: requests and queues over time, waits, attempts, ties, evictions, and the room left."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import amount, grouped, plural
from dashboard.debugger.outcomes import charts
from dashboard.debugger.outcomes.address import NEVER_MADE, STUCK_ROLLOUT
from dashboard.debugger.outcomes.axis import BESIDE, WIDE, axis_of
from dashboard.debugger.outcomes.labels import LABELS, MEANINGS, bare, wait
from dashboard.debugger.outcomes.owners.rows import n_unmade, stuck
from dashboard.debugger.outcomes.owners.side import OwnerSide
from dashboard.debugger.outcomes.spent import SpentTable, spent_table
from scheduler_core.explain import outcomes as oc
from scheduler_core.recording.quantities import NARROW, NARROW_WIN, PLACEMENT, TIE
from scheduler_core.recording.times import span

if TYPE_CHECKING:
    from dashboard.debugger.outcomes.address import OutcomesView
    from dashboard.debugger.outcomes.axis import Axis, Band
    from scheduler_core.explain.outcomes import Outcomes

ALWAYS = (oc.BOUND, oc.PENDING, oc.PREEMPTED, oc.ERROR, oc.GATED, oc.WAITING)
"""Kinds with a cell in the strip even where there are none; others come after them where there are some."""


@dataclass(frozen=True)
class TotalCell:
    """A total in the strip at the top; it filters by its kind. `glyph` is "" for the usual one of its meaning."""

    kind: str
    label: str
    meaning: str
    pods: int
    sub: str
    url: str
    is_on: bool
    glyph: str = ""


@dataclass(frozen=True)
class Figure:
    """A number with what it is."""

    text: str
    label: str


@dataclass(frozen=True)
class TiesPart:
    """Placements of one kind; `left` and `width` are of its part of the bar."""

    quantity: str
    meaning: str
    icon: str
    n: int
    text: str
    left: str
    width: str


@dataclass(frozen=True)
class Ties:
    """How narrowly the run placed pods, the parts that there are."""

    total: int
    parts: list[TiesPart]


@dataclass(frozen=True)
class RoomRow:
    """A group of nodes with what is left there; `allowed` pending pods may go there (to other groups, too); `is_short`:
    there are some, and none of its nodes has a whole unit."""

    name: str
    free: str
    fitting: str
    allowed: int
    is_short: bool


def strip(outcomes: Outcomes, view: OutcomesView) -> list[TotalCell]:
    """Return the totals; those of owners come after that of pending pods."""
    others = [kind for kind in oc.KINDS if kind not in ALWAYS and outcomes.counts[kind]]
    cells = [
        TotalCell(
            kind=kind,
            label=LABELS[kind],
            meaning=MEANINGS[kind],
            pods=outcomes.counts[kind],
            sub=_sub(outcomes, kind),
            url=view.filtered(kind),
            is_on=view.outcome == kind,
        )
        for kind in (*ALWAYS, *others)
    ]
    at = ALWAYS.index(oc.PENDING) + 1
    return [*cells[:at], *_owner_cells(outcomes, view), *cells[at:]]


def _owner_cells(outcomes: Outcomes, view: OutcomesView) -> list[TotalCell]:
    """The cells of pods that were never made and of stuck rollouts, each where a run can have some."""
    unmade, held = n_unmade(outcomes), stuck(outcomes)
    by = sorted({one.by for one in outcomes.short if one.code})
    given = [
        (NEVER_MADE, "never made", "backoff", "ring", unmade, plural(len(by), "object refuses", "objects refuse"))
        if outcomes.has_admission or unmade
        else None,
        (STUCK_ROLLOUT, "rollout stuck", "unsched", "refresh", len(held), _waiting(outcomes))
        if outcomes.rollouts is not None
        else None,
    ]
    return [
        TotalCell(kind, label, meaning, n, sub if n or kind == STUCK_ROLLOUT else "none refused", url, is_on, glyph)
        for kind, label, meaning, glyph, n, sub in filter(None, given)
        for url, is_on in [(view.filtered(kind), view.outcome == kind)]
    ]


def _waiting(outcomes: Outcomes) -> str:
    on_purpose = sum(one.state.is_on_purpose for one in outcomes.rollouts or ())
    return f"{grouped(on_purpose)} more on purpose" if on_purpose else "none waits on purpose"


def _sub(outcomes: Outcomes, kind: str) -> str:
    groups = [group for group in outcomes.groups if group.kind == kind]
    longest = max((group.longest for group in groups), default=-1)
    if kind == oc.BOUND:
        return f"at the end, of {plural(outcomes.bindings, 'binding')}"
    if kind == oc.PREEMPTED:
        tries = outcomes.evictions
        return f"{plural(tries.successful, 'preemption')} in {plural(tries.tries, 'try', 'tries')}"
    if kind == oc.PENDING and (of_rollouts := sum(len(one.pods) for one in stuck(outcomes))):
        return f"{grouped(of_rollouts)} of a rollout, longest {wait(longest)}"
    if groups:
        waited = f", longest {wait(longest)}" if longest >= 0 else ""
        return f"{plural(len(groups), 'reason')}{waited}"
    none = {oc.ERROR: "no plugin failed", oc.GATED: "no scheduling gates", oc.WAITING: "no pod held"}
    return none.get(kind, "none")


class Side:
    """The sections beside the table, each computed when it is shown."""

    def __init__(self, outcomes: Outcomes, view: OutcomesView) -> None:
        self.outcomes = outcomes
        self.view = view

    @cached_property
    def axis(self) -> Axis:
        """Return the axis that the charts share."""
        form = WIDE if self.view.charts == "wide" else BESIDE
        return axis_of(self.outcomes.series.at, form)

    @cached_property
    def owners(self) -> OwnerSide:
        """Return the sections of owners."""
        return OwnerSide(self.outcomes, self.view, axis_of(self.outcomes.series.at))

    @property
    def cursor(self) -> str:
        """Return the place of the debugger's event on the axis, "" without one and after the last sample."""
        events = self.outcomes.series.seq
        if not events or not 0 <= self.view.seq <= events[-1]:
            return ""
        return self.axis.at(events, self.view.seq)

    @property
    def band(self) -> Band | None:
        """Return the time that the pods are filtered by, as a part of the axis."""
        at = self.outcomes.series.at
        return self.axis.band(at, *self.view.waited) if at and self.view.waited else None

    @cached_property
    def requested(self) -> charts.Chart:
        """Return requested shares over time."""
        return charts.requested(self.outcomes.series, self.axis)

    @cached_property
    def queues(self) -> charts.Chart:
        """Return lengths of the queue over time."""
        return charts.queues(self.outcomes.series, self.axis)

    @property
    def crosshair(self) -> dict[str, object]:
        """Return what the crosshair says."""
        return charts.crosshair(self.outcomes.series, self.axis)

    @property
    def waits(self) -> list[Figure]:
        """Return waits of bindings, and the longest of pending pods so far."""
        waits = self.outcomes.waits
        return [
            Figure(_span(waits.p50), "median"),
            Figure(_span(waits.p95), "p95"),
            Figure(_span(waits.longest), "longest"),
            Figure(_span(waits.pending_longest), "pending, so far"),
        ]

    @cached_property
    def spent(self) -> SpentTable | None:
        """Return where the waits went by class of priority, None where no pod waited."""
        return spent_table(self.outcomes.by_priority)

    @property
    def attempts(self) -> list[tuple[str, list[int]]]:
        """Return how many pods had one attempt, two, three or more."""
        return [("bound", self.outcomes.attempts[oc.BOUND]), ("pending", self.outcomes.attempts[oc.PENDING])]

    @cached_property
    def ties(self) -> Ties:
        """Return how narrowly this run placed pods."""
        placed = self.outcomes.placements
        drawn, narrow = len(placed.ties), len(placed.narrow)
        counts = [
            (TIE, "tie", "equal", drawn, "drawn from a tie"),
            (NARROW_WIN, "second", "two", narrow, f"by fewer than {NARROW} points"),
            (PLACEMENT, "win", "star", placed.n - drawn - narrow - placed.alone, "clear"),
            (PLACEMENT, "none", "dot", placed.alone, "one node fitted"),
        ]
        left, parts = 0.0, []
        for quantity, meaning, icon, count, label in counts:
            width = 100 * count / placed.n if placed.n else 0.0
            if count:
                parts.append(TiesPart(quantity, meaning, icon, count, label, f"{left:.2f}%", f"{width:.2f}%"))
            left += width
        return Ties(placed.n, parts)

    @property
    def evictions(self) -> str:
        """Return the result of all preemptions in a sentence; "" if none was tried."""
        totals = self.outcomes.evictions
        if not totals.tries:
            return ""
        refused = "; ".join(f"{grouped(nodes)} nodes: {reason}" for reason, nodes in totals.refused)
        last = f" The last one without victims: {refused}." if refused else ""
        tries_text = f"{plural(totals.tries, 'try', 'tries')}, {plural(totals.successful, 'preemption')}."
        return f"{tries_text}{last}"

    @property
    def balance(self) -> list[Figure]:
        """Return the standard deviation over nodes of each resource's share, in points."""
        lines = [line for line in self.outcomes.series.resources if line.share is not None]
        return [Figure(f"± {100 * line.deviation:.1f}", bare(line.resource)) for line in lines[:4]]

    @property
    def rooms(self) -> list[RoomRow]:
        """Return the room that is left by groups of nodes."""
        fragmentation = self.outcomes.fragmentation
        if fragmentation is None:
            return []
        unnamed = "without the label" if fragmentation.label else "all nodes"
        return [
            RoomRow(
                name=room.name or unnamed,
                free=amount(room.free, fragmentation.resource),
                fitting=f"{grouped(room.fitting)} of {grouped(room.nodes)}",
                allowed=room.allowed,
                is_short=bool(room.allowed) and not room.fitting,
            )
            for room in fragmentation.rooms
        ]

    @property
    def room_unit(self) -> str:
        """Return the unit in words: "1,000 gpu-milli"."""
        fragmentation = self.outcomes.fragmentation
        return (
            f"{amount(fragmentation.unit, fragmentation.resource)} {bare(fragmentation.resource)}"
            if fragmentation
            else ""
        )

    @property
    def room_resource(self) -> str:
        """Return the resource of the table of rooms."""
        return bare(self.outcomes.fragmentation.resource) if self.outcomes.fragmentation else ""

    @property
    def room_label(self) -> str:
        """Return what the nodes are grouped by."""
        fragmentation = self.outcomes.fragmentation
        return bare(fragmentation.label) if fragmentation and fragmentation.label else "nodes"


def _span(micros: int) -> str:
    return span(micros) if micros >= 0 else "none"
