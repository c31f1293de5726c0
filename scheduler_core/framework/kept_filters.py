"""Verdicts kept from cycle to cycle of one pod class, brought up to date by what changed.

A static plugin is asked once, a node-local one for the rows that pods came to or left, any other one which rows may
have changed. What comes out is what asking every plugin about every row would give:
tests/scheduler_core/framework/test_kept.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.cycle import NOT_VISITED, PASSED, Cycle, Refusals
from scheduler_core.framework.interface import FilterPlugin, Memory, ReasonTable, Rows, Verdicts
from scheduler_core.framework.kept import CODES, DECISIVE, FEW_ROWS, REASONS, Changes, Dirty
from scheduler_core.framework.kept_ways import Ways
from scheduler_core.framework.status import Code, Status

if TYPE_CHECKING:
    from scheduler_core.framework.runtime import Framework

Mask = NDArray[np.bool_]
_MANY_ROWS = 16
"""From so many rows on, a pass over whole lines of bytes is cheaper than gathering and spreading these rows."""
_COUNT_BY_TABLE_UP_TO = 20_000


class KeptFilters:
    """All filters' verdicts on all rows of the node table, for one pod class and one set of active filters.

    ``codes`` uint8[p, n], ``reasons`` int32[p, n], ``decisive`` int16[n] (NOT_VISITED where no node is), ``feasible``
    bool[n], ``rows`` the feasible rows in the order of the table. ``version`` counts changes of feasibility. Arrays
    change in place; ``changes`` notes where, for the recording. ``dirty`` are the rows that the last update looked at.
    """

    def __init__(self, framework: Framework, plugins: Sequence[FilterPlugin[Any]], skipped: set[str]) -> None:
        table = framework.cluster.table
        n = table.n_rows
        self.plugins = tuple(plugins)
        self.names = tuple([p.name for p in plugins])
        self.skipped = skipped
        self.local = all(p.traits.static or p.traits.node_local for p in plugins)
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
        self.dirty: Dirty | None = None
        self._refusing = [False] * len(plugins)
        self._ways = Ways(len(plugins))
        self._memories = [Memory() for _ in plugins]
        self._keys: NDArray[np.int64] = np.zeros(n, dtype=np.int64)
        self._keys_known = True
        self._counts: dict[int, int] = {}
        self._refusals: Refusals | None = None
        self._touched: list[Rows] = []
        self._blocked: Mapping[int, Status] = {}

    def update(self, cycle: Cycle, pod: PodInfo) -> None:
        """Bring everything up to the present."""
        first_time = self.dirty is None
        dirty = self.dirty = Dirty(self.cluster, -1 if self.dirty is None else self.dirty.end)
        views: list[NodeView] = []
        for i, plugin in enumerate(self.plugins):
            traits = plugin.traits
            if not traits.static and not traits.node_local:
                self._judge_changed(i, plugin, cycle.filter_state.get(plugin.name), pod)
            elif first_time:
                state = cycle.filter_state.get(plugin.name)
                self._judge_all(i, self._ask(plugin, state, pod, self.order))
            elif traits.static or not dirty.rows:
                continue
            elif len(dirty.rows) > FEW_ROWS:
                state = cycle.filter_state.get(plugin.name)
                self._judge_rows(i, dirty.array, self._ask(plugin, state, pod, dirty.array))
            else:
                views = views or [self.cluster.view(row) for row in dirty.rows]
                self._judge_views(i, plugin, cycle.filter_state.get(plugin.name), pod, views)
        if self._touched:
            self._settle()

    def block(self, blocked: Mapping[int, Status], changed: Sequence[int]) -> None:
        """Have rows count as not feasible as long as they are in ``blocked``, which is kept; ``changed`` came or went
        there."""
        self._blocked = blocked
        self.changes.overlay.update(changed)
        flipped = False
        for row in changed:
            fits = self.decisive[row] == PASSED and row not in blocked
            flipped |= bool(self.feasible[row]) is not bool(fits)
            self.feasible[row] = fits
        if flipped:
            self._flipped()

    @property
    def keys(self) -> NDArray[np.int64]:
        """Of each row the number of (plugin, reasons, code) of its first refusal, 0 where there is none."""
        if not self._keys_known:  # settled by _settle_all
            self._keys[:] = self._ways.keys.take(self.decisive, mode="wrap")
            self._keys_known = True
        return self._keys

    def refusals(self) -> Refusals:
        """Rows refused, counted by (plugin, code, reasons) of the first refusal."""
        if self._refusals is None:
            self._refusals = {self.group(key): count for key, count in self._counts.items() if count}
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
        if verdicts is None and not self._refusing[i]:
            return
        codes, reasons = np.zeros_like(self.codes[i]), np.zeros_like(self.reasons[i])
        if verdicts is not None:
            codes[self.order], reasons[self.order] = verdicts.codes, verdicts.reasons
            self._ways.note_all(i, verdicts)
        rows = np.flatnonzero((codes != self.codes[i]) | (reasons != self.reasons[i]))
        if len(rows):
            self.codes[i], self.reasons[i] = codes, reasons
            self._changed(i, rows)

    def _judge_rows(self, i: int, rows: Rows, verdicts: Verdicts | None) -> None:
        codes, reasons = self.codes[i], self.reasons[i]
        if verdicts is None or verdicts.are_alike:
            if verdicts is None:
                if not self._refusing[i]:
                    return
                code = reason = 0
            else:
                code, reason = int(verdicts.codes[0]), int(verdicts.reasons[0])
                self._ways.note(i, code, reason)
            codes[rows], reasons[rows] = code, reason
            self._changed(i, rows)
            return
        if len(rows) == 1:
            if code := int(verdicts.codes[0]):
                self._ways.note(i, code, int(verdicts.reasons[0]))
        else:
            self._ways.note_all(i, verdicts)
        differing = codes.take(rows) != verdicts.codes
        if not self._ways.has_one(i):  # else the reasons follow from the code
            differing |= reasons.take(rows) != verdicts.reasons
        n_differing = np.count_nonzero(differing)
        if n_differing:
            codes[rows], reasons[rows] = verdicts.codes, verdicts.reasons
            self._changed(i, rows if n_differing == len(rows) else rows[differing])

    def _judge_views(
        self, i: int, plugin: FilterPlugin[Any], state: Any, pod: PodInfo, views: Sequence[NodeView]
    ) -> None:
        """One node at a time, which is cheaper than columns while there are few."""
        for view in views:
            status, row = plugin.filter_node(state, pod, view), view.row
            if status.code is Code.SUCCESS and not self._refusing[i]:
                continue
            reason = 0
            if status.code is not Code.SUCCESS:
                reason = self.reason_table.intern(status.reasons)
                self._ways.note(i, int(status.code), reason)
            if self.codes[i, row] != status.code or self.reasons[i, row] != reason:
                self.codes[i, row], self.reasons[i, row] = status.code, reason
                self._changed(i, np.array([row], dtype=np.int64))

    def _changed(self, i: int, rows: Rows) -> None:
        self._refusing[i] = True
        self._touched.append(rows)
        self.changes.rows(rows, (CODES, i), (REASONS, i))

    # --- the first refusal of each row -------------------------------------------------------------------------------
    def _settle(self) -> None:
        """Find the first refusal of the touched rows anew."""
        rows = self._touched[0]
        if len(self._touched) > 1:
            touched: Mask = np.zeros(len(self.decisive), dtype=np.bool_)
            for some in self._touched:
                touched[some] = True
            rows = touched.nonzero()[0]
        self._touched.clear()
        self.changes.rows(rows, (DECISIVE, 0))
        self._refusals = None
        if len(rows) <= FEW_ROWS:
            flipped = self._settle_few(rows)
        elif len(rows) >= _MANY_ROWS and self.in_order and not self._blocked and self._ways.are_single:
            flipped = self._settle_all()
        else:
            flipped = self._settle_many(rows)
        if flipped:
            self._flipped()

    def _flipped(self) -> None:
        self.version += 1
        if self.in_order:
            self.rows = self.feasible.nonzero()[0]
        else:
            self.rows = self.order.compress(self.feasible.take(self.order))

    def _settle_few(self, rows: Rows) -> bool:
        """Row by row, which is cheaper while there are few; whether the feasible rows are others now."""
        flipped, counts = False, self._counts
        keys = self.keys if self._keys_known or not self._ways.are_single else None
        for row in rows.tolist():
            key, first = 0, PASSED
            for i, refusing in enumerate(self._refusing):
                if refusing and (code := int(self.codes[i, row])):
                    key, first = self._ways.key(i, code, int(self.reasons[i, row])), i
                    break
            if before := int(self._ways.keys[self.decisive[row]] if keys is None else keys[row]):
                counts[before] -= 1
            if key:
                counts[key] = counts.get(key, 0) + 1
            fits = not key and row not in self._blocked
            flipped |= bool(self.feasible[row]) is not fits
            self.decisive[row], self.feasible[row] = first, fits
            if keys is not None:
                keys[row] = key
        return flipped

    def _settle_all(self) -> bool:
        """The same for all rows of a table without gaps, where each plugin refuses in one way."""
        refusing = self._ways.refusing
        last = refusing[-1]
        first: NDArray[np.int16] = (self.codes[last] != 0).astype(np.int16)
        first *= last - PASSED
        first += PASSED
        for i in reversed(refusing[:-1]):
            first += (i - first) * (self.codes[i] != 0).astype(np.int16)
        for i in refusing:
            self._counts[int(self._ways.keys[i])] = int(np.count_nonzero(first == i))
        self.decisive[:] = first
        self._keys_known = False
        fits = first == PASSED
        if not np.count_nonzero(fits != self.feasible):
            return False
        self.feasible[:] = fits
        return True

    def _settle_many(self, rows: Rows) -> bool:
        """The same by columns."""
        first, keys = self._first_refusals(rows)
        self._count(self.keys.take(rows), -1)
        self._count(keys, 1)
        self.keys[rows] = keys
        self.decisive[rows] = first
        fits = keys == 0
        if self._blocked:
            fits[[k for k, row in enumerate(rows.tolist()) if row in self._blocked]] = False
        if not np.count_nonzero(fits != self.feasible.take(rows)):
            return False
        self.feasible[rows] = fits
        return True

    def _first_refusals(self, rows: Rows) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """``decisive`` and ``keys`` of the rows, from codes and reasons."""
        first, keys = np.full(len(rows), PASSED, dtype=np.int16), np.zeros(len(rows), dtype=np.int64)
        for i in range(len(self.plugins) - 1, -1, -1):
            if self._refusing[i]:
                codes = self.codes[i].take(rows)
                refused = codes != 0
                key = self._ways.keys_of(i, codes, self.reasons[i].take(rows))
                np.copyto(keys, key, where=refused)
                np.copyto(first, i, where=refused)
        return first, keys

    def group(self, key: int) -> tuple[str, Code, tuple[str, ...]]:
        """(plugin, code, reasons) of a row's key above 0."""
        i, code, reason = self._ways.told(key)
        return self.names[i], Code(code), self.reason_table.entries[reason]

    def _count(self, keys: NDArray[np.int64], sign: int) -> None:
        """So many rows more (1) or less (-1) are refused in these ways."""
        known, first, n = self._counts, int(keys[0]), len(keys)
        if n == 1 or np.count_nonzero(keys != first) == 0:
            counted = [(first, n)]
        elif int(keys.max()) < _COUNT_BY_TABLE_UP_TO:
            table = np.bincount(keys)
            found = table.nonzero()[0]
            counted = list(zip(found.tolist(), table.take(found).tolist(), strict=True))
        else:
            some, counts = np.unique(keys, return_counts=True)
            counted = list(zip(some.tolist(), counts.tolist(), strict=True))
        for key, count in counted:
            if key:
                known[key] = known.get(key, 0) + sign * count
