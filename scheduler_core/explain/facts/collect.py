"""Asks the plugins of a pod's profile for their facts about nodes, on the state of a run between two steps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.engine.simulation import Simulation
from scheduler_core.explain.facts.model import FilterFacts, NodeFacts, ScoreFacts, ToldFact, Verdict
from scheduler_core.explain.facts.texts import text
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.extending.recorded import is_extender
from scheduler_core.framework.contracts.facts import Facts
from scheduler_core.framework.contracts.plugin import FilterPlugin, ScorePlugin
from scheduler_core.framework.contracts.status import Code, Status
from scheduler_core.framework.runtime.cacheable_answers import ClassAnswers
from scheduler_core.framework.runtime.filter_phase import FilterPhase
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.framework.runtime.pre_filter_phase import run_pre_filter
from scheduler_core.framework.runtime.score_phase import run_pre_score, run_scores
from scheduler_core.recording.frames.frame import Cell, Frame


def node_facts(
    simulation: Simulation, pod: str, nodes: Iterable[str], recorded: Frame | None = None
) -> tuple[NodeFacts, ...]:
    """The facts of a pod (namespace/name) on each named node, on the state as it is; it stays as it is.

    ``recorded`` is the frame of the cycle that started from this state. Its verdicts and numbers take precedence, and
    differences from what the plugins say now are noted. Raises KeyError for a pod or node that the state does not have,
    and what plugins raise (PluginRaised, FilterError, ScoreError).
    """
    return Questions(simulation, pod, recorded).about(nodes)


class Questions:
    """The result of PreFilter and the scored rows of one pod on one state, computed once for facts on any node."""

    def __init__(self, simulation: Simulation, pod: str, recorded: Frame | None = None) -> None:
        unplaced = _unplaced(simulation, pod)
        self.cluster = simulation.context.cluster
        self.framework: Framework = simulation.frameworks[unplaced.scheduler_name]
        self.info: PodInfo = self.cluster.info(unplaced)
        self.recorded = recorded
        self.cycle = CycleState()
        self.pre_filter = run_pre_filter(self.framework, self.cycle, self.info)
        self._answers = {name: (status, nodes) for name, status, nodes in self.pre_filter.statuses}
        self._frame = self._scored()

    def about(self, nodes: Iterable[str]) -> tuple[NodeFacts, ...]:
        """The facts on each node."""
        return tuple(self._node(name) for name in nodes)

    def about_pod(self) -> tuple[FilterFacts, ...]:
        """The facts of the plugins whose PreFilter rejected the pod as a whole."""
        return tuple(
            self._rejection(plugin.name) for plugin in self.framework.points.pre_filter if self._rejects(plugin.name)
        )

    def _node(self, name: str) -> NodeFacts:
        row = self.cluster.table.row_of[name]
        view, rivals = self.cluster.view(row), self._with_nominated(row)
        filters = (*(self._filter(plugin, view, rivals) for plugin in self._filtering()), *self._extenders(row))
        scores = () if self._frame is None else tuple(self._score(i, row) for i in self._scored_by(row))
        return NodeFacts(pod=self.info.key, node=name, filters=filters, scores=scores)

    # --- filters -----------------------------------------------------------------------------------------------------
    def _filtering(self) -> list[FilterPlugin[Any]]:
        """The profile's filters, and other plugins whose PreFilter rejected the pod."""
        points = self.framework.points
        names = {plugin.name for plugin in points.filter}
        rejecting = [p for p in points.pre_filter if p.name not in names and self._rejects(p.name)]
        return [*points.filter, *rejecting]  # type: ignore[list-item]

    def _extenders(self, row: int) -> tuple[FilterFacts, ...]:
        """What the extenders that were asked said of the row, as recorded; they are not asked again."""
        frame = self.recorded
        if frame is None or row >= frame.n_rows:
            return ()
        verdicts = {name: frame.verdict(name, row) for name in frame.filter_plugins if is_extender(name)}
        return tuple(
            FilterFacts(plugin=name, verdict=_verdict(one.cell), code=one.code, reasons=one.reasons)
            for name, one in verdicts.items()
        )

    def _rejects(self, name: str) -> bool:
        return name in self._answers and self._answers[name][0].is_rejected

    def _filter(self, plugin: FilterPlugin[Any], view: NodeView, rivals: _Rivals | None) -> FilterFacts:
        name = plugin.name
        if name in self.cycle.skip_filter:
            return FilterFacts(plugin=name, verdict="skipped")
        if self._rejects(name):
            return self._rejection(name)
        if not self.pre_filter.status.is_success and name not in self.pre_filter.narrowing:
            return FilterFacts(plugin=name, verdict="not asked")
        return self._on_node(plugin, view, rivals)

    def _rejection(self, name: str) -> FilterFacts:
        status, facts = self._answers[name][0], self._pre_filter_facts(name)
        return FilterFacts(
            plugin=name,
            verdict="refused",
            code=int(status.code),
            reasons=status.reasons,
            facts=with_texts(facts),
            whole_pod=True,
        )

    def _pre_filter_facts(self, name: str) -> Facts:
        return next(p.pre_filter_facts(self.info) for p in self.framework.points.pre_filter if p.name == name)

    def _on_node(self, plugin: FilterPlugin[Any], view: NodeView, rivals: _Rivals | None) -> FilterFacts:
        """The verdict without and with nominated pods; the facts are of the one that refuses, or counts more pods."""
        state = self.cycle.filter_state.get(plugin.name)
        plain = status = plugin.filter_node(state, self.info, view)
        if rivals is not None:
            counted = plugin.filter_node(rivals.cycle.filter_state.get(plugin.name), self.info, rivals.view)
            if plain.is_success or not counted.is_success:
                status, state, view = counted, rivals.cycle.filter_state.get(plugin.name), rivals.view
        computed = FilterFacts(
            plugin=plugin.name,
            verdict="passed" if status.is_success else "refused",
            code=int(status.code),
            reasons=status.reasons,
            facts=with_texts(plugin.filter_facts(state, self.info, view)),
            with_nominated=plain.is_success and not status.is_success,
        )
        return computed if self.recorded is None else as_recorded(computed, plain, self.recorded, view.row)

    def _with_nominated(self, row: int) -> _Rivals | None:
        """The node with the nominated pods that count against the pod, as the filter phase counts them in."""
        framework, view = self.framework, self.cluster.view(row)
        nominated = framework.run.nominated_pods(view.name)
        rivals = [n for n in nominated if n.pod.priority >= self.info.pod.priority and n.key != self.info.key]
        if not rivals or not self.pre_filter.status.is_success:
            return None
        cycle = framework.clone_cycle(self.cycle)
        for rival in rivals:
            view.add_pod(rival)
            if not framework.pre_filter_add(cycle, self.info, rival, view).is_success:
                return None
        return _Rivals(cycle, view)

    # --- scores ------------------------------------------------------------------------------------------------------
    def _scored(self) -> Frame | None:
        """The frame whose scores count, with PreScore run for its rows; None where nothing was scored."""
        frame = self.recorded
        if frame is None:
            frame = self._decided()
        elif frame.score_plugins:
            run_pre_score(self.framework, self.cycle, self.info, frame.feasible(), ClassAnswers())
        return frame if frame is not None and frame.score_plugins else None

    def _decided(self) -> Frame | None:
        """The frame of the phases as they would run now; None also where extenders would have to be asked."""
        if not self.pre_filter.status.is_success or self.framework.run.extenders is not None:
            return None
        outcome = FilterPhase(self.framework).run(self.cycle, self.info, self.pre_filter)
        if len(outcome.feasible) <= 1:
            return None
        scores = run_scores(self.framework, self.cycle, self.info, outcome.feasible)
        return Frame.from_cycle(0, self.info.cls.template, outcome, scores)

    def _scored_by(self, row: int) -> range:
        """Indices of the score plugins, none where the row was not scored."""
        assert self._frame is not None
        n = len(self._frame.score_plugins) if row < self._frame.n_rows and row in self._frame.feasible() else 0
        return range(n)

    def _score(self, index: int, row: int) -> ScoreFacts:
        frame = self._frame
        assert frame is not None
        name, normalization = frame.score_plugins[index], frame.normalizations[index]
        raw, weight = int(frame.raw[index, row]), frame.weights[index]
        plugin = self.framework.plugins.get(name)
        facts: tuple[ToldFact, ...] = ()
        difference = ""
        if isinstance(plugin, ScorePlugin):
            view, state = self.cluster.view(row), self.cycle.score_state.get(name)
            facts = with_texts(plugin.score_facts(state, self.info, view))
            now = plugin.score_node(state, self.info, view)
            difference = "" if now == raw else f"the raw score recorded is {raw}; computed now it is {now}"
        return ScoreFacts(
            plugin=name,
            raw=raw,
            normalised=int(frame.normalized(index)[row]),
            weight=weight,
            kind=normalization.kind,
            params=normalization.params,
            facts=facts,
            difference=difference,
        )


