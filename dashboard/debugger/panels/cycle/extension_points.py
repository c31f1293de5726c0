"""A cycle as of the cursor, with the strip of extension points: which ran, with what result, what plugins answered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dashboard.common.pages.extension_points import POINTS
from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.cursor import queries
from dashboard.debugger.cursor.cycle_events import BINDING_POINTS, events_of, positions_in
from dashboard.debugger.labels import (
    CODE_MEANINGS,
    CODE_WORDS,
)
from dashboard.debugger.panels.cycle.view_model import CycleView, PluginAnswer, Point, last_of, statuses_of
from scheduler_core.profiles.names import PREEMPTING
from scheduler_core.recording import events as ev
from scheduler_core.recording.vocabulary import Code

if TYPE_CHECKING:
    from dashboard.debugger.cursor.cursor import Cursor


def cycle_view(cursor: Cursor) -> CycleView | None:
    """Return the cycle of the cursor as of its seq, None before the first cycle."""
    row = cursor.cycle
    if row is None:
        return None
    run = cursor.run
    events = events_of(run, row)
    events_so_far = [(seq, event) for seq, event in events if seq < cursor.seq]
    first_at, woken = queries.queued_before(run, row.pod, row.pod_uid or "", row.first_seq)
    view = CycleView(
        row=row,
        events=events,
        events_so_far=events_so_far,
        place=cursor.place,
        positions=positions_in(run, row),
        is_done=cursor.seq > row.last_seq,
        goes_on=not run.has_ended,
        started=events[0][1],  # type: ignore[arg-type]
        filtered=last_of(events_so_far, ev.NodesFiltered),
        scored=last_of(events_so_far, ev.NodesScored),
        selected=last_of(events_so_far, ev.HostSelected),
        preemption=last_of(events_so_far, ev.PreemptionDecided),
        shown_to_extenders=last_of(events_so_far, ev.ExtendersPreempted),
        finished=last_of(events_so_far, ev.CycleFinished),
        woken=woken,
        pending_us=row.at_us - first_at if first_at is not None else None,
    )
    view.points = points_of(view, cursor)
    return view


def points_of(view: CycleView, cursor: Cursor) -> list[Point]:
    at = view.positions.around(cursor.place)
    named = cursor.view.point if cursor.named == view.row.number else ""
    here = named or (at.name if at else "")
    points = [_point(view, name, name == here) for name in POINTS]
    return _with_next(points) if not view.is_done else points


def _with_next(points: list[Point]) -> list[Point]:
    """Mark the first point after the cursor as the next one, and clear the labels of later ones."""
    last = max((i for i, point in enumerate(points) if point.seq is not None or point.is_under_way), default=-1)
    return [replace(p, label="next" if i == last + 1 else "") if i > last else p for i, p in enumerate(points)]


def _seq_of(view: CycleView, name: str) -> int | None:
    """The cursor after the point, None where it did not run so far."""
    if name in BINDING_POINTS:
        return next((seq + 1 for seq, event in view.events_so_far if isinstance(event, ev.Bound)), None)
    span = view.positions.point(name)
    return span.end if span is not None and span.place <= view.place else None


def _point(view: CycleView, name: str, is_cursor: bool) -> Point:
    seq = _seq_of(view, name)
    meaning, label = _SAID.get(name, _said_plainly)(view, name, seq)
    span = view.positions.point(name)
    if span is not None and seq is None and span.holds(view.place):
        done = sum(call.place <= view.place for call in span.calls)
        meaning, label = "cursor", f"{done} of {len(span.calls)}" if span.calls else "under way"
        return Point(name, meaning, label, seq, is_cursor, is_under_way=True)
    return Point(name, meaning, label, seq, is_cursor)


def answer_of(status: ev.PluginStatus) -> PluginAnswer:
    label = CODE_WORDS.get(status.code, "answered")
    if status.nodes is not None and status.code == Code.SUCCESS:
        label = f"ok, left {plural(len(status.nodes), 'node')}"
    return PluginAnswer(status.plugin, CODE_MEANINGS.get(status.code, "none"), label, ", ".join(status.reasons))


Said = tuple[str, str]


def _absent(view: CycleView) -> Said:
    return "none", "not run"


def _said_plainly(view: CycleView, name: str, seq: int | None) -> Said:
    statuses = statuses_of(view.events_so_far, name)
    if seq is None:
        return _absent(view)
    bad = next((s for s in statuses if s.code not in (Code.SUCCESS, Code.SKIP)), None)
    if bad is not None:
        return CODE_MEANINGS.get(bad.code, "unsched"), CODE_WORDS.get(bad.code, "refused")
    skipped = sum(status.code == Code.SKIP for status in statuses)
    if skipped and skipped == len(statuses):
        return "none", "skipped"
    return "bound", "ok"


def _said_of_filter(view: CycleView, name: str, seq: int | None) -> Said:
    outcome = view.filtered
    if outcome is None:
        return ("error", "error") if view.failed_extender else _absent(view)
    return ("bound" if outcome.feasible else "unsched"), f"{grouped(outcome.feasible)} fit"


def _said_of_post_filter(view: CycleView, name: str, seq: int | None) -> Said:
    if view.preemption is not None and view.preemption.nominated_node:
        return "nomin", "nominated"
    if seq is None:
        return _absent(view)
    bad = any(status.code == Code.ERROR for status in statuses_of(view.events_so_far, name))
    return ("error", "error") if bad else ("unres", "no node")


def _said_of_score(view: CycleView, name: str, seq: int | None) -> Said:
    if view.scored is not None:
        return "bound", "ok"
    if view.selected is not None:
        return "none", "one node"
    return _absent(view)


def _said_of_reserve(view: CycleView, name: str, seq: int | None) -> Said:
    if last_of(view.events_so_far, ev.Unreserved) is not None:
        return "error", "taken back"
    return _said_plainly(view, name, seq)


def _said_of_permit(view: CycleView, name: str, seq: int | None) -> Said:
    decided, waiting = last_of(view.events_so_far, ev.PermitDecided), last_of(view.events_so_far, ev.PermitWaiting)
    if decided is not None:
        return ("bound", "allowed") if decided.allowed else ("unsched", "rejected")
    if waiting is not None:
        return "wait", "waits"
    if view.finished is not None and view.finished.outcome == "scheduled":
        return "bound", "ok"
    return _said_plainly(view, name, seq)


def _said_of_binding(view: CycleView, name: str, seq: int | None) -> Said:
    if last_of(view.events_so_far, ev.Bound) is not None:
        return "bound", "ok"
    if last_of(view.events_so_far, ev.Unreserved) is not None:
        return _absent(view)
    if view.is_done and _is_to_be_bound(view):
        return "none", "to come"
    return _said_plainly(view, name, seq)


def _is_to_be_bound(view: CycleView) -> bool:
    """Return whether the pod is bound later in the run, or may be if the recording does not reach that yet."""
    if last_of(view.events, ev.Bound) is not None:
        return True
    chosen = view.finished is not None and view.finished.outcome == "scheduled"
    return view.goes_on and chosen and last_of(view.events, ev.Unreserved) is None


_SAID: dict[str, Any] = {
    "Filter": _said_of_filter,
    "PostFilter": _said_of_post_filter,
    "Score": _said_of_score,
    "Reserve": _said_of_reserve,
    "Permit": _said_of_permit,
    "PreBind": _said_of_binding,
    "Bind": _said_of_binding,
    "PostBind": _said_of_binding,
}


def bound_seq(view: CycleView) -> int | None:
    """Return the cursor after the pod's binding, wherever the current cursor is; None if it was not bound."""
    return next((seq + 1 for seq, event in view.events if isinstance(event, ev.Bound)), None)


def rejected_by_pre_filter(view: CycleView) -> PluginAnswer | None:
    """Return the answer of the plugin whose PreFilter ended the cycle, None where none did."""
    bad = [s for s in statuses_of(view.events_so_far, "PreFilter") if s.code not in (Code.SUCCESS, Code.SKIP)]
    return answer_of(bad[-1]) if bad else None


def preempting_plugin(view: CycleView) -> str:
    """Return the PostFilter plugin whose preemption the cycle has: kube-scheduler's own if it answered, else the last
    that did; "" if none did.
    """
    plugins = [status.plugin for status in statuses_of(view.events, "PostFilter")]
    return next((plugin for plugin in plugins if plugin in PREEMPTING), plugins[-1] if plugins else "")


def skipped_plugins(view: CycleView) -> list[str]:
    """Return the plugins that said in PreFilter that they have nothing to filter."""
    return [status.plugin for status in statuses_of(view.events_so_far, "PreFilter") if status.code == Code.SKIP]
