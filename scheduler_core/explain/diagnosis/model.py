"""A diagnosis as typed plain values: what ``why --json``, pages and exports show alike (docs/diagnosis.md).

Field names and codes are stable, texts are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from scheduler_core.explain.doubt import AnswerDoubt

MOST_NAMED = 50


class ObstacleKey(NamedTuple):
    """What makes two obstacles the same on different nodes; ``needs`` are pairs of field and value."""

    code: str
    subject: str
    needs: tuple[tuple[str, str], ...] = ()


class NodeList(msgspec.Struct, frozen=True):
    """Nodes: how many, and the names of the first MOST_NAMED in order of name."""

    count: int = 0
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, names: Iterable[str]) -> NodeList:
        """The set of these nodes."""
        ordered = sorted(names)
        return cls(len(ordered), tuple(ordered[:MOST_NAMED]))


class Obstacle(msgspec.Struct, frozen=True, kw_only=True):
    """One fact that keeps the pod off ``nodes`` (all on which it does, whatever else does too). ``object`` is what has
    it: apiVersion/Kind/namespace/name. ``text`` says it in a sentence part, with the values on ``nodes``."""

    code: str
    plugin: str = ""
    subject: str = ""
    object: str = ""
    needs: dict[str, str] = {}
    nodes: NodeList = NodeList()
    text: str = ""

    @property
    def key(self) -> ObstacleKey:
        """What it is, wherever it stands."""
        return ObstacleKey(self.code, self.subject, tuple(sorted(self.needs.items())))


class ObstacleSet(msgspec.Struct, frozen=True, kw_only=True):
    """A smallest set of obstacles without which the pod would have a node; ``opens``: the nodes that it would have.

    ``also`` are second readings, ``either`` causes that are equal by all rules; both of the same form without readings
    of their own. ``actor`` and ``stage`` are those of the obstacle that is hardest to remove or comes first.
    """

    codes: tuple[str, ...]
    plugins: tuple[str, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    opens: NodeList = NodeList()
    also: tuple[ObstacleSet, ...] = ()
    either: tuple[ObstacleSet, ...] = ()
    stage: str = "filter"
    actor: str = "workload"
    text: str = ""


class EqualNodes(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes with equal obstacles, in order of name. ``texts`` says each obstacle with the values on these nodes (not
    beyond the first forty groups), and ``shared`` what they have in common ("T4 nodes", "zone=a"). ``plugins`` are all
    that refuse them; ``counted`` is the one that kube-scheduler's message counts them under, with its ``reasons``;
    ``unresolvable``: evicting pods would not help."""

    nodes: tuple[str, ...]
    obstacles: tuple[ObstacleKey, ...]
    texts: tuple[str, ...] = ()
    counted: str = ""
    plugins: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    shared: str = ""
    unresolvable: bool = False

    @property
    def count(self) -> int:
        """How many nodes there are."""
        return len(self.nodes)


class PlacementAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Where a placed pod is: ``at`` virtual microseconds, the ``attempt`` that placed it (0: none did), the
    ``runner_up`` and how many points it had less (``lead``), among how many of the best the node was drawn (``tied``).
    """

    node: str
    at: int = 0
    attempt: int = 0
    runner_up: str = ""
    lead: int = 0
    tied: int = 1
    text: str = ""


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """What keeps a pod off nodes: the ``cause``, and all nodes in ``groups`` of equal obstacles, those with the fewest
    first. ``obstacles`` are all that occur, those of the cause first; ``doubts`` are what may falsify it."""

    cause: ObstacleSet
    groups: tuple[EqualNodes, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    doubts: tuple[AnswerDoubt, ...] = ()


def readings(cause: ObstacleSet) -> Sequence[ObstacleSet]:
    """The cause, those equal to it, and the second readings, in their order."""
    return (cause, *cause.either, *cause.also)
