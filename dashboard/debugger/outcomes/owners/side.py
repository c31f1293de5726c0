"""The sections of owners beside the table: rollouts over virtual time, what quotas hold, which pods were made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.outcomes.axis import Band
from dashboard.debugger.outcomes.owners.rows import owner_url
from dashboard.debugger.panels.rollout import updated
from scheduler_core.api.quantity import shortest_quantity
from scheduler_core.recording.times import span

if TYPE_CHECKING:
    from dashboard.debugger.outcomes.address import OutcomesView
    from dashboard.debugger.outcomes.axis import Axis
    from scheduler_core.explain.outcomes import Outcomes
    from scheduler_core.explain.outcomes.making.model import RolloutOutcome, RolloutSpan

# At most this many rollouts have a bar, the last.
MOST_BARS = 8
BAR_HEIGHT = 30


@dataclass(frozen=True)
class RolloutBar:
    """A rollout over time: `bars` are (look, place), `late` is where its deadline passed; "" for never."""

    name: str
    kind: str
    text: str
    bars: tuple[tuple[str, Band], ...]
    late: str
    y: int
    url: str


@dataclass(frozen=True)
class QuotaLine:
    """A resource of a quota. The first line of a quota also has the number of pods that it refuses."""

    quota: str
    resource: str
    used: str
    hard: str
    refused: int
    is_full: bool


@dataclass(frozen=True)
class OwnerLine:
    """An owner that lacks pods: how many it wants, were made, are bound."""

    owner: str
    url: str
    desired: int
    made: int
    bound: int


class OwnerSide:
    """The sections, each empty where the run has nothing of the kind."""

    def __init__(self, outcomes: Outcomes, view: OutcomesView, axis: Axis) -> None:
        self.outcomes = outcomes
        self.view = view
        self.axis = axis

    @property
    def rollouts(self) -> list[RolloutBar]:
        """Return the rollouts that the run began, on the axis of the charts."""
        if not self.outcomes.series.at:
            return []
        held = {one.state.title: one for one in self.outcomes.rollouts or ()}
        last = {one.title: one for one in self.outcomes.spans}
        shown = self.outcomes.spans[-MOST_BARS:]
        return [
            self._bar(i, one, held.get(one.title) if last[one.title] is one else None) for i, one in enumerate(shown)
        ]

    @property
    def n_rollouts(self) -> int:
        """Return how many rollouts began."""
        return len(self.outcomes.spans)

    @property
    def height(self) -> int:
        """Return the height of the chart in pixels."""
        return BAR_HEIGHT * min(len(self.outcomes.spans), MOST_BARS) + 16

    def _bar(self, number: int, one: RolloutSpan, held: RolloutOutcome | None) -> RolloutBar:
        at, end = self.outcomes.series.at, self.outcomes.at
        kind, _, key = one.title.partition(" ")
        done = one.ended if one.ended >= 0 else one.bound_at
        if held is None:
            took = f"ended after {span(one.ended - one.began)}" if one.ended >= 0 else ""
            parts = [("bound", one.began, done if done >= 0 else one.began)]
            text = took or (f"last pod bound after {span(done - one.began)}" if done >= 0 else "no pod was bound")
        elif held.state.is_on_purpose:
            parts = [("bound", one.began, max(done, one.began)), ("none", max(done, one.began), end)]
            text = f"{updated(held.state)}, {held.state.waits_for}"
        else:
            late = one.late_at if one.late_at >= 0 else end
            parts = [("wait", one.began, late), ("unsched", late, end)]
            text = f"{updated(held.state)}, {'stuck' if held.is_stuck else 'under way'}"
        return RolloutBar(
            name=key.partition("/")[2],
            kind=kind,
            text=text,
            bars=tuple((look, self.axis.band(at, start, stop)) for look, start, stop in parts if stop >= start),
            late=self.axis.at(at, one.late_at) if one.late_at >= 0 else "",
            y=BAR_HEIGHT * number,
            url=owner_url(self.view.slug, self.view.number, key) if held is not None else "",
        )

    @property
    def quotas(self) -> list[QuotaLine]:
        """Return what the quotas hold at the end, those that refuse pods first."""
        lines, seen = list[QuotaLine](), set[str]()
        for one in sorted(self.outcomes.quotas, key=lambda use: -use.refused):
            lines.append(
                QuotaLine(
                    quota=one.quota,
                    resource=one.resource,
                    used=shortest_quantity(one.resource, one.used),
                    hard=shortest_quantity(one.resource, one.hard),
                    refused=one.refused if one.quota not in seen else 0,
                    is_full=one.used >= one.hard,
                )
            )
            seen.add(one.quota)
        return lines

    @property
    def lacking(self) -> list[OwnerLine]:
        """Return the owners that lack pods at the end."""
        return [
            OwnerLine(
                owner=one.key,
                url=owner_url(self.view.slug, self.view.number, one.key) if one.code else "",
                desired=one.desired,
                made=one.made,
                bound=one.bound,
            )
            for one in self.outcomes.short
        ]

    @property
    def more_lacking(self) -> str:
        """Return how many more owners lack pods, "" for none."""
        rest = self.outcomes.n_short - len(self.outcomes.short)
        return f"and {grouped(rest)} more" if rest > 0 else ""
