"""One cycle as of the cursor: what had happened of it, point by point, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dashboard.common.pages.extension_points import POINTS
from dashboard.common.pages.numbers import grouped
from dashboard.debugger.cursor import queries
from dashboard.debugger.labels import (
    CODE_MEANINGS,
    CODE_WORDS,
    plural,
    seconds,
    split_key,
)
from dashboard.runs.storage import recordings
from scheduler_core.recording import events as ev
from scheduler_core.recording.vocabulary import Code

if TYPE_CHECKING:
    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.runs.models import Cycle, QueueMove
    from scheduler_core.recording.reader import RecordingReader

# A binding ends a few cycles behind its own one; a pod that waits on Permit for longer is shown as waiting.
BINDING_EVENTS = 600

SeqEvent = tuple[int, ev.AnyEvent]


@dataclass(frozen=True)
class PluginAnswer:
    """What a plugin answered at a point."""

    plugin: str
    meaning: str
    words: str
    reasons: str


@dataclass(frozen=True)
class Point:
    """An extension point in the strip. `seq` is the cursor behind it, None where it did not run (yet)."""

    name: str
    meaning: str
    words: str
    seq: int | None
    is_cursor: bool
    answers: list[PluginAnswer] = field(default_factory=list)

    @property
    def ran(self) -> bool:
        """Return whether it had run at the cursor."""
        return self.meaning != "none"


@dataclass
class CycleView:
    """The cycle at the cursor. Parts that lie behind the cursor are None, `later` tells of its binding."""

    row: Cycle
    events: list[SeqEvent]
    known: list[SeqEvent]
    is_done: bool
    started: ev.CycleStarted
    filtered: ev.NodesFiltered | None
    scored: ev.NodesScored | None
    selected: ev.HostSelected | None
    preemption: ev.PreemptionDecided | None
    finished: ev.CycleFinished | None
    woken: QueueMove | None
    pending_us: int | None
    points: list[Point] = field(default_factory=list)

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
        """Return for how long the pod had waited in virtual time."""
        return seconds(self.pending_us) if self.pending_us is not None else ""

    @property
    def woken_by(self) -> str:
        """Return the cluster event that brought the pod into activeQ."""
        return self.woken.event if self.woken else ""

    @property
    def winner(self) -> str:
        """Return the selected node as far as the cursor knows it."""
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
        found = self.selected
        return found.total - found.second_total if found and found.second_total >= 0 else None

    @property
    def point(self) -> Point | None:
        """Return the point under the cursor."""
        return next((point for point in self.points if point.is_cursor), None)

    @property
    def narrowed(self) -> list[str]:
        """Return the plugins whose PreFilter left only some nodes."""
        statuses = _statuses(self.known, "PreFilter")
        return [status.plugin for status in statuses if status.nodes is not None]

    @property
    def left(self) -> int:
        """Return how many nodes the PreFilters left that left only some, 0 where none did."""
        named = [set(status.nodes) for status in _statuses(self.known, "PreFilter") if status.nodes is not None]
        return len(set.intersection(*named)) if named else 0


def cycle_view(cursor: Cursor) -> CycleView | None:
    """Return the cycle of the cursor as of its seq, None before the first cycle."""
    row = cursor.cycle
    if row is None:
        return None
    run = cursor.run
    events = recordings.read(run.pk, lambda reader: _events_of(reader, row), run.head)
    known = [(seq, event) for seq, event in events if seq < cursor.seq]
    first_seen = queries.first_seen(run, row.pod, row.pod_uid or "")
    view = CycleView(
        row=row,
        events=events,
        known=known,
        is_done=cursor.seq > row.last_seq,
        started=events[0][1],  # type: ignore[arg-type]
        filtered=_last(known, ev.NodesFiltered),
        scored=_last(known, ev.NodesScored),
        selected=_last(known, ev.HostSelected),
        preemption=_last(known, ev.PreemptionDecided),
        finished=_last(known, ev.CycleFinished),
        woken=queries.last_move_into_active(run, row.pod, row.pod_uid or "", row.first_seq),
        pending_us=row.at_us - first_seen if first_seen is not None else None,
    )
    view.points = _points(view, cursor)
    return view


def _events_of(reader: RecordingReader, row: Cycle) -> list[SeqEvent]:
    """The cycle's events from its start, and those of its binding, which other cycles may stand between."""
    inside = reader.events(row.first_seq, row.last_seq)
    if row.outcome != "scheduled":
        return inside
    for seq, event in reader.events(row.last_seq + 1, row.last_seq + BINDING_EVENTS):
        if getattr(event, "cycle", None) == row.number:
            inside.append((seq, event))
            if isinstance(event, ev.Bound | ev.Unreserved):
                break
    return inside


def _last(events: list[SeqEvent], kind: type) -> Any:
    return next((event for _, event in reversed(events) if isinstance(event, kind)), None)


def _statuses(events: list[SeqEvent], point: str) -> tuple[ev.PluginStatus, ...]:
    found = [event.statuses for _, event in events if isinstance(event, ev.PointFinished) and event.point == point]
    return found[-1] if found else ()


# ---------------------------------------------------------------- the strip


