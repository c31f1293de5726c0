"""Which remedies come first: those of the cause before those of other readings, then by who can act, then by size."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from scheduler_core.explain.diagnosis.model import Diagnosis, ObstacleKey
from scheduler_core.explain.remedies.model import Remedy
from scheduler_core.framework.contracts.obstacles import ACTORS

OF_NO_READING = 9


class Ranks(msgspec.Struct, frozen=True):
    """``by_node``: which reading of the diagnosis opens the node: 0 the cause or its equal, 1 the first after it; one
    more each where another cause comes ``first``, as where preemption clears a node."""

    by_node: dict[str, int] = {}
    first: int = 0

    @classmethod
    def of(cls, diagnosis: Diagnosis | None, first: int = 0) -> Ranks:
        """The ranks of a diagnosis; without one all are of the cause."""
        if diagnosis is None:
            return cls()
        cause = diagnosis.cause
        sets = [(0, one) for one in (cause, *cause.either)] + list(enumerate(cause.also, start=1))
        keys = [(i, frozenset(obstacle.key for obstacle in one.obstacles)) for i, one in sets]
        return cls(
            {name: _first(keys, frozenset(group.obstacles)) for group in diagnosis.groups for name in group.nodes},
            first,
        )

    def best(self, nodes: Iterable[str], otherwise: Iterable[str] = ()) -> int:
        """The first reading that opens one of the nodes; ``otherwise`` are asked for where all nodes are new ones."""
        if not self.by_node:
            return self.first
        ranks = [self.by_node[name] for name in nodes if name in self.by_node]
        ranks = ranks or [self.by_node[name] for name in otherwise if name in self.by_node]
        return min(ranks, default=0) + self.first


def _first(sets: list[tuple[int, frozenset[ObstacleKey]]], keys: frozenset[ObstacleKey]) -> int:
    return next((i for i, one in sets if keys <= one), OF_NO_READING)


def in_order(several: Iterable[Remedy]) -> tuple[Remedy, ...]:
    """The remedies, the first to be proposed first."""
    return tuple(sorted(several, key=rank))


def without_more(several: Iterable[Remedy]) -> list[Remedy]:
    """The remedies without those that do all that another one does, and more."""
    done = [(one, frozenset((e.code, e.subject, e.before, e.after, e.node) for e in one.edits)) for one in several]
    return [one for one, edits in done if not any(other and other < edits for _, other in done)]


def rank(one: Remedy) -> tuple[int, int, float, str]:
    """What orders remedies."""
    return one.reading, ACTORS.index(one.actor), one.size, one.text
