"""What extenders did in a recorded attempt, in the format of the conformance data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from scheduler_core.framework.contracts.extending.hooks import SCORE_RATIO
from scheduler_core.framework.contracts.extending.recorded import RefusedNodes, ReturnedVictims, is_extender
from scheduler_core.framework.contracts.filter_outcome import PASSED
from scheduler_core.framework.contracts.normalizers import IGNORED, SPREAD
from scheduler_core.framework.contracts.status import Code
from scheduler_core.framework.preemption.decision import VictimSet
from scheduler_core.recording import events as ev
from scheduler_core.recording.frames.frame import Frame

Entry = dict[str, Any]
Group = tuple[str, int, tuple[str, ...]]
"""Plugin, code and reasons of a status."""
Groups = defaultdict[Group, list[str]]
"""Names of nodes by their status."""


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


class ScoredNodes:
    """Scores of the feasible nodes in order of their names: those of the frame, and those that no frame has."""

    def __init__(self, frame: Frame, recorded: Recorded, names: Sequence[str]) -> None:
        self._frame = frame
        scored: ev.ExtendersScored | None = recorded.one(ev.ExtendersScored)
        self._unknown = {} if scored is None else {one.node: one for one in scored.unknown}
        row_of = {names[row]: row for row in frame.feasible().tolist()}
        self.names = sorted([*row_of, *more_nodes(recorded)])
        self._rows = [row_of.get(name, -1) for name in self.names]

    def totals(self, without: int) -> list[int]:
        """The totals; ``without`` is that of all nodes where nothing scored."""
        if not self._frame.score_plugins:
            return [without] * len(self.names)
        totals = self._frame.totals()
        return self._each(totals, lambda one: one.total)

    def raw(self, index: int) -> list[int]:
        """A plugin's raw scores; the reference says 0 of nodes that topology spread ignores."""
        raw = self._frame.raw[index]
        if self._frame.normalizations[index].kind == SPREAD:
            raw = np.where(raw == IGNORED, 0, raw)
        return self._each(raw, lambda one: one.raw[index])

    def norm(self, index: int) -> list[int]:
        """A plugin's normalised scores."""
        return self._each(self._frame.normalized(index), lambda one: one.norm[index])

    def _each(self, by_row: Any, of_unknown: Any) -> list[int]:
        pairs = zip(self.names, self._rows, strict=True)
        return [int(by_row[row]) if row >= 0 else of_unknown(self._unknown[name]) for name, row in pairs]


def more_nodes(recorded: Recorded) -> tuple[str, ...]:
    """Feasible nodes that the frame does not have."""
    filtered: ev.ExtendersFiltered | None = recorded.one(ev.ExtendersFiltered)
    return () if filtered is None else filtered.more


def is_left_out(frame: Frame, row: int) -> bool:
    """Whether an extender left the node out without a word, so that it has no status."""
    index = int(frame.decisive[row])
    return index >= 0 and is_extender(frame.filter_plugins[index]) and not frame.reasons[index, row]


def add_extended(groups: Groups, recorded: Recorded, frame: Frame, names: Sequence[str]) -> None:
    """Add the statuses that extenders gave to any node, and those of plugins on nodes that are feasible again."""
    filtered: ev.ExtendersFiltered | None = recorded.one(ev.ExtendersFiltered)
    if filtered is None:
        return
    statuses: dict[str, Group] = {}
    for row in np.flatnonzero(frame.decisive == PASSED).tolist():
        for i, plugin in enumerate(frame.filter_plugins):
            if frame.codes[i, row] and not is_extender(plugin) and names[row] not in statuses:
                reasons = tuple(frame.reason_table[int(frame.reasons[i, row])])
                statuses[names[row]] = (plugin, int(frame.codes[i, row]), reasons)
    refused = {name for (plugin, _, _), nodes in groups.items() if plugin for name in nodes}
    for call in filtered.calls:
        codes = {Code.UNSCHEDULABLE: call.failed, Code.UNSCHEDULABLE_AND_UNRESOLVABLE: call.unresolvable}
        for code, refusals in codes.items():
            for one in refusals:
                statuses.update({name: ("", int(code), (one.text,)) for name in one.nodes.sorted_names(names)})
    for name, group in statuses.items():
        if name not in refused:
            groups[group].append(name)