def _points(view: CycleView, cursor: Cursor) -> list[Point]:
    here = cursor.view.point or _point_of_cursor(view, cursor.seq)
    points = [_point(view, name, name == here) for name in POINTS]
    return _with_next(points) if not view.is_done else points


def _point_of_cursor(view: CycleView, seq: int) -> str:
    """The point of the event just behind the cursor; "" at the end of the cycle."""
    if view.is_done or not view.known:
        return ""
    return next((name for name in reversed(POINTS) if _seq_of(view, name) == seq), "")


def _with_next(points: list[Point]) -> list[Point]:
    """Say of the first point ahead of the cursor that it is next, and nothing of those behind it."""
    last = max((i for i, point in enumerate(points) if point.seq is not None), default=-1)
    return [replace(p, words="next" if i == last + 1 else "") if i > last else p for i, p in enumerate(points)]


_EVENTS_OF: dict[str, tuple[type, ...]] = {
    "Filter": (ev.NodesFiltered,),
    "PostFilter": (ev.PreemptionDecided,),
    "Score": (ev.NodesScored,),
    "Reserve": (ev.Reserved,),
    "Permit": (ev.PermitWaiting, ev.PermitDecided),
    "PreBind": (ev.Bound,),
    "Bind": (ev.Bound,),
    "PostBind": (ev.Bound,),
}


def _seq_of(view: CycleView, point: str) -> int | None:
    """The cursor behind the point's last event that is known, None where it did not run."""
    if point in ("PreEnqueue", "QueueSort"):
        return view.events[0][0] + 1
    kinds = _EVENTS_OF.get(point, ())
    found = None
    for seq, event in view.known:
        if isinstance(event, kinds) or (isinstance(event, ev.PointFinished) and event.point == point):
            found = seq + 1
    return found


def _point(view: CycleView, name: str, is_cursor: bool) -> Point:
    seq = _seq_of(view, name)
    answers = [_answer(status) for status in _statuses(view.known, name)]
    meaning, words = _SAID.get(name, _said_plainly)(view, name, seq)
    return Point(name, meaning, words, seq, is_cursor, answers)


def _answer(status: ev.PluginStatus) -> PluginAnswer:
    words = CODE_WORDS.get(status.code, "answered")
    if status.nodes is not None and status.code == Code.SUCCESS:
        words = f"ok, left {plural(len(status.nodes), 'node')}"
    return PluginAnswer(status.plugin, CODE_MEANINGS.get(status.code, "none"), words, ", ".join(status.reasons))


Said = tuple[str, str]


def _absent(view: CycleView) -> Said:
    return "none", "not run"


def _said_plainly(view: CycleView, name: str, seq: int | None) -> Said:
    statuses = _statuses(view.known, name)
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
    found = view.filtered
    if found is None:
        return _absent(view)
    return ("bound" if found.feasible else "unsched"), f"{grouped(found.feasible)} fit"


def _said_of_post_filter(view: CycleView, name: str, seq: int | None) -> Said:
    if view.preemption is not None and view.preemption.nominated_node:
        return "nomin", "nominated"
    if seq is None:
        return _absent(view)
    bad = any(status.code == Code.ERROR for status in _statuses(view.known, name))
    return ("error", "error") if bad else ("unres", "no help")


def _said_of_score(view: CycleView, name: str, seq: int | None) -> Said:
    if view.scored is not None:
        return "bound", "ok"
    if view.selected is not None:
        return "none", "one node"
    return _absent(view)


def _said_of_reserve(view: CycleView, name: str, seq: int | None) -> Said:
    if _last(view.known, ev.Unreserved) is not None:
        return "error", "taken back"
    return _said_plainly(view, name, seq)


def _said_of_permit(view: CycleView, name: str, seq: int | None) -> Said:
    decided, waiting = _last(view.known, ev.PermitDecided), _last(view.known, ev.PermitWaiting)
    if decided is not None:
        return ("bound", "allowed") if decided.allowed else ("unsched", "rejected")
    if waiting is not None:
        return "wait", "waits"
    if view.finished is not None and view.finished.outcome == "scheduled":
        return "bound", "ok"
    return _said_plainly(view, name, seq)


def _said_of_binding(view: CycleView, name: str, seq: int | None) -> Said:
    if _last(view.known, ev.Bound) is not None:
        return "bound", "ok"
    if _last(view.known, ev.Unreserved) is not None:
        return _absent(view)
    if _last(view.events, ev.Bound) is not None and view.is_done:
        return "none", "later"
    return _said_plainly(view, name, seq)


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
    """Return the cursor behind the pod's binding, wherever the present cursor is; None where it was not bound."""
    return next((seq + 1 for seq, event in view.events if isinstance(event, ev.Bound)), None)


def rejected_by_pre_filter(view: CycleView) -> PluginAnswer | None:
    """Return the answer of the plugin whose PreFilter ended the cycle, None where none did."""
    bad = [s for s in _statuses(view.known, "PreFilter") if s.code not in (Code.SUCCESS, Code.SKIP)]
    return _answer(bad[-1]) if bad else None


def skipped_plugins(view: CycleView) -> list[str]:
    """Return the plugins that said in PreFilter that they have nothing to filter."""
    return [status.plugin for status in _statuses(view.known, "PreFilter") if status.code == Code.SKIP]
