"""Makes the summary rows of events.

RowBuilder holds the open cycle between calls. Chunks are cut only between cycles, so a fresh builder may begin at any
chunk; feeding it from the middle of a cycle raises RecordingError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from scheduler_core.framework.contracts.status import Code
from scheduler_core.framework.preemption.decision import VictimSet
from scheduler_core.recording import events as ev
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.rows import (
    CycleRow,
    PluginScoreRow,
    PreemptionRow,
    QueueMoveRow,
    SummaryRows,
    VerdictRow,
    VictimRow,
)

REASON_SEPARATOR = ", "
_PASSES = frozenset((int(Code.SUCCESS), int(Code.SKIP)))


class _OpenCycle:
    """The facts of a cycle that has not finished yet."""

    def __init__(self, seq: int, started: ev.CycleStarted) -> None:
        self.first_seq = seq
        self.started = started
        self.filtered: ev.NodesFiltered | None = None
        self.selected: ev.HostSelected | None = None
        self.pre_filter: list[ev.PluginStatus] = []
        self.preempting = False

    def row(self, seq: int, finished: ev.CycleFinished) -> CycleRow:
        started, filtered, selected = self.started, self.filtered, self.selected
        total = selected.total if selected is not None and selected.total >= 0 else None
        second = selected.second_total if selected is not None and selected.second_total >= 0 else None
        return CycleRow(
            cycle=started.cycle,
            first_seq=self.first_seq,
            last_seq=seq,
            pod=started.pod,
            attempt=started.attempt,
            profile=started.profile,
            priority=started.priority,
            template=started.template,
            outcome=finished.outcome,
            node=finished.node,
            message=finished.message,
            n_nodes=started.n_nodes,
            visited=filtered.visited if filtered is not None else 0,
            feasible=filtered.feasible if filtered is not None else 0,
            total=total,
            second_node=selected.second if selected is not None else "",
            second_total=second,
            margin=total - second if total is not None and second is not None else None,
            tie_count=selected.tie_count if selected is not None else 0,
            at=started.at,
            preempting=self.preempting,
            pod_uid=started.uid or None,
        )


class RowBuilder:
    """Collects rows from events in order of seq; ``take`` hands them over."""

    def __init__(self) -> None:
        self._rows = SummaryRows.empty()
        self._open: _OpenCycle | None = None
        self._handlers: dict[type, Callable[[int, Any], None]] = {
            ev.CycleStarted: self._cycle_started,
            ev.PointFinished: self._point_finished,
            ev.NodesFiltered: self._nodes_filtered,
            ev.NodesScored: self._nodes_scored,
            ev.HostSelected: self._host_selected,
            ev.PreemptionDecided: self._preemption,
            ev.CycleFinished: self._cycle_finished,
            ev.QueueMove: self._queue_move,
        }

    def add(self, seq: int, event: ev.AnyEvent) -> None:
        """Add the event to the rows or to the open cycle."""
        self.extend([(seq, event)])

    def extend(self, events: Iterable[tuple[int, ev.AnyEvent]]) -> None:
        """Add several (seq, event)."""
        handler_of = self._handlers.get
        for seq, event in events:
            handler = handler_of(type(event))
            if handler is not None:
                handler(seq, event)

    def take(self) -> SummaryRows:
        """The rows since the last call. Raises RecordingError inside a cycle, whose rows must stay together."""
        if self._open is not None:
            raise RecordingError(f"cycle {self._open.started.cycle} is open; rows are taken between cycles")
        rows, self._rows = self._rows, SummaryRows.empty()
        return rows

    def _cycle_started(self, seq: int, event: ev.CycleStarted) -> None:
        if self._open is not None:
            raise RecordingError(f"cycle {event.cycle} starts while cycle {self._open.started.cycle} is open")
        self._open = _OpenCycle(seq, event)

    def _cycle(self, seq: int, cycle: int) -> _OpenCycle:
        if self._open is None or self._open.started.cycle != cycle:
            raise RecordingError(f"event {seq} belongs to cycle {cycle}, which is not open")
        return self._open

    def _point_finished(self, seq: int, event: ev.PointFinished) -> None:
        if event.point == "PreFilter":
            self._cycle(seq, event.cycle).pre_filter = [s for s in event.statuses if s.nodes is not None or _refuses(s)]

    def _nodes_filtered(self, seq: int, event: ev.NodesFiltered) -> None:
        opened = self._cycle(seq, event.cycle)
        opened.filtered = event
        self._rows.verdicts.extend(
            VerdictRow(event.cycle, r.plugin, r.code, REASON_SEPARATOR.join(r.reasons), r.count) for r in event.refusals
        )
        if event.absent:
            self._absent(opened, event.absent)

    def _absent(self, opened: _OpenCycle, nodes: int) -> None:
        """One row for the nodes that PreFilter cut off: by the plugin that refused, or by those that narrowed."""
        refusing = [s for s in opened.pre_filter if _refuses(s)]
        status = refusing[-1] if refusing else None
        plugin = status.plugin if status else REASON_SEPARATOR.join(sorted(s.plugin for s in opened.pre_filter))
        code = status.code if status else int(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)
        names = " ".join(sorted(s.plugin for s in opened.pre_filter))
        reasons = REASON_SEPARATOR.join(status.reasons) if status else f"node(s) didn't satisfy plugin(s) [{names}]"
        self._rows.verdicts.append(VerdictRow(opened.started.cycle, plugin, code, reasons, nodes))

    def _nodes_scored(self, seq: int, event: ev.NodesScored) -> None:
        self._cycle(seq, event.cycle)
        add = self._rows.plugin_scores.append
        for score in event.plugins:
            has_second = score.raw_second != -1 or score.norm_second != -1
            add(
                PluginScoreRow(
                    event.cycle,
                    score.plugin,
                    score.weight,
                    score.raw_winner,
                    score.norm_winner,
                    score.raw_second if has_second else None,
                    score.norm_second if has_second else None,
                    score.norm_min,
                    score.norm_max,
                    score.norm_mean,
                    score.decided,
                )
            )

    def _host_selected(self, seq: int, event: ev.HostSelected) -> None:
        self._cycle(seq, event.cycle).selected = event

    def _preemption(self, seq: int, event: ev.PreemptionDecided) -> None:
        chosen = event.nominated
        self._cycle(seq, event.cycle).preempting = chosen is not None
        self._rows.preemptions.append(
            PreemptionRow(
                seq,
                event.cycle,
                event.at,
                event.pod,
                event.eligible,
                event.nominated_node or "",
                event.criterion,
                event.message,
                event.n_candidates,
                len(chosen.victims) if chosen else 0,
                chosen.violations if chosen else 0,
                event.pod_uid(event.pod) or None,
                chosen.highest_priority if chosen and chosen.victims else None,
            )
        )
        if chosen is not None:
            self._victims(seq, event, chosen)

    def _victims(self, seq: int, event: ev.PreemptionDecided, chosen: VictimSet) -> None:
        pods = [(pod, False) for pod in chosen.victims] + [(pod, True) for pod in chosen.reprieved]
        self._rows.victims.extend(
            VictimRow(seq, event.cycle, event.pod, chosen.node, pod, position, reprieved, event.pod_uid(pod) or None)
            for position, (pod, reprieved) in enumerate(pods)
        )

    def _cycle_finished(self, seq: int, event: ev.CycleFinished) -> None:
        opened = self._cycle(seq, event.cycle)
        if opened.filtered is None and any(map(_refuses, opened.pre_filter)):
            self._absent(opened, opened.started.n_nodes)
        self._rows.cycles.append(opened.row(seq, event))
        self._open = None

    def _queue_move(self, seq: int, event: ev.QueueMove) -> None:
        self._rows.queue_moves.append(
            QueueMoveRow(
                seq,
                event.at,
                event.pod,
                event.source,
                event.target,
                event.event,
                event.plugin,
                event.attempts,
                event.backoff_until,
                event.uid or None,
            )
        )


def _refuses(status: ev.PluginStatus) -> bool:
    return status.code not in _PASSES


def summary_rows(events: Iterable[tuple[int, ev.AnyEvent]]) -> SummaryRows:
    """The rows of these events, which must be whole cycles."""
    builder = RowBuilder()
    builder.extend(events)
    return builder.take()