def extender_calls(recorded: Recorded, names: Sequence[str], feasible: Sequence[str]) -> Entry:
    """The key ``extenders`` of a step, empty where none was called."""
    entry: Entry = {}
    filtered, scored = recorded.one(ev.ExtendersFiltered), recorded.one(ev.ExtendersScored)
    preempted, bound = recorded.one(ev.ExtendersPreempted), recorded.one(ev.ExtendersBound)
    if filtered is not None:
        entry["filter"] = [_filter_call(call, names) for call in filtered.calls]
    if scored is not None and scored.calls and recorded.frame is not None:
        nodes = ScoredNodes(recorded.frame, recorded, names)
        lines = {call.name: _scores(nodes, recorded.frame, call.name) for call in scored.calls if not call.error}
        entry["prioritize"] = [_prioritize_call(call, lines, names, feasible) for call in scored.calls]
        weights = {call.name: call.weight * SCORE_RATIO for call in scored.calls}
        entry["added"] = [sum(weights[name] * line[i] for name, line in lines.items()) for i in range(len(feasible))]
    if preempted is not None:
        entry["preempt"] = _preempt_calls(preempted)
    if bound is not None:
        entry["bind"] = [_failure({"extender": call.extender, "node": bound.node}, call) for call in bound.calls]
    return entry


def bind_error(recorded: Recorded) -> str:
    """The error with which an extender's binding ended the attempt, "" where none did."""
    bound: ev.ExtendersBound | None = recorded.one(ev.ExtendersBound)
    return "" if bound is None or bound.calls[-1].ignored else bound.calls[-1].error


def candidate_entries(candidates: Sequence[VictimSet | ReturnedVictims]) -> list[Entry]:
    """Candidates of a preemption as a list."""
    return [{"node": c.node, "victims": list(c.victims), "pdbViolations": c.violations} for c in candidates]


def _filter_call(call: ev.FilterCall, names: Sequence[str]) -> Entry:
    entry: Entry = {"extender": call.extender, "given": call.given.sorted_names(names)}
    if call.nominated:
        entry["nominated"] = True
    if call.error:
        return _failure(entry, call)
    entry["passed"] = call.passed.sorted_names(names)
    for key, refusals in (("failed", call.failed), ("unresolvable", call.unresolvable)):
        if refusals:
            entry[key] = _texts(refusals, names)
    return entry


def _texts(refusals: Sequence[RefusedNodes], names: Sequence[str]) -> dict[str, str]:
    return {name: one.text for one in refusals for name in one.nodes.sorted_names(names)}


def _scores(nodes: ScoredNodes, frame: Frame, name: str) -> list[int]:
    return nodes.raw(frame.score_plugins.index(name))


def _prioritize_call(
    call: ev.PrioritizeCall, lines: dict[str, list[int]], names: Sequence[str], feasible: Sequence[str]
) -> Entry:
    entry: Entry = {"extender": call.extender}
    if call.error:
        return entry | {"error": call.error}
    unscored = set(call.unscored.sorted_names(names))
    scores = zip(feasible, lines[call.name], strict=True)
    return entry | {"weight": call.weight, "scores": [None if node in unscored else score for node, score in scores]}


def _preempt_calls(event: ev.ExtendersPreempted) -> list[Entry]:
    """The calls, each given what the one before returned."""
    entries = []
    given = _by_node(event.candidates)
    for call in event.calls:
        entry: Entry = {"extender": call.extender, "given": given}
        if call.error:
            entries.append(_failure(entry, call))
            continue
        returned = _by_node(call.returned)
        entries.append(entry | {"returned": returned})
        given = {node: one for node, one in returned.items() if one["victims"]}
    return entries


def _by_node(candidates: Sequence[VictimSet | ReturnedVictims]) -> dict[str, Entry]:
    return {one.node: {"victims": list(one.victims), "pdbViolations": one.violations} for one in candidates}


def _failure(entry: Entry, call: ev.FilterCall | ev.PreemptCall | ev.BindCall) -> Entry:
    if call.error:
        entry["error"] = call.error
        if call.ignored:
            entry["ignored"] = True
    return entry
