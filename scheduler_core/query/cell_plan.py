"""What a query of cells leaves open of one cycle before its frame is opened: plugin by plugin."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from scheduler_core.query.cells import NodeNames, of_plugin, plugins_of
from scheduler_core.query.facts import CycleFacts, predicate
from scheduler_core.query.fields import QuerySubject
from scheduler_core.query.model import Condition, Expression, conditions_of
from scheduler_core.query.reduction import reduced
from scheduler_core.recording.frames.codec import Layout

_OF_REFUSALS = ("decisive", "code", "reason")


class PluginPart(NamedTuple):
    """A plugin of a cycle with its place among the cycle's, and what its cells must still fulfil."""

    position: int
    plugin: str
    where: Expression | bool


class CellPlan:
    """The conditions of one query, settled as far as the facts of a cycle and the names of plugins go."""

    def __init__(self, where: Expression | None) -> None:
        self._where: Expression | bool = True if where is None else where
        conditions = [] if where is None else list(conditions_of(where))
        self._of_cycles: dict[Condition, Callable[[CycleFacts], bool]] = {
            condition: predicate(condition, QuerySubject.CYCLE)
            for condition in conditions
            if condition.field.subject is QuerySubject.CYCLE
        }
        self._names_plugins = any(_is_own(condition, "plugin") for condition in conditions)
        self._is_decisive = any(_is_own(condition, "decisive") for condition in conditions)
        self.names_nodes = any(_is_own(condition, "node") for condition in conditions)
        """Whether the names of nodes can settle it."""
        self._by_plugin: dict[str, Expression | bool] = {}

    def plugins(self, cycle: CycleFacts, layout: Layout, nodes: NodeNames | None = None) -> list[PluginPart]:
        """The plugins whose cells may match, in the order of cells. ``nodes``: the names as of the cycle."""
        names = plugins_of(layout.filter_plugins, layout.score_plugins)
        memo: dict[int, Expression | bool] = {}
        parts = []
        for position, name in enumerate(names):
            static = self._of_plugin(name)
            if static is False:
                continue
            where = memo.get(id(static))
            if where is None:
                where = memo[id(static)] = self._of_cycle(static, cycle, nodes)
            if self._is_decisive and not isinstance(where, bool) and not _refused(cycle, name):
                where = reduced(where, lambda condition: False if _is_own(condition, "decisive") else None)
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

    def _of_cycle(self, where: Expression | bool, cycle: CycleFacts, nodes: NodeNames | None) -> Expression | bool:
        """What is left when the cycle's own facts are settled, that nothing was refused where all nodes passed, and
        that no node has a name."""
        if isinstance(where, bool):
            return where
        all_passed = cycle.row.visited == cycle.row.feasible

        def settled(condition: Condition) -> bool | None:
            holds = self._of_cycles.get(condition)
            if holds is not None:
                return holds(cycle)
            if nodes is not None and _is_own(condition, "node"):
                return None if nodes.mask(condition).any() else False
            refuses = condition.field.name in _OF_REFUSALS or (
                condition.field.name == "verdict" and condition.value == "refused"
            )
            return False if all_passed and refuses else None

        return reduced(where, settled)


def _is_own(condition: Condition, name: str) -> bool:
    return condition.field.subject is QuerySubject.CELL and condition.field.name == name


def _refused(cycle: CycleFacts, plugin: str) -> bool:
    """Whether the plugin was the first to refuse some node."""
    return any(verdict.plugin == plugin for verdict in cycle.verdicts)
