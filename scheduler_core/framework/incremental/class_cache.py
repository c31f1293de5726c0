"""What is kept from cycle to cycle for the pods of one class, and how one tells that it still holds.

Everything here is a cache: a run without it decides and records the same (``RunContext.keeping``).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.plugin import Plugin, PreFilterResult, PreScoreResult
from scheduler_core.framework.contracts.plugin_errors import raised
from scheduler_core.framework.contracts.status import Status

if TYPE_CHECKING:
    from scheduler_core.framework.incremental.compiled_scores import CompiledScores
    from scheduler_core.framework.incremental.filter_cache import KeptFilters
    from scheduler_core.framework.incremental.nominated_overlay import KeptOverlay
    from scheduler_core.framework.incremental.numpy.score_cache import KeptScores

KEPT_BYTES = 512 << 20
"""Matrices of all classes together; beyond it the class used longest ago is forgotten."""
_BYTES_PER_ROW = 90
_LEAST_CLASSES = 16


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
