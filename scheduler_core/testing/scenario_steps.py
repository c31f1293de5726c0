"""Recorded attempts in the format of the conformance data: events and frames in, ``steps`` out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from scheduler_core.engine.attempt import SchedulingAttempt
from scheduler_core.engine.simulation import Simulation
from scheduler_core.framework.contracts.extending.recorded import is_extender
from scheduler_core.framework.contracts.filter_outcome import NOT_VISITED, FilterOutcome
from scheduler_core.framework.contracts.status import Code
from scheduler_core.framework.preemption.decision import NO_CANDIDATE
from scheduler_core.recording import events as ev
from scheduler_core.recording.frames.frame import Frame
from scheduler_core.recording.reader import MemoryStore, RecordingReader
from scheduler_core.testing.device_scenarios import pre_bind_failure
from scheduler_core.testing.extending.steps import (
    Group,
    Groups,
    Recorded,
    ScoredNodes,
    add_extended,
    bind_error,
    candidate_entries,
    extender_calls,
    is_left_out,
    more_nodes,
)

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


class StepBuilder:
    """Steps of the attempts of one pod. One builder per file; ``watch`` is called while the engine works."""

    def __init__(self, simulation: Simulation, *, compact: bool, sampling: bool) -> None:
        self.simulation = simulation
        self.extenders = simulation.context.extenders is not None
        self.compact = compact
        self.sampling = sampling
        self.store = MemoryStore(simulation.recorder.keyframe(None))
        self.reader = RecordingReader(self.store)

    def watch(self, attempt: SchedulingAttempt) -> StepAnswer:
        """Keep what the recording does not hold."""
        table = self.simulation.context.cluster.table
        return StepAnswer(attempt, table.names, table.order.tolist())

    def steps(self, first_seq: int, answers: Sequence[StepAnswer], tried: int) -> list[Step]:
        """The steps of the attempts since ``first_seq``."""
        self.store.add(self.simulation.recorder.cut_chunk(None))
        events = [event for _, event in self.reader.events(first_seq, self.simulation.recorder.head_seq)]
        steps = []
        for i, (started, inside) in enumerate(_cycles(events)):
            bound = [e for e in events if isinstance(e, ev.ExtendersBound | ev.Unreserved) and e.cycle == started.cycle]
            recorded = Recorded([*inside, *bound], self._frame(started.cycle, inside))
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
        if extended := extender_calls(recorded, answer.names, step.get("feasible", [])):
            step["extenders"] = extended
        if failure := self._pre_bind_failure(recorded):
            pre_bind = {"code": Code.ERROR.label, "reasons": [failure]}
            step |= {"result": "error", "error": failure, "preBind": pre_bind, "triedNode": step.pop("node")}
        elif failure := bind_error(recorded):
            step |= {"result": "error", "error": failure}
            del step["node"]
        return step

    def _pre_bind_failure(self, recorded: Recorded) -> str:
        unreserved = recorded.one(ev.Unreserved)
        return "" if unreserved is None else pre_bind_failure(unreserved.reason)

    # --- PreFilter and Filter --------------------------------------------------------------------------------------
    def _pre_filter(self, step: Step, recorded: Recorded) -> None:
        point = recorded.point("PreFilter")
        if point is None or not point.statuses:
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
        feasible = sorted([*(names[row] for row in frame.feasible().tolist()), *more_nodes(recorded)])
        if feasible:
            step["feasible"] = feasible
        if self.compact:
            step.pop("feasible", None)
            step["feasibleCount"] = len(feasible)
        if self.sampling:
            step["startIndex"], step["nextStartIndex"] = filtered.start, filtered.next_start
        groups = _refused(frame, names)
        add_extended(groups, recorded, frame, names)
        if groups and not (filtered.nominated_only and recorded.one(ev.ExtendersFiltered) is None):
            step["filter"] = self._grouped(groups)
        if self.sampling:
            return
        self._absent(step, frame, answer, nominated_only=filtered.nominated_only)
        if not answer.pre_filter_failed and not self.compact and answer.all_filters is not None:
            self._all_filters(step, answer.all_filters, answer)

    def _absent(self, step: Step, frame: Frame, answer: StepAnswer, *, nominated_only: bool) -> None:
        rows = [row for row in answer.order if frame.decisive[row] == NOT_VISITED or is_left_out(frame, row)]
        if answer.absent is None or not rows or nominated_only or self.compact:
            return
        names = sorted(answer.names[row] for row in rows)
        verdict = {"code": answer.absent.code.label, "reasons": list(answer.absent.reasons), "nodes": names}
        step["absent"] = {"plugin": answer.absent.plugin, **verdict} if answer.absent.plugin else verdict

    def _all_filters(self, step: Step, outcome: FilterOutcome, answer: StepAnswer) -> None:
        plugins = [plugin for plugin in outcome.plugins if not is_extender(plugin)]
        step["allFiltersRun"] = plugins
        verdicts_by_plugin = {}
        for i, plugin in enumerate(plugins):
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

    def _grouped(self, groups: Mapping[Group, list[str]]) -> list[Step]:
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
        if point is None:
            step["top"] = [selected.node]
            return
        scored = ScoredNodes(frame, recorded, answer.names)
        names, totals = scored.names, scored.totals(selected.total)
        best = max(totals)
        step["top"] = [name for name, total in zip(names, totals, strict=True) if total == best]
        step["topScore"] = best
        if self.compact:
            self._compact_scores(step, names, totals)
            return
        step["preScore"] = {s.plugin: Code(s.code).label for s in point.statuses}
        step["total"] = totals
        step["score"] = {
            plugin: {"weight": frame.weights[i], "raw": scored.raw(i), "norm": scored.norm(i)}
            for i, plugin in enumerate(frame.score_plugins)
            if not is_extender(plugin)
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
        extended: ev.ExtendersPreempted | None = recorded.one(ev.ExtendersPreempted)
        message = step["fitError"]
        last = point.statuses[-1]
        nominated = decision.nominated_node if decision is not None else None
        code = "Success" if last.code == Code.SUCCESS else "Unschedulable" if nominated is not None else "NoNomination"
        told_step: Step = {"code": code, "message": "" if code == "Success" else _appended(message, point)}
        told_step |= {"pdbViolations": 0, "eligible": decision.eligible if decision is not None else True}
        if nominated is not None:
            told_step["nominatedNode"] = nominated
        if decision is not None:
            self._decision(told_step, decision, extended, answer)
        step["postFilter"] = told_step

    def _decision(
        self, step: Step, decision: ev.PreemptionDecided, extended: ev.ExtendersPreempted | None, answer: StepAnswer
    ) -> None:
        if (chosen := decision.nominated) is not None:
            step["victims"] = list(chosen.victims)
            step["pdbViolations"] = chosen.violations
            step["tied"] = sorted(decision.tied)
        before = decision.candidates if extended is None else extended.candidates
        if candidates := sorted(before, key=lambda c: c.node):
            step["candidates"] = candidate_entries(candidates[:MAX_CANDIDATES] if self.compact else candidates)
            if self.extenders and (decision.nominated_node or decision.message == NO_CANDIDATE):
                step["candidatesAfterExtenders"] = candidate_entries(sorted(decision.candidates, key=lambda c: c.node))
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


def _refused(frame: Frame, names: list[str]) -> Groups:
    """Names of refused nodes by (plugin, code, reasons) of the refusal that counts."""
    groups: Groups = defaultdict(list)
    overlaid = {entry.row for entry in frame.overlay}
    for entry in frame.overlay:
        groups[entry.plugin, entry.code, entry.reasons].append(names[entry.row])
    for row in np.flatnonzero(frame.decisive >= 0).tolist():
        i = int(frame.decisive[row])
        if row in overlaid or is_extender(frame.filter_plugins[i]):
            continue
        reasons = tuple(frame.reason_table[int(frame.reasons[i, row])])
        groups[frame.filter_plugins[i], int(frame.codes[i, row]), reasons].append(names[row])
    return groups


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
