"""What is kept from cycle to cycle for the pods of one class, and how one tells that it still holds.

Everything here is a cache: a run without it decides and records the same (``RunContext.keeping``).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.compiled import kernel
from scheduler_core.framework.contracts.plugin import Plugin, PreFilterResult, PreScoreResult
from scheduler_core.framework.contracts.plugin_errors import raised
from scheduler_core.framework.contracts.status import Status
from scheduler_core.framework.contracts.verdicts import Rows

if TYPE_CHECKING:
    from scheduler_core.framework.incremental.compiled_scores import CompiledScores
    from scheduler_core.framework.incremental.filter_cache import KeptFilters
    from scheduler_core.framework.incremental.nominated_overlay import KeptOverlay
    from scheduler_core.framework.incremental.numpy.score_cache import KeptScores

FEW_ROWS = 3
"""Up to so many rows are judged one by one, more by columns: a numpy call costs as much as a plain look at one node."""
KEPT_BYTES = 512 << 20
"""Matrices of all classes together; beyond it the class used longest ago is forgotten."""
_BYTES_PER_ROW = 90
_LEAST_CLASSES = 16
_GROUPS_LOOKED_AT = 4


class Dirty:
    """Rows that pods came to or left from position ``start`` of the cluster's change log (-1: its end) to its ``end``.

    ``rows`` has each once, ``n`` is how many; ``array`` is the same as int64.
    """

    __slots__ = ("_array", "_rows", "end", "n", "start")

    def __init__(self, cluster: Cluster, start: int) -> None:
        log = cluster.log
        self.end = log.length
        self.start = self.end if start < 0 else start
        self._rows: list[int] | None = None
        self._array: Rows | None = None
        self.n = 0
        if self.start < self.end:
            rows, _, _ = log.since(self.start)
            compiled = kernel()
            if compiled is None:
                self._rows = [int(rows[0])] if len(rows) == 1 else list(dict.fromkeys(rows.tolist()))
                self.n = len(self._rows)
            else:
                self._array = np.empty(len(rows), dtype=np.int64)
                _, self.n = compiled.union_of((rows,), self._array)
                if self.n < len(rows):
                    self._array = self._array[: self.n]

    @property
    def rows(self) -> list[int]:
        """See above."""
        if self._rows is None:
            self._rows = [] if self._array is None else self._array.tolist()
        return self._rows

    @property
    def array(self) -> Rows:
        """Always the same object, so that what was gathered for it is found again."""
        if self._array is None:
            self._array = np.array(self.rows, dtype=np.int64)
        return self._array


CODES, REASONS, DECISIVE, RAW = range(4)
"""Parts of a matrix. Codes, reasons and raw scores have a line for each plugin, ``decisive`` is one line."""
LineOfMatrix = tuple[int, int]
"""(part, index)"""


def is_worth_telling(rows: Rows, n_changed: int) -> bool:
    """Whether to tell the array though only so many of its rows changed: one that stays costs no row numbers."""
    return 2 * n_changed >= len(rows) > 0 and not rows.flags.writeable


class Changes:
    """Where a matrix may differ from the one recorded at ``base_cycle`` (-1: none was).

    ``groups`` are rows with the lines that may differ there; ``whole`` are lines that may differ anywhere; ``overlay``
    are rows where the pass with nominated pods may say something else.
    """

    __slots__ = ("base_cycle", "groups", "overlay", "whole")

    def __init__(self) -> None:
        self.base_cycle = -1
        self.groups: list[tuple[Rows, list[LineOfMatrix]]] = []
        self.whole: dict[LineOfMatrix, None] = {}
        self.overlay: set[int] = set()

    def rows(self, rows: Rows, *lines: LineOfMatrix) -> None:
        """These rows of the lines may have changed. The array must stay as it is, for good where it is read-only."""
        for known, told in self.groups[-_GROUPS_LOOKED_AT:]:
            if known is rows:
                told.extend(lines)
                return
        self.groups.append((rows, list(lines)))

    def recorded(self, cycle: int) -> None:
        """The matrix was recorded as it is."""
        self.base_cycle = cycle
        self.groups = []
        self.whole = {}
        self.overlay = set()


class Answers:
    """Lasting answers at PreFilter or PreScore: what a cycle starts with, so that only ``live`` plugins are asked.

    ``statuses`` of all plugins in order, those at the positions of ``live`` still to be filled in. Where none is live,
    cycles share all of this, and nobody may change it.
    """

    def __init__(
        self,
        results: Iterable[tuple[Plugin[Any], PreFilterResult | PreScoreResult]],
        statuses: Sequence[tuple[str, Status, frozenset[str] | None]],
        point: str,
    ) -> None:
        self.statuses = list(statuses)
        self.skipped: set[str] = set()
        self.states: dict[str, Any] = {}
        self.live: list[int] = []
        self._point = point
        self._generations: list[tuple[Plugin[Any], int]] = []
        for i, (plugin, result) in enumerate(results):
            if not result.lasting:
                self.live.append(i)
                continue
            if type(plugin).generation is not Plugin.generation:
                self._generations.append((plugin, self._generation_of(plugin)))
            if result.status.is_skip:
                self.skipped.add(plugin.name)
            else:
                self.states[plugin.name] = result.state

    @property
    def hold(self) -> bool:
        """Whether the lasting ones still do, as far as their plugins' generations tell. Raises PluginRaised."""
        plugin = None
        try:
            for plugin, generation in self._generations:
                if plugin.generation != generation:
                    return False
        except Exception as problem:
            assert plugin is not None
            raise raised(plugin.name, self._point, problem) from problem
        return True

    def _generation_of(self, plugin: Plugin[Any]) -> int:
        try:
            return plugin.generation
        except Exception as problem:
            raise raised(plugin.name, self._point, problem) from problem


class KeptClass:
    """What is kept for one class; answers are None until every plugin of the point gave one that refuses nothing."""

    def __init__(self, stamp: tuple[int, int]) -> None:
        self.stamp = stamp
        self.pre_filter: Answers | None = None
        self.pre_score: Answers | None = None
        self.filters: KeptFilters | None = None
        self.scores: KeptScores | CompiledScores | None = None
        self.overlay: KeptOverlay | None = None


class KeptClasses:
    """The classes of one framework. Node objects and listers that change void everything."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._known: OrderedDict[int, KeptClass] = OrderedDict()

    def of(self, pod: PodInfo) -> KeptClass:
        """What is kept for the pod's class; empty at first, and whenever it no longer holds."""
        table = self._cluster.table
        stamp = (table.static_generation, self._cluster.listers.generation)
        if pod.pod.node_name:  # not part of the class, though a plugin may read it
            return KeptClass(stamp)
        kept = self._known.get(pod.cls.id)
        if kept is not None and kept.stamp == stamp:
            self._known.move_to_end(pod.cls.id)
            return kept
        kept = self._known[pod.cls.id] = KeptClass(stamp)
        if len(self._known) > max(_LEAST_CLASSES, KEPT_BYTES // (_BYTES_PER_ROW * max(1, table.n_rows))):
            self._known.popitem(last=False)
        return kept

    def forget(self, pod: PodInfo) -> None:
        """Begin anew with the pod's class."""
        self._known.pop(pod.cls.id, None)
