"""The cells of one cycle that match a query: which rows of which plugins, computed from the arrays of its frame.

A plugin has a cell for each node: a filter plugin for all nodes, one that only scores for the nodes that it scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.query.expressions import AllOf, Condition, Expression, Not
from scheduler_core.query.fields import QuerySubject
from scheduler_core.query.matching import ORDER, make_test
from scheduler_core.query.reduction import reduced
from scheduler_core.recording.frames.frame import Cell, Frame
from scheduler_core.recording.vocabulary import NOT_VISITED, Code

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]
OF_FILTERS = ("verdict", "decisive", "code", "reason")
OF_SCORES = ("raw", "score", "weight")


FieldValue = str | int | float
"""A value that a query's field has."""


class CellRows(msgspec.Struct, frozen=True):
    """The rows, ascending, in which a plugin's cells are hits. ``position`` is the plugin's place among the cycle's."""

    position: int
    plugin: str
    rows: Rows


class NodeNames:
    """The names of nodes by row, "" where there is none, with what conditions say of them."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.exists: Mask = np.array([name != "" for name in self.names], dtype=np.bool_)
        self._masks: dict[Condition, Mask] = {}

    def mask(self, condition: Condition) -> Mask:
        """The rows whose node has such a name."""
        mask = self._masks.get(condition)
        if mask is None:
            test = make_test(condition)
            mask = self._masks[condition] = np.array([name != "" and test(name) for name in self.names], dtype=np.bool_)
        return mask

    def padded(self, n_rows: int) -> NodeNames:
        """The names for this many rows; rows after the last name have no node."""
        missing = n_rows - len(self.names)
        return self if missing <= 0 else NodeNames([*self.names, *[""] * missing])


def cell_plugins(filter_plugins: Sequence[str], score_plugins: Sequence[str]) -> list[str]:
    """The plugins of a cycle in the order of its cells: filters, then those that only score."""
    return [*filter_plugins, *(name for name in score_plugins if name not in filter_plugins)]


def of_plugin(where: Expression | bool, plugin: str) -> Expression | bool:
    """The expression with its conditions on the plugin settled, for the cells of that plugin."""
    if isinstance(where, bool):
        return where

    def settled(condition: Condition) -> bool | None:
        own = condition.field.subject is QuerySubject.CELL
        return make_test(condition)(plugin) if own and condition.field.name == "plugin" else None

    return reduced(where, settled)


class FrameCells:
    """One frame with the names of its nodes, asked for the cells of one plugin after the other."""

    def __init__(self, frame: Frame, names: NodeNames) -> None:
        self._frame = frame
        self._names = names.padded(frame.n_rows)
        n = frame.n_rows
        self._exists = self._names.exists[:n]
        self._visited: Mask = frame.decisive != NOT_VISITED
        self._feasible: Mask = np.zeros(n, dtype=np.bool_)
        self._feasible[frame.feasible()] = True
        self._over = {entry.row: entry for entry in frame.overlay}

    def rows(self, plugin: str, where: Expression | bool) -> Rows:
        """The rows of the plugin's cells of which the expression holds; it names no field but those of cells."""
        cells = self._exists if plugin in self._frame.filter_plugins else self._exists & self._feasible
        if isinstance(where, bool):
            return np.flatnonzero(cells) if where else np.zeros(0, dtype=np.int64)
        return np.flatnonzero(cells & _PluginCells(self, plugin).mask(where))

    @property
    def frame(self) -> Frame:
        """The frame itself."""
        return self._frame

    def named(self, condition: Condition) -> Mask:
        """The rows whose node has such a name."""
        return self._names.mask(condition)[: self._frame.n_rows]

    @property
    def visited(self) -> Mask:
        """The rows at which the filters looked."""
        return self._visited

    @property
    def feasible(self) -> Mask:
        """The rows that passed all filters."""
        return self._feasible

    def over(self, plugin: str) -> list[Any]:
        """The refusals of the pass with nominated pods that are this plugin's."""
        return [entry for entry in self._over.values() if entry.plugin == plugin]

    @property
    def over_rows(self) -> list[int]:
        """The rows that the pass with nominated pods refused."""
        return list(self._over)


