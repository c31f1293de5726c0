"""The effect of nominated pods on filter verdicts, cached between cycles of one pod class as an overlay on them.

The pass with nominated pods counted in is repeated only for nodes whose nominations or pods changed, and only where
all filters look at single nodes.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.filter_outcome import Refusals
from scheduler_core.framework.contracts.status import Status
from scheduler_core.framework.incremental.dirty_rows import DirtyRows
from scheduler_core.framework.incremental.filter_cache import FilterCache
from scheduler_core.framework.runtime.framework import Framework


class NominatedOverlay:
    """Rows that the pass with nominated pods refuses, with its status; for one class and one set of active filters."""

    def __init__(self, framework: Framework, filters: FilterCache) -> None:
        self.statuses: dict[int, Status] = {}
        self._framework = framework
        self._filters = filters
        self._position = framework.cluster.log.length
        self._log_position = 0
        self._again: set[int] = set()
        self._interned: dict[Status, Status] = {}

    def update(self, cycle: CycleState, pod: PodInfo) -> Status | None:
        """Update the statuses and the filters' feasible rows. Returns a plugin's error, if there is one."""
        if not self.statuses and not self._again and not self._framework.nominations.nodes():
            self._position = self._framework.cluster.log.length
            return None
        problem, changed = None, []
        for row in self._stale(pod):
            view = self._framework.cluster.view(row)
            status = self._framework.run_filters_nominated_pass(cycle, pod, view)
            if status is not None and not status.is_success and not status.is_rejected:
                self._again.add(row)
                problem = problem or status
                continue
            if status is not None and status.is_success:
                status = None
            if self.statuses.get(row) != status:
                changed.append(row)
                if status is None:
                    del self.statuses[row]
                else:
                    self.statuses[row] = self._interned.setdefault(status, status)
        if changed:
            self._filters.block(self.statuses, changed)
        return problem

    def _stale(self, pod: PodInfo) -> list[int]:
        """Rows for which the pass may have another result than before. A pod never counts against itself."""
        framework = self._framework
        row_of, log = framework.cluster.table.row_of, framework.run.nomination_log
        assert log is not None
        names = set(log[self._log_position :])
        self._log_position = len(log)
        dirty = DirtyRows(framework.cluster, self._position)
        self._position = dirty.end
        nominations = framework.nominations
        rows = self._again | {row_of[name] for name in names if name in row_of}
        rows.update([row for row in dirty.rows if nominations.on(framework.cluster.name_of(row))])
        own = row_of.get(nominations.node_of(pod.key))
        self._again = set() if own is None else {own}
        return sorted(rows | self._again)

    def refusals(self) -> Refusals:
        """The refusals of the filters, with those of the overlay on its rows. Only called if it has any."""
        filters, counts = self._filters, dict(self._filters.refusals())
        keys = filters.keys.take(np.fromiter(self.statuses, dtype=np.int64, count=len(self.statuses)))
        keys.sort()  # np.unique would do the same, but slower
        ends = [*((keys[1:] != keys[:-1]).nonzero()[0] + 1).tolist(), len(keys)]
        for start, end in pairwise([0, *ends]):
            if key := keys.item(start):
                group = filters.group(key)
                counts[group] -= end - start
                if not counts[group]:
                    del counts[group]
        by_id = {id(status): status for status in self._interned.values()}
        for number, count in Counter(map(id, self.statuses.values())).items():
            status = by_id[number]
            overlaid = (status.plugin, status.code, status.reasons)
            counts[overlaid] = counts.get(overlaid, 0) + count
        return counts
