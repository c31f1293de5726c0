"""Tells recorded attempts in the format of the conformance data: events and frames in, ``steps`` out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.engine.attempt import SchedulingAttempt
from scheduler_core.engine.simulation import Simulation
from scheduler_core.framework.contracts.filter_outcome import NOT_VISITED, FilterOutcome
from scheduler_core.framework.contracts.normalizers import IGNORED, SPREAD
from scheduler_core.framework.contracts.status import Code
from scheduler_core.recording import events as ev
from scheduler_core.recording.frames.frame import Frame
from scheduler_core.recording.reader import MemoryStore, RecordingReader

MAX_CANDIDATES = 20
Step = dict[str, Any]


class StepAnswer:
    """What only the live attempt knows: verdicts on all nodes, and whether anything failed without a verdict."""

    def __init__(self, attempt: SchedulingAttempt, names: list[str], order: Sequence[int]) -> None:
        self.names = names
        self.order = list(order)
        self.all_filters: FilterOutcome | None = None if attempt.outcome is None else attempt.outcome.copy()
        self.pre_filter_failed = attempt.pre_filter is None or not attempt.pre_filter.status.is_success
        self.absent = attempt.outcome.absent if attempt.outcome is not None else None
        self.n_nodes = len(self.order)


class Recorded:
    """The events of one attempt, by type; and its frame."""

    def __init__(self, events: list[ev.AnyEvent], frame: Frame | None) -> None:
        self.frame = frame
        self.by_type: dict[type, list[Any]] = defaultdict(list)
        for event in events:
            self.by_type[type(event)].append(event)

    def one(self, kind: type[Any]) -> Any:
        """The only event of the kind, or None."""
        events = self.by_type.get(kind)
        return events[0] if events else None

    def point(self, name: str) -> ev.PointFinished | None:
        """The event of an extension point."""
        return next((e for e in self.by_type[ev.PointFinished] if e.point == name), None)


class StepTeller:
    """Tells the attempts of one pod. One teller per file; ``watch`` is called while the engine works."""

    def __init__(self, simulation: Simulation, *, compact: bool, sampling: bool) -> None:
        self.simulation = simulation
        self.compact = compact
        self.sampling = sampling
        self.store = MemoryStore(simulation.recorder.keyframe(None))
        self.reader = RecordingReader(self.store)

    def watch(self, attempt: SchedulingAttempt) -> StepAnswer:
        """Keep what the recording does not hold."""
        table = self.simulation.context.cluster.table
        return StepAnswer(attempt, table.names, table.order.tolist())

    def tell(self, first_seq: int, answers: Sequence[StepAnswer], tried: int) -> list[Step]:
        """The steps of the attempts since ``first_seq``."""
        self.store.add(self.simulation.recorder.cut_chunk(None))
        events = [event for _, event in self.reader.events(first_seq, self.simulation.recorder.head_seq)]
        steps = []
        for i, (started, inside) in enumerate(_cycles(events)):
            recorded = Recorded(inside, self._frame(started.cycle, inside))
            steps.append(self._step(started, recorded, answers[i], tried + i + 1))
        return steps

    def _frame(self, cycle: int, events: Iterable[ev.AnyEvent]) -> Frame | None:
        filtered = any(isinstance(e, ev.NodesFiltered) for e in events)
        return self.reader.frame(cycle) if filtered else None

    def _step(self, started: ev.CycleStarted, recorded: Recorded, answer: StepAnswer, attempt: int) -> Step:
        finished = recorded.one(ev.CycleFinished)
        step: Step = {"pod": started.pod, "attempt": attempt, "profile": started.profile, "result": finished.outcome}
        if finished.node:
            step["node"] = finished.node
        self._pre_filter(step, recorded)
        if recorded.frame is not None:
            self._filter(step, recorded, recorded.frame, answer)
            self._scores(step, recorded, recorded.frame, answer)
        if finished.outcome == "error":
            if recorded.frame is None and not answer.pre_filter_failed and answer.all_filters is not None:
                self._all_filters(step, answer.all_filters, answer)
            step["error"] = finished.message
        elif finished.outcome == "unschedulable":
            step["fitError"] = finished.message
            if finished.plugins:
                step["unschedulablePlugins"] = list(finished.plugins)
            if finished.pending_plugins:
                step["pendingPlugins"] = list(finished.pending_plugins)
            self._post_filter(step, recorded, answer)
        return step

    # --- PreFilter and Filter --------------------------------------------------------------------------------------
    def _pre_filter(self, step: Step, recorded: Recorded) -> None:
        point = recorded.point("PreFilter")
        if point is None:
            return
        step["preFilter"] = [_status(s) for s in point.statuses]
        sets = [set(s.nodes) for s in point.statuses if s.nodes is not None]
        if sets and all(s.code in (Code.SUCCESS, Code.SKIP) for s in point.statuses):
            step["preFilterNodes"] = sorted(set.intersection(*sets))

    def _filter(self, step: Step, recorded: Recorded, frame: Frame, answer: StepAnswer) -> None:
        filtered = recorded.one(ev.NodesFiltered)
        if filtered.nominated_only and answer.n_nodes > 1:
            step["nominatedNodeOnly"] = True
        names = answer.names
        feasible = sorted(names[row] for row in frame.feasible().tolist())
        if feasible:
            step["feasible"] = feasible
        if self.compact:
            step.pop("feasible", None)
            step["feasibleCount"] = len(feasible)
        if self.sampling:
            step["startIndex"], step["nextStartIndex"] = filtered.start, filtered.next_start
        groups = _refused(frame, names)
        if groups and not filtered.nominated_only:
            step["filter"] = self._grouped(groups)
        if self.sampling:
            return
        self._absent(step, frame, answer, nominated_only=filtered.nominated_only)
        if not answer.pre_filter_failed and not self.compact and answer.all_filters is not None:
            self._all_filters(step, answer.all_filters, answer)

    def _absent(self, step: Step, frame: Frame, answer: StepAnswer, *, nominated_only: bool) -> None:
        rows = [row for row in answer.order if frame.decisive[row] == NOT_VISITED]
        if answer.absent is None or not rows or nominated_only or self.compact:
            return
        names = sorted(answer.names[row] for row in rows)
        verdict = {"code": answer.absent.code.label, "reasons": list(answer.absent.reasons), "nodes": names}
        step["absent"] = {"plugin": answer.absent.plugin, **verdict} if answer.absent.plugin else verdict

    def _all_filters(self, step: Step, outcome: FilterOutcome, answer: StepAnswer) -> None:
        step["allFiltersRun"] = list(outcome.plugins)
        verdicts_by_plugin = {}
        for i, plugin in enumerate(outcome.plugins):
            groups: dict[tuple[int, tuple[str, ...]], list[str]] = defaultdict(list)
            for row in answer.order:
                if outcome.codes[i, row]:
                    reasons = outcome.reason_table.entries[int(outcome.reasons[i, row])]
                    groups[int(outcome.codes[i, row]), reasons].append(answer.names[row])
            if groups:
                verdicts_by_plugin[plugin] = [
                    {"code": Code(code).label, "reasons": list(reasons), "nodes": sorted(nodes)}
                    for (code, reasons), nodes in sorted(groups.items(), key=_group_order)
                ]
        if verdicts_by_plugin:
            step["allFilters"] = verdicts_by_plugin

    def _grouped(self, groups: dict[tuple[str, int, tuple[str, ...]], list[str]]) -> list[Step]:
        """Groups in the order of the data: by plugin, code and reasons."""
        entries = []
        for (plugin, code, reasons), nodes in sorted(groups.items(), key=_group_order):
            entry: Step = {"plugin": plugin} if plugin else {}
            entry |= {"code": Code(code).label}
            if reasons:
                entry["reasons"] = list(reasons)
            entries.append(entry | ({"count": len(nodes)} if self.compact else {"nodes": sorted(nodes)}))
        return entries

    # --- Score -----------------------------------------------------------------------------------------------------
    def _scores(self, step: Step, recorded: Recorded, frame: Frame, answer: StepAnswer) -> None:
        selected = recorded.one(ev.HostSelected)
        if selected is None:
            return
        point = recorded.point("PreScore")
        rows = np.array(sorted(frame.feasible().tolist(), key=lambda row: answer.names[row]), dtype=np.int64)
        if point is None:
            step["top"] = [selected.node]
            return
        totals = frame.totals()[rows] if frame.score_plugins else np.full(len(rows), selected.total, dtype=np.int64)
        best = int(totals.max())
        step["top"] = [answer.names[row] for row in rows[totals == best].tolist()]
        step["topScore"] = best
        if self.compact:
            self._compact_scores(step, [answer.names[row] for row in rows.tolist()], totals.tolist())
            return
        step["preScore"] = {s.plugin: Code(s.code).label for s in point.statuses}
        step["total"] = totals.tolist()
        step["score"] = {
            plugin: {
                "weight": frame.weights[i],
                "raw": _raw(frame, i, rows),
                "norm": frame.normalized(i)[rows].tolist(),
            }
            for i, plugin in enumerate(frame.score_plugins)
        }

    def _compact_scores(self, step: Step, names: list[str], totals: list[int]) -> None:
        pairs = list(zip(names, totals, strict=True))
        step["top5"] = [list(pair) for pair in sorted(pairs, key=lambda p: (-p[1], p[0]))[:5]]
        text = "".join(f"{name}:{total}\n" for name, total in pairs)
        step["totalsHash"] = sha256(text.encode()).hexdigest()[:16]

    # --- PostFilter ------------------------------------------------------------------------------------------------
    def _post_filter(self, step: Step, recorded: Recorded, answer: StepAnswer) -> None:
        point = recorded.point("PostFilter")
        if point is None:
            return
        decision: ev.PreemptionDecided | None = recorded.one(ev.PreemptionDecided)
        message = step["fitError"]
        last = point.statuses[-1]
        nominated = decision.nominated_node if decision is not None else None
        code = "Success" if last.code == Code.SUCCESS else "Unschedulable" if nominated is not None else "NoNomination"
        told_step: Step = {"code": code, "message": "" if code == "Success" else _appended(message, point)}
        told_step |= {"pdbViolations": 0, "eligible": decision.eligible if decision is not None else True}
        if nominated is not None:
            told_step["nominatedNode"] = nominated
        if decision is not None:
            self._decision(told_step, decision, answer)
        step["postFilter"] = told_step

    def _decision(self, step: Step, decision: ev.PreemptionDecided, answer: StepAnswer) -> None:
        if (chosen := decision.nominated) is not None:
            step["victims"] = list(chosen.victims)
            step["pdbViolations"] = chosen.violations
            step["tied"] = sorted(decision.tied)
        if candidates := sorted(decision.candidates, key=lambda c: c.node):
            step["candidates"] = [
                {"node": c.node, "victims": list(c.victims), "pdbViolations": c.violations}
                for c in (candidates[:MAX_CANDIDATES] if self.compact else candidates)
            ]
        groups = {(r.plugin, r.code, r.reasons): _names(r.rows, answer.names) for r in decision.not_candidates}
        if groups:
            step["notCandidates"] = self._grouped(groups)
        if decision.cleared_nominations:
            step["clearedNominations"] = sorted(decision.cleared_nominations)


def _cycles(events: Iterable[ev.AnyEvent]) -> list[tuple[ev.CycleStarted, list[ev.AnyEvent]]]:
    """(start, events up to the finish) of each cycle."""
    cycles: list[tuple[ev.CycleStarted, list[ev.AnyEvent]]] = []
    is_open = False
    for event in events:
        if isinstance(event, ev.CycleStarted):
            cycles.append((event, []))
            is_open = True
        if is_open:
            cycles[-1][1].append(event)
        if isinstance(event, ev.CycleFinished):
            is_open = False
    return cycles


def _status(status: ev.PluginStatus) -> Step:
    entry: Step = {"plugin": status.plugin, "code": Code(status.code).label}
    if status.reasons:
        entry["reasons"] = list(status.reasons)
    if status.nodes is not None:
        entry["nodes"] = list(status.nodes)
    return entry


def _refused(frame: Frame, names: list[str]) -> dict[tuple[str, int, tuple[str, ...]], list[str]]:
    """Names of refused nodes by (plugin, code, reasons) of the refusal that counts."""
    groups: dict[tuple[str, int, tuple[str, ...]], list[str]] = defaultdict(list)
    overlaid = {entry.row for entry in frame.overlay}
    for entry in frame.overlay:
        groups[entry.plugin, entry.code, entry.reasons].append(names[entry.row])
    for row in np.flatnonzero(frame.decisive >= 0).tolist():
        if row in overlaid:
            continue
        i = int(frame.decisive[row])
        reasons = tuple(frame.reason_table[int(frame.reasons[i, row])])
        groups[frame.filter_plugins[i], int(frame.codes[i, row]), reasons].append(names[row])
    return groups


def _raw(frame: Frame, index: int, rows: NDArray[np.int64]) -> list[int]:
    """Raw scores; the reference says 0 of nodes that topology spread ignores."""
    raw = frame.raw[index, rows]
    is_spread = frame.normalizations[index].kind == SPREAD
    scores: list[int] = np.where(raw == IGNORED, 0, raw).tolist() if is_spread else raw.tolist()
    return scores


def _names(bitmap: bytes, names: list[str]) -> list[str]:
    bits = np.unpackbits(np.frombuffer(bitmap, dtype=np.uint8))
    return [names[row] for row in np.flatnonzero(bits).tolist()]


def _group_order(group: tuple[tuple[Any, ...], list[str]]) -> str:
    """The order of groups in the data: as the text plugin|code|reasons."""
    *head, code, reasons = group[0]
    return "|".join([*head, Code(code).label, *reasons])


def _appended(message: str, point: ev.PointFinished) -> str:
    """The part of the failure message that PostFilter wrote."""
    reasons = [r for s in point.statuses if s.code != Code.ERROR for r in s.reasons]
    failed = [r for s in point.statuses if s.code == Code.ERROR for r in s.reasons]
    text = ", ".join(failed or reasons)
    return text if message.endswith(text) else message
