"""What is kept from cycle to cycle for the pods of one class, and how one tells that it still holds.

Everything here is a cache: a run without it decides and records the same (``RunContext.keeping``).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.interface import Plugin, PreFilterResult, PreScoreResult
from scheduler_core.framework.status import Status

if TYPE_CHECKING:
    from scheduler_core.framework.kept_filters import KeptFilters
    from scheduler_core.framework.kept_scores import KeptScores

FEW_ROWS = 3
"""Up to so many rows are judged one by one, more by columns: a numpy call costs as much as a plain look at one node."""
KEPT_BYTES = 256 << 20
"""Matrices of all classes together; beyond it the class used longest ago is forgotten."""
_BYTES_PER_ROW = 100
_LEAST_CLASSES = 16


class RowLog:
    """A position in the cluster's change log, standing at its end when made."""

    def __init__(self, cluster: Cluster) -> None:
        self._log = cluster.log
        self._position = cluster.log.length

    def take(self) -> list[int]:
        """Rows that pods came to or left since the last call, each once."""
        if self._position == self._log.length:
            return []
        rows, _, _ = self._log.since(self._position)
        self._position += len(rows)
        return [int(rows[0])] if len(rows) == 1 else list(dict.fromkeys(rows.tolist()))


CODES, REASONS, DECISIVE, RAW = range(4)
"""Parts of a matrix. Codes, reasons and raw scores have a line for each plugin, ``decisive`` is one line."""


class Changes:
    """Where a matrix may differ from the one recorded at ``base_cycle`` (-1: none was).

    ``lines`` has (part, index) with the rows, some perhaps twice, or None where any row may.
    """

    __slots__ = ("base_cycle", "lines")

    def __init__(self) -> None:
        self.base_cycle = -1
        self.lines: dict[tuple[int, int], list[int] | None] = {}

    def rows(self, part: int, index: int, rows: Iterable[int]) -> None:
        """These rows of a line may have changed."""
        key = (part, index)
        if key not in self.lines:
            self.lines[key] = list(rows)
        elif (known := self.lines[key]) is not None:
            known.extend(rows)

    def whole(self, part: int, index: int) -> None:
        """Any row of a line may have changed."""
        self.lines[part, index] = None

    def recorded(self, cycle: int) -> None:
        """The matrix was recorded as it is."""
        self.base_cycle = cycle
        self.lines = {}


class Answers:
    """Lasting answers at PreFilter or PreScore: what a cycle starts with, so that only ``live`` plugins are asked.

    ``statuses`` of all plugins in order, those at the positions of ``live`` still to be filled in.
    """

    def __init__(self, results: Iterable[tuple[Plugin[Any], PreFilterResult | PreScoreResult]]) -> None:
        self.statuses: list[Any] = []
        self.skipped: set[str] = set()
        self.states: dict[str, Any] = {}
        self.live: list[int] = []
        self._generations: list[tuple[Plugin[Any], int]] = []
        for i, (plugin, result) in enumerate(results):
            self.statuses.append((plugin.name, result.status))
            if not result.lasting:
                self.live.append(i)
                continue
            if type(plugin).generation is not Plugin.generation:
                self._generations.append((plugin, plugin.generation))
            if result.status.is_skip:
                self.skipped.add(plugin.name)
            else:
                self.states[plugin.name] = result.state

    @property
    def hold(self) -> bool:
        """Whether the lasting ones still do, as far as their plugins' generations tell."""
        return all(plugin.generation == generation for plugin, generation in self._generations)


class RivalPass(NamedTuple):
    """What the pass with nominated pods said of a row: valid for this version of the row and these nominated pods."""

    version: int
    nominated: list[PodInfo]
    status: Status | None


class KeptClass:
    """What is kept for one class; answers are None until every plugin of the point gave one that refuses nothing."""

    def __init__(self, stamp: tuple[int, int]) -> None:
        self.stamp = stamp
        self.pre_filter: Answers | None = None
        self.pre_score: Answers | None = None
        self.filters: KeptFilters | None = None
        self.scores: KeptScores | None = None
        self.rival_passes: dict[int, RivalPass] = {}


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
