"""What remains to be checked of a query of cells in one cycle, plugin by plugin, before the cycle's frame is opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from scheduler_core.query.cells import OF_FILTERS, OF_SCORES, NodeNames, cell_plugins, of_plugin
from scheduler_core.query.expressions import Condition, Expression, iter_conditions
from scheduler_core.query.field_values import CycleFacts, predicate
from scheduler_core.query.fields import QuerySubject
from scheduler_core.query.matching import make_test
from scheduler_core.query.reduction import by_range, reduced
from scheduler_core.recording.frames.codec import Layout
from scheduler_core.recording.row_builder import REASON_SEPARATOR

_OF_REFUSALS = ("decisive", "code", "reason")
Reasons = Sequence[tuple[str, ...]]


class PluginPart(NamedTuple):
    """A plugin of a cycle with its place among the cycle's, and what its cells must still fulfil."""

    position: int
    plugin: str
    where: Expression | bool


class CellPlan:
    """The conditions of one query, settled as far as the facts of a cycle and the names of plugins go."""

    def __init__(self, where: Expression | None) -> None:
        self._where: Expression | bool = True if where is None else where
        conditions = [] if where is None else list(iter_conditions(where))
        self._of_cycles: dict[Condition, Callable[[CycleFacts], bool]] = {
            condition: predicate(condition, QuerySubject.CYCLE)
            for condition in conditions
            if condition.field.subject is QuerySubject.CYCLE
        }
        self._names_plugins = any(_is_own(condition, "plugin") for condition in conditions)
        self._is_of_rows = any(
            _is_own(condition, name) for condition in conditions for name in (*OF_FILTERS, *OF_SCORES)
        )
        self._reasons = _KnownReasons()
        self.names_nodes = any(_is_own(condition, "node") for condition in conditions)
        """Whether the names of nodes can settle it."""
        self._by_plugin: dict[str, Expression | bool] = {}

    def plugins(
        self, cycle: CycleFacts, layout: Layout, reasons: Reasons, nodes: NodeNames | None = None
    ) -> list[PluginPart]:
        """The plugins whose cells may match, in the order of cells. ``reasons``: the recording's table, which may have
        grown since the last call; ``nodes``: the names as of the cycle."""
        names = cell_plugins(layout.filter_plugins, layout.score_plugins)
        memo: dict[int, Expression | bool] = {}
        parts = []
        for position, name in enumerate(names):
            static = self._of_plugin(name)
            if static is False:
                continue
            where = memo.get(id(static))
            if where is None:
                where = memo[id(static)] = self._of_cycle(static, cycle, reasons, nodes)
            if self._is_of_rows and not isinstance(where, bool):
                where = _of_rows(where, cycle, layout, name)
            if where is not False:
                parts.append(PluginPart(position, name, where))
        return parts

    def _of_plugin(self, name: str) -> Expression | bool:
        if not self._names_plugins:
            return self._where
        where = self._by_plugin.get(name)
        if where is None:
            where = self._by_plugin[name] = of_plugin(self._where, name)
        return where

    def _of_cycle(
        self, where: Expression | bool, cycle: CycleFacts, reasons: Reasons, nodes: NodeNames | None
    ) -> Expression | bool:
        """What is left when the cycle's own facts are settled, that nothing was refused where all nodes passed, that
        all nodes were visited, and that no node has a name and no refusal a reason."""
        if isinstance(where, bool):
            return where
        all_passed = cycle.row.visited == cycle.row.feasible
        all_visited = cycle.row.visited == cycle.row.n_nodes

        def settled(condition: Condition) -> bool | None:
            holds = self._of_cycles.get(condition)
            if holds is not None:
                return holds(cycle)
            if nodes is not None and _is_own(condition, "node"):
                return None if nodes.mask(condition).any() else False
            if _is_own(condition, "reason") and not self._reasons.has(condition, reasons, cycle):
                return False
            if all_visited and condition.field.name == "verdict" and condition.value == "not_evaluated":
                return False
            refuses = condition.field.name in _OF_REFUSALS or (
                condition.field.name == "verdict" and condition.value == "refused"
            )
            return False if all_passed and refuses else None

        return reduced(where, settled)


def _is_own(condition: Condition, name: str) -> bool:
    return condition.field.subject is QuerySubject.CELL and condition.field.name == name


class _KnownReasons:
    """Which conditions on reasons some refusal of a recording can fulfil."""

    def __init__(self) -> None:
        self._looked_at: dict[Condition, int] = {}  # how many first entries of the table do not fulfil it
        self._found: set[Condition] = set()

    def has(self, condition: Condition, reasons: Reasons, cycle: CycleFacts) -> bool:
        """Whether an entry of the table fulfils it, or a refusal in the cycle's pass with nominated pods, which names
        its reasons itself."""
        if condition in self._found:
            return True
        test = make_test(condition)
        new = (REASON_SEPARATOR.join(one) for one in reasons[self._looked_at.get(condition, 0) :])
        if any(text and test(text) for text in new):
            self._found.add(condition)
            return True
        self._looked_at[condition] = len(reasons)
        return any(verdict.reasons and test(verdict.reasons) for verdict in cycle.verdicts)


def _of_rows(where: Expression, cycle: CycleFacts, layout: Layout, plugin: str) -> Expression | bool:
    """What is left for the plugin: it may only filter or only score, refused no node first, or has other scores."""
    filters, scores = plugin in layout.filter_plugins, plugin in layout.score_plugins
    is_decisive = filters and any(verdict.plugin == plugin for verdict in cycle.verdicts)
    score = next((score for score in cycle.scores if score.plugin == plugin), None)

    def settled(condition: Condition) -> bool | None:
        name, between = condition.field.name, None
        if condition.field.subject is not QuerySubject.CELL:
            return None
        if name in OF_FILTERS:
            return None if filters and (is_decisive or name != "decisive") else False
        if name in OF_SCORES and not scores:
            return False
        if score is not None and name == "score":
            between = by_range(condition, score.norm_min, score.norm_max)
        elif score is not None and name == "weight":
            between = by_range(condition, score.weight, score.weight)
        # What holds of all scores does not hold of nodes that have none.
        return False if between is False else None

    return reduced(where, settled)