class _Rivals(NamedTuple):
    """A cycle and a view of a node with the nominated pods counted in."""

    cycle: CycleState
    view: NodeView


def _unplaced(simulation: Simulation, key: str) -> Pod:
    """The pod as the queue has it, or without its node where it is placed. Raises KeyError for an unknown one."""
    queued = simulation.queue.get(key)
    pod = simulation.world.pods[key] if queued is None else queued.pod
    return msgspec.structs.replace(pod, node_name="") if pod.node_name else pod


def with_texts(facts: Facts) -> tuple[ToldFact, ...]:
    """The facts with their words."""
    return tuple(ToldFact(fact, text(fact)) for fact in facts)


def as_recorded(computed: FilterFacts, plain: Status, frame: Frame, row: int) -> FilterFacts:
    """The recorded verdict, with the differences from the computed one; ``plain`` is that without nominated pods.

    For the pass with nominated pods, the frame holds only the first plugin that refuses. So verdicts of later plugins
    in that pass are not differences.
    """
    if computed.plugin not in frame.filter_plugins or row >= frame.n_rows:
        return computed
    verdict = frame.verdict(computed.plugin, row)
    if verdict.cell is Cell.NOT_EVALUATED:
        return msgspec.structs.replace(computed, verdict="not asked", code=0, reasons=())
    entry = frame.overlay_at(row)
    if entry is not None and entry.plugin == computed.plugin:
        return _with(computed, entry.code, entry.reasons, Status(Code(computed.code), computed.reasons))
    index = frame.filter_plugins.index(computed.plugin)
    code, reasons = int(frame.codes[index, row]), tuple(frame.reason_table[int(frame.reasons[index, row])])
    if computed.with_nominated and not code and plain.is_success and entry is not None:
        return computed
    return _with(computed, code, reasons, plain)


def _with(computed: FilterFacts, code: int, reasons: tuple[str, ...], now: Status) -> FilterFacts:
    """The computed facts with the recorded code and reasons, and the text of what differs ``now``."""
    difference = ""
    if (code, reasons) != (int(now.code), now.reasons):
        computed_now = _refusal_text(int(now.code), now.reasons)
        difference = f"recorded was {_refusal_text(code, reasons)}; computed now it is {computed_now}"
    verdict: Verdict = "refused" if code else "passed"
    return msgspec.structs.replace(computed, verdict=verdict, code=code, reasons=reasons, difference=difference)


def _verdict(cell: Cell) -> Verdict:
    if cell is Cell.NOT_EVALUATED:
        return "not asked"
    return "passed" if cell is Cell.PASSED else "refused"


def _refusal_text(code: int, reasons: tuple[str, ...]) -> str:
    return f'a refusal, "{"; ".join(reasons)}"' if code else "no refusal"
