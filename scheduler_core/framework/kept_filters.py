"""Verdicts kept from cycle to cycle of one pod class, brought up to date by what changed.

A static plugin is asked once, a node-local one for the rows that pods came to or left, any other one which rows may
have changed. What comes out is what asking every plugin about every row would give:
tests/scheduler_core/framework/test_kept.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.cycle import NOT_VISITED, PASSED, Cycle, Refusals
from scheduler_core.framework.interface import FilterPlugin, Memory, ReasonTable, Rows, Verdicts
from scheduler_core.framework.kept import CODES, DECISIVE, FEW_ROWS, REASONS, Changes, RowLog
from scheduler_core.framework.status import Code

if TYPE_CHECKING:
    from scheduler_core.framework.runtime import Framework

Mask = NDArray[np.bool_]
_CODE_BITS, _REASON_BITS = 3, 40


class KeptFilters:
    """All filters' verdicts on all rows of the node table, for one pod class and one set of active filters.

    ``codes`` uint8[p, n], ``reasons`` int32[p, n], ``decisive`` int16[n] (NOT_VISITED where no node is), ``feasible``
    bool[n], ``rows`` the feasible rows in the order of the table. ``version`` counts changes of feasibility. Arrays
    change in place; ``changes`` notes where, for the recording.
    """

    def __init__(self, framework: Framework, plugins: Sequence[FilterPlugin[Any]]) -> None:
        table = framework.cluster.table
        n = table.n_rows
        self.plugins = tuple(plugins)
        self.names = [p.name for p in plugins]
        self.cluster = framework.cluster
        self._durations = framework.durations
        self.reason_table: ReasonTable = framework.reasons
        self.order = table.order
        self.in_order = len(self.order) == n and bool((self.order == np.arange(n)).all())
        self.codes: NDArray[np.uint8] = np.zeros((len(plugins), n), dtype=np.uint8)
        self.reasons: NDArray[np.int32] = np.zeros((len(plugins), n), dtype=np.int32)
        self.decisive: NDArray[np.int16] = np.full(n, NOT_VISITED, dtype=np.int16)
        self.decisive[self.order] = PASSED
        self.feasible: Mask = self.decisive == PASSED
        self.rows: Rows = self.order
        self.version = 0
        self.changes = Changes()
        self._refusing = [False] * len(plugins)
        self._memories = [Memory() for _ in plugins]
        self._counts: dict[int, int] = {}
        self._refusals: Refusals | None = None
        self._log: RowLog | None = None
        self._before: dict[int, int] = {}
        self._all_changed = False

    def update(self, cycle: Cycle, pod: PodInfo) -> None:
        """Bring everything up to the present."""
        first_time = self._log is None
        if self._log is None:
            self._log = RowLog(self.cluster)
        dirty = self._log.take()
        views: list[NodeView] = []
        for i, plugin in enumerate(self.plugins):
            traits = plugin.traits
            if not first_time and traits.static:
                continue
            state = cycle.filter_state.get(plugin.name)
            if not traits.static and not traits.node_local:
                self._judge_changed(i, plugin, state, pod)
            elif first_time:
                self._judge_all(i, self._ask(plugin, state, pod, self.order))
            elif len(dirty) > FEW_ROWS:
                rows = np.array(dirty, dtype=np.int64)
                self._judge_rows(i, rows, self._ask(plugin, state, pod, rows))
            elif dirty:
                views = views or [self.cluster.view(row) for row in dirty]
                self._judge_views(i, plugin, state, pod, views)
        if self._all_changed:
            self._settle_all()
        elif self._before:
            self._settle_rows()
        self._before.clear()
        self._all_changed = False

    def refusals(self) -> Refusals:
        """Rows refused, counted by (plugin, code, reasons) of the first refusal."""
        if self._refusals is None:
            texts = self.reason_table.entries
            self._refusals = {
                (
                    self.names[key >> _REASON_BITS],
                    Code(key & ((1 << _CODE_BITS) - 1)),
                    texts[(key & ((1 << _REASON_BITS) - 1)) >> _CODE_BITS],
                ): count
                for key, count in self._counts.items()
                if count
            }
        return self._refusals

    def _ask(self, plugin: FilterPlugin[Any], state: Any, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """The plugin's verdicts; timed, which a look at single nodes is too short for."""
        with self._durations.measure("Filter", plugin.name):
            return plugin.filter(state, pod, rows)

    # --- what one plugin says ----------------------------------------------------------------------------------------
    def _judge_changed(self, i: int, plugin: FilterPlugin[Any], state: Any, pod: PodInfo) -> None:
        """A plugin that looks across nodes tells which rows' verdicts may have changed."""
        with self._durations.measure("Filter", plugin.name):
            rows, verdicts = plugin.filter_since(state, pod, self._memories[i])
        if rows is None:
            self._judge_all(i, verdicts)
        elif len(rows):
            self._judge_rows(i, rows, verdicts)

    def _judge_all(self, i: int, verdicts: Verdicts | None) -> None:
        if verdicts is None:
            if self._refusing[i]:
                self._replace(i, np.zeros_like(self.codes[i]), np.zeros_like(self.reasons[i]))
            return
        if self.in_order:
            self._replace(i, verdicts.codes, verdicts.reasons)
            return
        codes, reasons = np.zeros_like(self.codes[i]), np.zeros_like(self.reasons[i])
        codes[self.order], reasons[self.order] = verdicts.codes, verdicts.reasons
        self._replace(i, codes, reasons)

    def _replace(self, i: int, codes: NDArray[np.uint8], reasons: NDArray[np.int32]) -> None:
        rows = np.flatnonzero((codes != self.codes[i]) | (reasons != self.reasons[i]))
        if not len(rows):
            return
        if len(rows) > FEW_ROWS:
            self._all_changed = True
            self.changes.whole(CODES, i)
            self.changes.whole(REASONS, i)
        else:
            self._note(i, rows.tolist())
        self.codes[i], self.reasons[i] = codes, reasons
        self._refusing[i] = True

    def _note(self, i: int, rows: Sequence[int]) -> None:
        """Remember the refusal that counts on these rows, where a plugin's verdict is about to change."""
        self._changing(i, rows)
        for row in rows:
            if row not in self._before:
                self._before[row] = self._key(row)

    def _changing(self, i: int, rows: Sequence[int]) -> None:
        self.changes.rows(CODES, i, rows)
        self.changes.rows(REASONS, i, rows)

    def _judge_rows(self, i: int, rows: Rows, verdicts: Verdicts | None) -> None:
        if verdicts is None:
            if not self._refusing[i]:
                return
            verdicts = Verdicts(np.zeros(len(rows), dtype=np.uint8), np.zeros(len(rows), dtype=np.int32))
        differing = (self.codes[i, rows] != verdicts.codes) | (self.reasons[i, rows] != verdicts.reasons)
        if not differing.any():
            return
        changed = rows[differing].tolist()
        if len(changed) > FEW_ROWS:
            self._all_changed = True
            self._changing(i, changed)
        else:
            self._note(i, changed)
        self.codes[i, rows], self.reasons[i, rows] = verdicts.codes, verdicts.reasons
        self._refusing[i] = True

    def _judge_views(
        self, i: int, plugin: FilterPlugin[Any], state: Any, pod: PodInfo, views: Sequence[NodeView]
    ) -> None:
        """One node at a time, which is cheaper than columns while there are few."""
        for view in views:
            status, row = plugin.filter_node(state, pod, view), view.row
            if status.code is Code.SUCCESS and not self._refusing[i]:
                continue
            reason = self.reason_table.intern(status.reasons) if status.code is not Code.SUCCESS else 0
            if self.codes[i, row] != status.code or self.reasons[i, row] != reason:
                self._note(i, (row,))
                self.codes[i, row], self.reasons[i, row] = status.code, reason
                self._refusing[i] = True

    # --- the first refusal of each row -------------------------------------------------------------------------------
    def _settle_rows(self) -> None:
        flipped = False
        for row, before in self._before.items():
            column = self.codes[:, row]
            first = int((column != 0).argmax())
            fits = not column[first]
            self.decisive[row] = PASSED if fits else first
            self._count(before, -1)
            self._count(self._key(row), 1)
            flipped |= bool(self.feasible[row]) is not fits
            self.feasible[row] = fits
        self.changes.rows(DECISIVE, 0, self._before)
        if flipped:
            self._flipped()
        self._refusals = None

    def _key(self, row: int) -> int:
        """A number for (plugin, reasons, code) of the row's first refusal, -1 where it has none."""
        i = int(self.decisive[row])
        return i << _REASON_BITS | int(self.reasons[i, row]) << _CODE_BITS | int(self.codes[i, row]) if i >= 0 else -1

    def _count(self, key: int, amount: int) -> None:
        if key >= 0:
            self._counts[key] = self._counts.get(key, 0) + amount

    def _settle_all(self) -> None:
        decisive = np.full_like(self.decisive, PASSED)
        refusing = [i for i, some in enumerate(self._refusing) if some]
        for i in reversed(refusing):
            np.copyto(decisive, i, where=self.codes[i] != 0)
        self._counts = {}
        for i in refusing:
            first = decisive == i
            keys = (self.reasons[i][first] << _CODE_BITS) | self.codes[i][first]
            for key in np.flatnonzero(counts := np.bincount(keys)).tolist():
                self._counts[i << _REASON_BITS | key] = int(counts[key])
        if not self.in_order:
            decisive[self.decisive == NOT_VISITED] = NOT_VISITED
        if not np.array_equal(decisive, self.decisive):
            self.decisive[:] = decisive
            self.changes.whole(DECISIVE, 0)
        feasible = decisive == PASSED
        if not np.array_equal(feasible, self.feasible):
            self.feasible[:] = feasible
            self._flipped()
        self._refusals = None

    def _flipped(self) -> None:
        self.version += 1
        self.rows = np.flatnonzero(self.feasible) if self.in_order else self.order.compress(self.feasible[self.order])
