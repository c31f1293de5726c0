"""The outcome of the filter phase over the whole node table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.cluster import Cluster
from scheduler_core.framework.contracts.change_set import ChangeSet
from scheduler_core.framework.contracts.extending.hooks import ExtendedFilter
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status
from scheduler_core.framework.contracts.verdicts import ReasonTable

NOT_VISITED, PASSED = -2, -1
_NO_ROWS: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
Refusals = dict[tuple[str, Code, tuple[str, ...]], int]
"""Rows refused, counted by (plugin, code, reasons) of the refusal that counts."""


class FilterOutcome:
    """Result of the filter phase over the whole node table.

    ``plugins``: filter plugins run, in order. ``codes`` uint8[len(plugins), capacity] and ``reasons`` int32 likewise
    (ids of the reason table) hold every plugin's verdict on every visited row. ``decisive`` int16[capacity]: index of
    the first plugin that refuses, PASSED, or NOT_VISITED. ``visited`` and ``feasible`` are int64 rows in the order
    searched. ``changes`` is set where all arrays are those of a cache, which change with the next cycle of the pod's
    class: where they may differ from what was recorded. ``overlay`` has the rows where a pass with nominated pods
    refused. ``absent`` is the status that rows count with that PreFilter cut off (None: no cut). ``extended`` is set
    where extenders were asked; they have rows of codes and reasons after those of the plugins then, and ``feasible``
    may have a row several times.
    """

    visited: NDArray[np.int64] = _NO_ROWS
    feasible: NDArray[np.int64] = _NO_ROWS
    changes: ChangeSet | None = None
    absent: Status | None = None
    extended: ExtendedFilter | None = None
    nominated_only = False
    start = 0
    next_start = 0
    _decisive: NDArray[np.int16] | None = None
    _refusals: Refusals | None = None

    def __init__(
        self,
        cluster: Cluster,
        reason_table: ReasonTable,
        plugins: Sequence[str],
        verdicts: tuple[NDArray[np.uint8], NDArray[np.int32]] | None = None,
    ) -> None:
        """``verdicts``: codes and reasons of a cache; None begins with arrays of the table's capacity, all of which
        pass."""
        self.cluster = cluster
        self.reason_table = reason_table
        self.plugins = tuple(plugins)
        if verdicts is None:
            shape = (len(plugins), cluster.table.capacity)
            verdicts = np.zeros(shape, dtype=np.uint8), np.zeros(shape, dtype=np.int32)
        self.codes, self.reasons = verdicts
        self.overlay: dict[int, Status] = {}
        self.unschedulable_plugins: set[str] = set()
        self.pending_plugins: set[str] = set()

    @property
    def decisive(self) -> NDArray[np.int16]:
        """int16 by row, as said of the class; made when first asked for, as most cycles take over that of a cache."""
        if self._decisive is None:
            self._decisive = np.full(self.codes.shape[1], NOT_VISITED, dtype=np.int16)
        return self._decisive

    def status(self, row: int) -> Status:
        """The status that the node counts with: overlay, first refusal, the absent status, or success."""
        if row in self.overlay:
            return self.overlay[row]
        index = int(self.decisive[row])
        if index >= 0:
            reasons = self.reason_table.entries[int(self.reasons[index, row])]
            if not reasons and self.absent is not None and self.is_of_extender(index):
                return self.absent
            return Status(Code(int(self.codes[index, row])), reasons, self.plugins[index])
        if index == NOT_VISITED and self.absent is not None:
            return self.absent
        return SUCCESS

    def is_of_extender(self, index: int) -> bool:
        """Whether a row of codes is that of an extender, which gives reasons to all that it names."""
        return self.extended is not None and index >= self.extended.n_plugins

    @property
    def n_absent(self) -> int:
        """How many nodes have no status of their own; below 0 where extenders gave statuses to unknown nodes."""
        n = self.cluster.n_nodes - len(self.visited)
        if (extended := self.extended) is None:
            return n
        return n + extended.n_left_out - sum(name not in self.cluster.table.row_of for name in extended.statuses)

    def visit(
        self,
        rows: NDArray[np.int64],
        decisive: NDArray[np.int16],
        feasible: NDArray[np.int64],
        earlier: NDArray[np.int64] = _NO_ROWS,
    ) -> None:
        """Note which rows were looked at, in order, with the first refusal of each, and which are feasible.

        ``earlier`` are other rows that were visited before and count on, all refused.
        """
        self.decisive[rows] = decisive
        self.visited, self.feasible = np.concatenate([rows, earlier]) if len(earlier) else rows, feasible
        self._refusals = None

    def visit_counts_changed(self) -> None:
        """Count refusals again when they are asked for next."""
        self._refusals = None

    def forget_visits(self) -> None:
        """As if no row had been looked at."""
        self._decisive = None
        self.visited = self.feasible = _NO_ROWS
        self.overlay = {}
        self._refusals = None

    def visit_all(
        self,
        decisive: NDArray[np.int16],
        visited: NDArray[np.int64],
        feasible: NDArray[np.int64],
        refusals: Refusals,
        changes: ChangeSet,
    ) -> None:
        """Every node was looked at; all of this belongs to a cache, and so do codes and reasons."""
        self._decisive, self.visited, self.feasible = decisive, visited, feasible
        self._refusals, self.changes = refusals, changes

    def copy(self) -> FilterOutcome:
        """The same with arrays of its own."""
        twin = FilterOutcome(self.cluster, self.reason_table, self.plugins)
        twin.__dict__.update(self.__dict__)
        twin.codes, twin.reasons, twin._decisive = self.codes.copy(), self.reasons.copy(), self.decisive.copy()
        twin.visited, twin.feasible, twin.changes = self.visited.copy(), self.feasible.copy(), None
        return twin

    def refusals(self) -> Refusals:
        """How many visited rows were refused, by (plugin, code, reasons) of the refusal that counts."""
        if self._refusals is None:
            self._refusals = self._group_refusals()
        return self._refusals

    def _group_refusals(self) -> Refusals:
        groups: Refusals = {}
        statuses = list(self.overlay.values())
        if self.extended is not None:
            row_of = self.cluster.table.row_of
            statuses += [status for name, status in self.extended.statuses.items() if name not in row_of]
        for status in statuses:
            group = (status.plugin, status.code, status.reasons)
            groups[group] = groups.get(group, 0) + 1
        decisive = self.decisive[self.visited]
        plain = decisive >= 0
        if self.overlay:
            plain &= ~np.isin(self.visited, list(self.overlay))
        rows, decisive = self.visited[plain], decisive[plain]
        if not len(rows):
            return groups
        codes = self.codes[decisive, rows].astype(np.int64)
        keys = (decisive.astype(np.int64) << 40) | (codes << 32) | self.reasons[decisive, rows]
        distinct, counts = np.unique(keys, return_counts=True)
        for key, count in zip(distinct.tolist(), counts.tolist(), strict=True):
            texts = self.reason_table.entries[key & 0xFFFFFFFF]
            group = (self.plugins[key >> 40], Code((key >> 32) & 0xFF), texts)
            groups[group] = groups.get(group, 0) + count
        return groups
