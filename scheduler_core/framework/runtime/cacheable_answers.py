"""Answers at PreFilter and PreScore that are valid for all pods of a class until something they depend on changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scheduler_core.framework.contracts.plugin import Plugin, PreFilterResult, PreScoreResult
from scheduler_core.framework.contracts.plugin_errors import raised
from scheduler_core.framework.contracts.status import Status


class CacheableAnswers:
    """Cached answers at PreFilter or PreScore. A cycle starts with them and asks only the ``live`` plugins.

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
            if not result.cacheable:
                self.live.append(i)
                continue
            if type(plugin).generation is not Plugin.generation:
                self._generations.append((plugin, self._generation(plugin)))
            if result.status.is_skip:
                self.skipped.add(plugin.name)
            else:
                self.states[plugin.name] = result.state

    @property
    def still_hold(self) -> bool:
        """Whether no plugin's generation changed since it gave its answer. Raises PluginRaised."""
        plugin = None
        try:
            for plugin, generation in self._generations:
                if plugin.generation != generation:
                    return False
        except Exception as problem:
            assert plugin is not None
            raise raised(plugin.name, self._point, problem) from problem
        return True

    def _generation(self, plugin: Plugin[Any]) -> int:
        try:
            return plugin.generation
        except Exception as problem:
            raise raised(plugin.name, self._point, problem) from problem


class ClassAnswers:
    """The answers for one class of pods; None until every plugin of the point gave one that refuses nothing.

    The plain engine begins each cycle with new ones, so that it asks every plugin.
    """

    __slots__ = ("pre_filter", "pre_score")

    def __init__(self) -> None:
        self.pre_filter: CacheableAnswers | None = None
        self.pre_score: CacheableAnswers | None = None