class _PluginCells:
    """The cells of one plugin in one frame: masks over rows."""

    def __init__(self, cells: FrameCells, plugin: str) -> None:
        frame = cells.frame
        self._cells, self._plugin = cells, plugin
        self._none: Mask = np.zeros(frame.n_rows, dtype=np.bool_)
        filters, scores = frame.filter_plugins, frame.score_plugins
        self._filter = filters.index(plugin) if plugin in filters else -1
        self._score = scores.index(plugin) if plugin in scores else -1
        self._codes: NDArray[np.uint8] | None = None

    def mask(self, where: Expression) -> Mask:
        """The rows of which the expression holds."""
        if isinstance(where, Condition):
            return self._leaf(where)
        if isinstance(where, Not):
            return ~self.mask(where.part)
        is_all = isinstance(where, AllOf)
        mask = self.mask(where.parts[0])
        for part in where.parts[1:]:
            if is_all and not mask.any():
                return mask
            mask = mask & self.mask(part) if is_all else mask | self.mask(part)
        return mask

    def _leaf(self, condition: Condition) -> Mask:
        name = condition.field.name
        if name == "node":
            return self._cells.named(condition)
        if name in OF_FILTERS:
            return self._of_filter(name, condition) if self._filter >= 0 else self._none
        return self._of_score(name, condition) if self._score >= 0 else self._none

    # --- filters ----------------------------------------------------------------------------------------------------
    def codes(self) -> NDArray[np.uint8]:
        """The plugin's codes by row, with those of the pass with nominated pods."""
        if self._codes is None:
            self._codes = np.where(self._cells.visited, self._cells.frame.codes[self._filter], np.uint8(0))
            for entry in self._cells.over(self._plugin):
                self._codes[entry.row] = entry.code
        return self._codes

    def _of_filter(self, name: str, condition: Condition) -> Mask:
        if name == "decisive":
            return self._decisive()
        if name == "reason":
            return self._reason(condition)
        if name == "code":
            labels = {code.label: int(code) for code in Code}
            return np.equal(self.codes(), labels[str(condition.value)])
        if condition.value == "not_evaluated":
            return ~self._cells.visited
        refused: Mask = self.codes() != 0
        return refused if condition.value == "refused" else self._cells.visited & ~refused

    def _decisive(self) -> Mask:
        mask: Mask = self._cells.frame.decisive == self._filter
        mask[self._cells.over_rows] = False
        for entry in self._cells.over(self._plugin):
            mask[entry.row] = True
        return mask

    def _reason(self, condition: Condition) -> Mask:
        test = make_test(condition)
        refused = self.codes() != 0
        ids = self._cells.frame.reasons[self._filter]
        chosen = np.unique(ids[refused])
        holding = [i for i in chosen.tolist() if (text := reason_text(self._cells.frame, i)) and test(text)]
        mask: Mask = refused & np.isin(ids, holding)
        for entry in self._cells.over(self._plugin):
            text = ", ".join(entry.reasons)
            mask[entry.row] = bool(text) and test(text)
        return mask

    # --- scores -----------------------------------------------------------------------------------------------------
    def _of_score(self, name: str, condition: Condition) -> Mask:
        frame, number = self._cells.frame, int(condition.value)
        compare = ORDER[condition.operator]
        if name == "weight":
            return self._cells.feasible if compare(frame.weights[self._score], number) else self._none
        values: Any = frame.raw[self._score] if name == "raw" else frame.normalized(self._score)
        holds: Mask = self._cells.feasible & np.asarray(compare(values, number))
        return holds


def reason_text(frame: Frame, reason: int) -> str:
    """The reasons of an id, joined."""
    return ", ".join(frame.reason_table[reason])


def cell_fields(frame: Frame, plugin: str, row: int) -> dict[str, FieldValue]:
    """The values of a cell in the fields that queries have for it; those that it does not have are left out."""
    fields: dict[str, FieldValue] = {}
    if plugin in frame.filter_plugins:
        verdict = frame.verdict(plugin, row)
        fields["verdict"] = "refused" if verdict.code else str(verdict.cell)
        if verdict.code:
            decisive = verdict.cell is Cell.DECISIVE
            fields |= {
                "decisive": decisive,
                "code": Code(verdict.code).label,
                "reason": ", ".join(verdict.reasons),
            }
    if plugin in frame.score_plugins and row in frame.feasible():
        index = frame.score_plugins.index(plugin)
        fields |= {
            "raw": int(frame.raw[index][row]),
            "score": int(frame.normalized(index)[row]),
            "weight": int(frame.weights[index]),
        }
    return fields


def cell_text(frame: Frame, plugin: str, row: int, node: str) -> str:
    """A cell in a line."""
    parts = []
    if plugin in frame.filter_plugins:
        verdict = frame.verdict(plugin, row)
        reasons = f": {', '.join(verdict.reasons)}" if verdict.reasons else ""
        said = {"passed": "passes", "not_evaluated": "was not asked about"}.get(verdict.cell, "refuses")
        parts.append(f"{plugin} {said} {node}{reasons}")
    if plugin in frame.score_plugins and row in frame.feasible():
        index = frame.score_plugins.index(plugin)
        score = f"{int(frame.normalized(index)[row])} points, weight {frame.weights[index]}"
        parts.append(score if parts else f"{plugin} gives {node} {score}")
    return ", ".join(parts)
