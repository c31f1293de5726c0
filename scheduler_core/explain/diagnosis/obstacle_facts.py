"""One obstacle on the nodes of a set: what its words are made from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scheduler_core.api.objects import Node
from scheduler_core.explain.diagnosis.model import ObstacleKey
from scheduler_core.explain.diagnosis.table import ObstacleTable


class ObstacleFacts(Sequence[tuple[str, Any]]):
    """(name of the node, fact) of one obstacle on the nodes of a set, and what texts refer to besides."""

    def __init__(self, table: ObstacleTable, key: ObstacleKey, rows: Iterable[int]) -> None:
        self.table, self.key, self.pod = table, key, table.pod
        obstacles = {row: one for row in rows if (one := table.at(row, key)) is not None}
        self.rows = list(obstacles)
        self.by_nominated = any(one.by_nominated for one in obstacles.values()) and obstacles[self.rows[0]].by_nominated
        self._facts = [(table.names[row], one.fact) for row, one in obstacles.items()]

    def __len__(self) -> int:
        return len(self._facts)

    def __getitem__(self, index: Any) -> Any:
        return self._facts[index]

    @property
    def nodes(self) -> list[Node]:
        """The nodes of the set."""
        table = self.table.cluster.table
        return [node for row in self.rows if (node := table.nodes[row]) is not None]

    @property
    def all_nodes(self) -> list[Node]:
        """All nodes of the cluster."""
        return self.table.nodes

    @property
    def values(self) -> list[Any]:
        """The facts without names."""
        return [fact for _, fact in self._facts]
