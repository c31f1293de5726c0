"""The strip of plugin calls under the extension points: those of the point at the cursor, in their order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import plural
from dashboard.debugger.labels import CODE_MEANINGS, short_plugin
from dashboard.debugger.panels.cycle.extension_points import answer_of
from dashboard.debugger.panels.cycle.view_model import last_of
from scheduler_core.recording import events as ev
from scheduler_core.recording.vocabulary import Code

if TYPE_CHECKING:
    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.debugger.cursor.positions import Call, PointSpan
    from dashboard.debugger.panels.cycle.view_model import CycleView

GLYPHS = {"bound": "check", "none": "dash", "wait": "hour", "unres": "ban"}
RESULTS = {"Score": "select host", "PostFilter": "preemption"}


@dataclass(frozen=True)
class CallItem:
    """A call, or with an empty `call` the result of the point. `meaning` is its colour, "" if it is after the cursor.

    `said` is its answer in words, "" if only its success is recorded.
    """

    name: str
    call: str
    meaning: str
    glyph: str
    said: str
    is_here: bool

    @property
    def short(self) -> str:
        """Return the name without what it shares with others."""
        return short_plugin(self.name)

    @property
    def icon(self) -> str:
        """Return its glyph, "" while it lies ahead."""
        return "play" if self.is_here else self.glyph

    @property
    def is_ahead(self) -> bool:
        """Return whether the call was not made at the cursor."""
        return not self.meaning

    @property
    def classes(self) -> str:
        """Return the classes of its link."""
        return "call is-cursor" if self.is_here else "call is-ahead" if self.is_ahead else f"call m-{self.meaning}"

    @property
    def title(self) -> str:
        """Return the sentence for pointer and reader."""
        return f"{self.name}: {'not called yet' if self.is_ahead else self.said or 'called'}"


@dataclass(frozen=True)
class CallStrip:
    """The calls of one point, and a sentence where there are none. `said` tells of the call at the cursor."""

    cycle: int
    point: str
    items: list[CallItem] = field(default_factory=list)
    none: str = ""

    @property
    def said(self) -> str:
        """Return what the call at the cursor answered."""
        return next((item.said for item in self.items if item.is_here), "")


def call_strip(view: CycleView, cursor: Cursor) -> CallStrip:
    """Return the strip for the point at the cursor; after a cycle's points, for the last one with recorded calls."""
    positions, number = view.positions, view.row.number
    named = cursor.view.point if cursor.named == number else ""
    reached = [point for point in positions.points if point.calls and point.place <= cursor.place]
    point = positions.point(named) if named else positions.around(cursor.place) or (reached[-1] if reached else None)
    if point is None or not point.calls:
        return CallStrip(number, named or (point.name if point else ""), none="no plugin call recorded")
    items = [_item(view, cursor, point, call) for call in point.calls]
    if point.has_result:
        items.append(_result(view, cursor, point))
    return CallStrip(number, point.name, items)


def _item(view: CycleView, cursor: Cursor, point: PointSpan, call: Call) -> CallItem:
    if call.place > cursor.place:
        return CallItem(call.plugin, call.plugin, "", "", "", is_here=False)
    meaning, said = _answer(view, point, call)
    here = call.place == cursor.place
    return CallItem(call.plugin, call.plugin, meaning, GLYPHS.get(meaning, "x"), said, is_here=here)


def _answer(view: CycleView, point: PointSpan, call: Call) -> tuple[str, str]:
    """(meaning, words) of the plugin's answer, from the event of the call."""
    if call.status is not None:
        answer = answer_of(call.status)
        return CODE_MEANINGS.get(call.status.code, "none"), answer.text
    event = next((event for seq, event in view.events if seq == call.place.seq), None)
    if isinstance(event, ev.PluginFailed):
        return "error", f"raised {event.error}: {event.message}"
    if isinstance(event, ev.NodesFiltered):
        refused = [one for one in event.refusals if one.plugin == call.plugin]
        count = sum(one.count for one in refused)
        fixed = bool(refused) and all(one.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE for one in refused)
        refusals = (
            f"first to refuse {plural(count, 'node')}" if count else "refused no node that passed those before it"
        )
        return ("unres" if fixed else "unsched") if count else "bound", refusals
    if isinstance(event, ev.NodesScored):
        score_range = next(one for one in event.plugins if one.plugin == call.plugin)
        return "bound", f"scores {score_range.norm_min} to {score_range.norm_max} of 100, weight {score_range.weight}"
    return "bound", ""


def _result(view: CycleView, cursor: Cursor, point: PointSpan) -> CallItem:
    """The result of the point after its calls: the chosen host, or the decision of preemption."""
    name = RESULTS.get(point.name, "result")
    if point.place > cursor.place:
        return CallItem(name, "", "", "", "", is_here=False)
    here = point.place == cursor.place
    selected, decided = last_of(view.events_so_far, ev.HostSelected), last_of(view.events_so_far, ev.PreemptionDecided)
    if point.name == "Score" and selected is not None:
        drawn = f", drawn from {plural(selected.tie_count, 'equal node')}" if selected.tie_count > 1 else ""
        return CallItem(name, "", "win", "star", f"{selected.node} with {selected.total} points{drawn}", is_here=here)
    if point.name == "PostFilter" and decided is not None:
        if decided.nominated_node:
            return CallItem(name, "", "nomin", "diamond", f"{decided.nominated_node} is nominated", is_here=here)
        return CallItem(name, "", "unsched", "x", decided.message, is_here=here)
    return CallItem(name, "", "unsched", "x", "", is_here=here)
