"""Filter verdicts cached between the cycles of one pod class, updated with what changed since.

A static plugin is asked once; a node-local one is asked about rows that pods came to or left; any other plugin says
itself which rows may have changed. The result equals that of asking every plugin about every row:
tests/scheduler_core/framework/incremental/test_phases.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.change_set import CODES, DECISIVE, REASONS, ChangeSet
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.filter_outcome import Refusals
from scheduler_core.framework.contracts.plugin import FilterPlugin, PluginCache
from scheduler_core.framework.contracts.status import Code, Status
from scheduler_core.framework.contracts.verdicts import ReasonTable, Rows, Verdicts
from scheduler_core.framework.incremental.dirty_rows import DirtyRows
from scheduler_core.framework.incremental.verdict_table import VerdictTable, refusal_parts
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.framework.runtime.plugin_calls import ask_filter, ask_filter_delta


class FilterCache:
    """All filters' verdicts on all rows of the node table, for one pod class and one set of active filters.

    ``codes``, ``reasons``, ``decisive`` and ``feasible`` as of VerdictTable; ``rows`` are the feasible rows in the
    order of the table. ``version`` counts changes of feasibility. Arrays change in place; ``changes`` notes where, for
    the recording. ``dirty`` are the rows that the last update looked at.
    """

    def __init__(
        self,
        framework: Framework,
        plugins: Sequence[FilterPlugin[Any]],
        skipped: set[str],
    ) -> None:
        order = framework.cluster.table.order
        table = self._table = VerdictTable(len(plugins), framework.cluster.table.n_rows, order)
        self.plugins = tuple(plugins)
        self.names = tuple([p.name for p in plugins])
        self.skipped = skipped
        numbered = list(enumerate(self.plugins))
        self._still = [(i, p) for i, p in numbered if p.traits.static]
        self._local = [(i, p) for i, p in numbered if p.traits.node_local and not p.traits.static]
        self._across = [(i, p) for i, p in numbered if p.traits.across_nodes]
        self.local = not self._across
        self.cluster = framework.cluster
        self._durations = framework.durations
        self.reason_table: ReasonTable = framework.run.reasons
        self.order, self.in_order = order, table.in_order
        self.codes, self.reasons, self.decisive = table.codes, table.reasons, table.decisive
        self.feasible = table.feasible
        self.rows: Rows = order
        self.version = 0
        self.changes = ChangeSet()
        self.dirty: DirtyRows | None = None
        self._plugin_caches = [PluginCache() for _ in plugins]
        self._refusals: Refusals | None = None
        self._differs = False

    def update(self, cycle: CycleState, pod: PodInfo) -> None:
        """Update everything to the current state. After a PluginRaised the cache is unusable."""
        first_time = self.dirty is None
        dirty = self.dirty = DirtyRows(self.cluster, -1 if self.dirty is None else self.dirty.end)
        durations = self._durations
        for i, plugin in self._across:
            self._judge_changed(i, plugin, cycle, pod)
        if first_time:
            for i, plugin in self._still:
                self._judge(i, self.order, ask_filter(durations, cycle, plugin, pod, self.order))
        if first_time or dirty.n:
            rows = self.order if first_time else dirty.array
            for i, plugin in self._local:
                self._judge(i, rows, ask_filter(durations, cycle, plugin, pod, rows))
        if self._differs:
            self._settle()

    def dirty_rows_since(self, position: int | None) -> DirtyRows:
        """Rows that changed since the position of the log (None: its end), mostly those that the last update met."""
        if self.dirty is not None and self.dirty.start == position:
            return self.dirty
        return DirtyRows(self.cluster, -1 if position is None else position)

    def block(self, blocked: Mapping[int, Status], changed: Sequence[int]) -> None:
        """Take the rows that nominated pods block, see VerdictTable.block."""
        self.changes.overlay.update(changed)
        if self._table.block(blocked.keys(), changed):
            self._flipped()

    @property
    def keys(self) -> NDArray[np.int64]:
        """Each row's key for the (plugin, reasons, code) of its first refusal, 0 where there is none."""
        return self._table.keys

    def refusals(self) -> Refusals:
        """Rows refused, counted by (plugin, code, reasons) of the first refusal."""
        if self._refusals is None:
            self._refusals = {self.group(key): count for key, count in self._table.counts.items() if count}
        return self._refusals

    def group(self, key: int) -> tuple[str, Code, tuple[str, ...]]:
        """(plugin, code, reasons) of a row's key above 0."""
        i, code, reason = refusal_parts(key, len(self.plugins))
        return self.names[i], Code(code), self.reason_table.entries[reason]

    def _judge_changed(self, i: int, plugin: FilterPlugin[Any], cycle: CycleState, pod: PodInfo) -> None:
        """Take new verdicts of a plugin that looks across nodes, for the rows that it says may have changed."""
        cache = self._plugin_caches[i]
        pieces, verdicts = ask_filter_delta(self._durations, cycle, plugin, pod, cache, self.order)
        if len(pieces) == 1:
            if len(pieces[0]):
                self._judge(i, pieces[0], verdicts)
            return
        end = 0
        for piece in pieces:
            start, end = end, end + len(piece)
            self._judge(i, piece, None if verdicts is None else verdicts.part(start, end))

    def _judge(self, i: int, rows: Rows, verdicts: Verdicts | None) -> None:
        differing = self._table.judge(i, rows, verdicts)
        if len(differing):
            self._differs = True
            self.changes.rows(differing, (CODES, i), (REASONS, i))

    def _settle(self) -> None:
        """Recompute the first refusal of the rows whose verdicts changed."""
        self._differs = False
        self._refusals = None
        pieces, flipped = self._table.settle()
        for rows in pieces:
            self.changes.rows(rows, (DECISIVE, 0))
        if flipped:
            self._flipped()

    def _flipped(self) -> None:
        self.version += 1
        if self.in_order:
            self.rows = self.feasible.nonzero()[0]
        else:
            self.rows = self.order.compress(self.feasible.take(self.order))
