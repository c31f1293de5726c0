"""Nominated pods by node, updated from the log of added and removed nominations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from scheduler_core.columns.pods import PodInfo


class NominationSource(Protocol):
    """Whom to ask; see interface.Handle."""

    @property
    def nomination_log(self) -> Sequence[str] | None: ...
    def nominated_pods(self, node_name: str) -> list[PodInfo]: ...
    def nominated_nodes(self) -> Iterable[str]: ...


class Nominations:
    """Nominated pods by node. With a log, only the nodes in it are read again; without one, all of them each time."""

    def __init__(self, source: NominationSource) -> None:
        self._source = source
        self._by_node: dict[str, list[PodInfo]] = {}
        self._node_of: dict[str, str] = {}
        self._position = 0

    def on(self, node: str) -> list[PodInfo]:
        """Pods nominated to the node, in order of nomination. Read-only to callers."""
        self._update()
        return self._by_node.get(node, [])

    def node_of(self, key: str) -> str:
        """The node that a pod is nominated to, or ""."""
        self._update()
        return self._node_of.get(key, "")

    def nodes(self) -> dict[str, list[PodInfo]]:
        """Nominated pods by node. Read-only to callers."""
        self._update()
        return self._by_node

    def _update(self) -> None:
        source, log = self._source, self._source.nomination_log
        if log is None:
            self._by_node, self._node_of = {}, {}
            names = set(source.nominated_nodes())
        elif self._position == len(log):
            return
        else:
            names = set(log[self._position :])
            self._position = len(log)
        for name in names:
            for info in self._by_node.pop(name, ()):
                if self._node_of.get(info.key) == name:
                    del self._node_of[info.key]
        for name in sorted(names - {""}):
            if nominated := source.nominated_pods(name):
                self._by_node[name] = nominated
                self._node_of.update(dict.fromkeys([info.key for info in nominated], name))
