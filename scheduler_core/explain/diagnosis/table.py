"""The obstacles of a pod on every node, from the plugins' facts, without short circuit.

The verdicts of the attempt say which plugin refuses which rows; where the attempt ended before (PreFilter refused or
left nodes out), the filters are asked again without that. A plugin gives its facts once for rows that are alike to it,
so that the cost follows the number of kinds of nodes: example, a taint on 4,000 nodes is one fact. Facts of rows with
nominated pods are taken with these counted in where only they refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Node, Pod
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.diagnosis.model import ObstacleKey
from scheduler_core.explain.edited_objects import without_claim, without_device_claim
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.extending.recorded import is_extender
from scheduler_core.framework.contracts.facts import ClaimFact, DeviceClaimFact, Fact, Facts, LabelFact, TaintFact
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.obstacles import refused_by
from scheduler_core.framework.contracts.plugin import FilterPlugin
from scheduler_core.framework.contracts.status import Code, Status
from scheduler_core.framework.plugin_helpers.node_conditions import CORDON
from scheduler_core.framework.runtime.filter_phase import FilterPhase
from scheduler_core.framework.runtime.framework import Framework

Rows = NDArray[np.int64]


class BareRefusal(Fact, frozen=True, kw_only=True):
    """A refusal of which no fact is known: the plugin's or extender's own reason."""

    plugin: str
    reasons: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """Who refuses."""
        return self.plugin

    def words(self) -> str:
        """The reasons as they were given."""
        return "; ".join(self.reasons) or f"{self.plugin} refuses it without a reason"


def _found(facts: Iterable[Fact], plugin: str) -> dict[ObstacleKey, FoundObstacle]:
    return {obstacle_key(fact, plugin): FoundObstacle(fact, plugin) for fact in facts}


class FoundObstacle(NamedTuple):
    """An obstacle on a row: the fact, the plugin that gave it, and whether only nominated pods make it one."""

    fact: Fact
    plugin: str
    by_nominated: bool = False


class ObstacleTable:
    """``names`` of nodes by row, ``by_row``: {row: {key: what was found}} of the refused rows; ``pod`` as tried."""

    def __init__(self, trials: Trials, base: Trial) -> None:
        self.trials, self.base, self.pod = trials, base, base.pod
        self.cluster: Cluster = trials.simulation.context.cluster
        self.framework: Framework = trials.simulation.frameworks[self.pod.scheduler_name]
        self.asking: Pod = self.pod
        """The pod as plugins are asked about it: without claims that are refused whatever the node."""
        self.info: PodInfo = self.cluster.info(self.pod)
        self.names = base.names
        self.nodes: list[Node] = [node for node in self.cluster.table.nodes if node is not None]
        self.rows: Rows = self.cluster.table.order
        self.by_row: dict[int, dict[ObstacleKey, FoundObstacle]] = {int(row): {} for row in self.rows.tolist()}
        self.cycle = CycleState()
        self.otherwise: dict[int, list[frozenset[ObstacleKey]]] = {}
        """Of rows that other sets would open as well: these sets."""
        self.instead: dict[int, list[dict[ObstacleKey, FoundObstacle]]] = {}
        """Of rows that have obstacles one of which is enough: the sets in the place of the plugin's own."""
        self.whole: dict[ObstacleKey, FoundObstacle] = {}
        """What refuses the pod as a whole, which is on every row."""
        allowed = self._pre_filter()
        while self._leave_out_claims():
            allowed = self._pre_filter()
        self._filter()
        self._left_out(allowed)
        self._with_nominated()

    # --- PreFilter -------------------------------------------------------------------------------------------------
    def _pre_filter(self) -> frozenset[str] | None:
        """Ask PreFilter of each plugin, whatever another one said; the nodes that it is narrowed to."""
        allowed: frozenset[str] | None = None
        for plugin in self.framework.points.pre_filter:
            try:
                result = plugin.pre_filter(self.cycle, self.info)
            except Exception as problem:  # whatever a plugin from outside raises is its obstacle
                self._add_whole(plugin.name, Status(Code.ERROR, (str(problem),), plugin.name), ())
                self.cycle.skip_filter.add(plugin.name)
                continue
            if result.status.code is Code.SKIP:
                self.cycle.skip_filter.add(plugin.name)
            elif not result.status.is_success:
                self._add_whole(plugin.name, result.status, plugin.pre_filter_facts(self.info))
                self.cycle.skip_filter.add(plugin.name)
            else:
                self.cycle.filter_state[plugin.name] = result.state
                if result.nodes is not None:
                    allowed = result.nodes if allowed is None else allowed & result.nodes
        return allowed

    def _leave_out_claims(self) -> bool:
        """Take claims that are refused as such out of the pod that is asked about, since the first one hides the others
        from the plugins; whether there were any."""
        claims = {on_row.fact.claim for on_row in self.whole.values() if isinstance(on_row.fact, ClaimFact)}
        entries = {on_row.fact.entry for on_row in self.whole.values() if isinstance(on_row.fact, DeviceClaimFact)}
        left = self.asking
        for entry in sorted(entries):
            left = without_device_claim(left, entry)
        for claim in sorted(claims):
            left = without_claim(left, claim)
        if left == self.asking:
            return False
        self.asking, self.info, self.cycle = left, self.cluster.info(left), CycleState()
        return True

    def _add_whole(self, plugin: str, status: Status, facts: Facts) -> None:
        for fact in _refusing(facts, plugin, status):
            key = obstacle_key(fact, plugin)
            self.whole.setdefault(key, FoundObstacle(fact, plugin))
            for on_row in self.by_row.values():
                on_row.setdefault(key, self.whole[key])

    def _left_out(self, allowed: frozenset[str] | None) -> None:
        """Rows that PreFilter left out although no filter refuses them."""
        if allowed is None:
            return
        plugin = ", ".join(sorted(self.base.narrowing)) or "PreFilter"
        for row, on_row in self.by_row.items():
            if not on_row and self.names[row] not in allowed:
                fact = BareRefusal(plugin=plugin, code=refused_by(plugin).code, refuses=True)
                on_row[obstacle_key(fact, plugin)] = FoundObstacle(fact, plugin)

    # --- filters ---------------------------------------------------------------------------------------------------
    def _filter(self) -> None:
        outcome = self._outcome()
        for i, name in enumerate(outcome.plugins):
            refused = self.rows[outcome.codes[i].take(self.rows) != 0]
            if not len(refused):
                continue
            plugin = self.framework.plugins.get(name)
            if isinstance(plugin, FilterPlugin) and not is_extender(name):
                self._facts(plugin, outcome, i, refused)
            else:
                self._reasons(name, outcome, i, refused)

    def _outcome(self) -> FilterOutcome:
        """The verdicts of the attempt, or new ones where it did not ask all filters that could be asked."""
        base = self.base.outcome
        skipped = self.cycle.skip_filter
        asked = [plugin.name for plugin in self.framework.points.filter if plugin.name not in skipped]
        if base is not None and self.asking is self.pod and not self.whole and set(asked) <= set(base.plugins):
            return base
        return FilterPhase(self.framework).evaluate(self.cycle, self.info)

    def at(self, row: int, key: ObstacleKey) -> FoundObstacle | None:
        """The obstacle on the row, among its own or those instead of them."""
        return next((one[key] for one in (self.by_row[row], *self.instead.get(row, ())) if key in one), None)

    def _facts(self, plugin: FilterPlugin[Any], outcome: FilterOutcome, index: int, refused: Rows) -> None:
        codes, reasons, texts = outcome.codes[index], outcome.reasons[index], outcome.reason_table.entries

        def status(row: int) -> Status:
            return Status(Code(int(codes[row])), texts[int(reasons[row])])

        self.put_facts(plugin, (self.cycle.filter_state.get(plugin.name), self.info), refused, status)
        asked = refused[(outcome.codes[:index].take(refused, axis=1) == 0).all(axis=0)]
        self._spread(plugin.name, [row for row in asked.tolist() if int(codes[row]) == Code.ERROR])

    def _spread(self, plugin: str, failed: list[int]) -> None:
        """An error on one node ends the attempt, so that what leads to it keeps the pod off all of them."""
        spreading = [
            (key, one)
            for row in failed
            for key, one in self.by_row[row].items()
            if one.plugin == plugin and getattr(one.fact, "ends_attempt", True)
        ]
        for row in self.by_row if spreading else ():
            self._put(row, spreading)

    def put_facts(
        self,
        plugin: FilterPlugin[Any],
        asked: tuple[Any, PodInfo],
        refused: Rows,
        status: Callable[[int], Status],
    ) -> None:
        """Note by which facts the plugin refuses the rows; ``asked``: its PreFilter state and the pod."""
        state, info = asked
        alike = plugin.alike(state, info, refused)
        _, first, group = np.unique(alike, axis=0, return_index=True, return_inverse=True)
        facts_of = []
        for row in refused[first].tolist():
            facts_of.append(
                _refusing(plugin.filter_facts(state, info, self.cluster.view(row)), plugin.name, status(row))
            )
        for row, kind in zip(refused.tolist(), group.ravel().tolist(), strict=True):
            self._put(row, _found(facts_of[kind], plugin.name).items())
            if others := [_found(several, plugin.name) for fact in facts_of[kind] for several in fact.instead]:
                self.instead[row] = others

    def _reasons(self, name: str, outcome: FilterOutcome, index: int, refused: Rows) -> None:
        code = "EXTENDER_REFUSED" if is_extender(name) else refused_by(name).code
        for row in refused.tolist():
            reasons = outcome.reason_table.entries[int(outcome.reasons[index, row])]
            fact = BareRefusal(plugin=name, reasons=reasons, code=code, refuses=True)
            self._put(row, [(obstacle_key(fact, name), FoundObstacle(fact, name))])

    def _put(self, row: int, several: Iterable[tuple[ObstacleKey, FoundObstacle]]) -> None:
        on_row = self.by_row[row]
        for key, one in several:
            on_row.setdefault(key, one)

    # --- nominated pods --------------------------------------------------------------------------------------------
    def _with_nominated(self) -> None:
        """Rows on which pods nominated to the node, counted in as the filter phase does, refuse what passes else."""
        run = self.framework.run
        for name in self.trials.simulation.context.nominated_nodes():
            row = self.cluster.table.row_of.get(name)
            rivals = [
                one
                for one in run.nominated_pods(name)
                if one.pod.priority >= self.info.pod.priority and one.key != self.info.key
            ]
            if row is None or not rivals or self.whole:
                continue
            cycle, view = self.framework.clone_cycle(self.cycle), self.cluster.view(row).copy()
            for rival in rivals:
                view.add_pod(rival)
                self.framework.pre_filter_add(cycle, self.info, rival, view)
            for plugin in self.framework.active_filters(self.cycle):
                state = cycle.filter_state.get(plugin.name)
                if plugin.filter_node(state, self.info, view).is_success:
                    continue
                for fact in plugin.filter_facts(state, self.info, view):
                    plain = obstacle_key(fact, plugin.name)
                    if fact.refuses and plain not in self.by_row[row]:
                        key = ObstacleKey("HELD_BY_NOMINATED", fact.subject or plugin.name)
                        self.by_row[row].setdefault(key, FoundObstacle(fact, plugin.name, by_nominated=True))


def _refusing(facts: Facts, plugin: str, status: Status) -> list[Fact]:
    """The facts that refuse; the status itself where none does. The requirements of several node affinity terms count
    as one, since one term is enough."""
    refusing = [fact for fact in facts if fact.refuses]
    if not refusing:
        failed = not status.is_rejected
        code = "PLUGIN_FAILED" if failed else refused_by(plugin).code
        return [BareRefusal(plugin=plugin, reasons=status.reasons, code=code, refuses=True)]
    terms = {fact.term for fact in refusing if isinstance(fact, LabelFact) and fact.source == _REQUIRED}
    if len(terms) < 2:
        return refusing
    several = [fact for fact in refusing if isinstance(fact, LabelFact) and fact.source == _REQUIRED]
    return [*[fact for fact in refusing if fact not in several], OneOfTerms(code=several[0].code, terms=tuple(several))]


_REQUIRED = "required node affinity"


class OneOfTerms(Fact, frozen=True, kw_only=True):
    """The required node affinity of several terms, none of which matches; ``terms``: their unmet requirements."""

    terms: tuple[LabelFact, ...]
    refuses: bool = True

    @property
    def subject(self) -> str:
        """The pod's field."""
        return self.terms[0].subject


def obstacle_key(fact: Fact, plugin: str) -> ObstacleKey:
    """What the fact is as an obstacle, wherever it stands. A cordon and the taint that Kubernetes adds for it are one,
    and so are the taints of one condition with different effects."""
    code = fact.code or refused_by(plugin).code
    if isinstance(fact, TaintFact):
        if fact.key == CORDON:
            return ObstacleKey("CORDONED", "spec.unschedulable")
        if code == "TAINT_NODE_CONDITION":
            return ObstacleKey(code, fact.key)
    return ObstacleKey(code, fact.subject, tuple(sorted(fact.needs.items())))
