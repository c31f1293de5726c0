"""Preemptions around a pod, as the page shows them: each preemptor with its victims below it, and theirs in turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scheduler_core.explain.pending.model import Preempted, PreemptionGraph

SHOWN = 24


@dataclass
class ChainPod:
    """A pod with those that it preempted; `by` is the preemption that hit it, None for a preemptor that none hit.

    `uid` is "" for the first pod of its name. `is_here`: the page is about it; `is_later`: it was preempted after the
    cursor.
    """

    key: str
    uid: str
    priority: int | None
    by: Preempted | None
    is_here: bool
    is_later: bool
    victims: list[ChainPod] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Return its name without the namespace."""
        return self.key.partition("/")[2]


@dataclass(frozen=True)
class ChainList:
    """Preemptors that nobody preempted, the pod's own chain first; `count` victims in all, `more` of them not shown."""

    pods: list[ChainPod]
    count: int
    more: int
    cycles: int


def chain_list(graph: PreemptionGraph, pod: str, uid: str, seq: int) -> ChainList:
    """Return the graph as trees, for a page about a pod with the cursor after `seq` events."""
    drawing = _Drawing(graph, f"{pod} {uid}" if uid else pod, seq)
    pods = [drawing.pod(root, None) for root in drawing.roots() if drawing.left > 0]
    more = len(graph.edges) - drawing.drawn
    return ChainList(pods, len(graph.edges), more, len({edge.cycle for edge in graph.edges}))


class _Drawing:
    """The trees under construction, until `left` more victims are drawn."""

    def __init__(self, graph: PreemptionGraph, here: str, seq: int) -> None:
        self.here, self.seq = here, seq
        self.left, self.drawn = SHOWN, 0
        self._priority = {node.pod: node.priority for node in graph.nodes}
        self._edges: dict[str, list[Preempted]] = {}
        for edge in graph.edges:
            self._edges.setdefault(edge.preemptor, []).append(edge)
        self._victims = {edge.victim for edge in graph.edges}

    def roots(self) -> list[str]:
        """Return the preemptors that were not preempted themselves, in order of time, the pod's own chain first."""
        names = [name for name in self._edges if name not in self._victims]
        return sorted(names, key=lambda name: self.here not in self._below(name))

    def _below(self, name: str) -> set[str]:
        met, left = {name}, [name]
        while left:
            new = {edge.victim for edge in self._edges.get(left.pop(), ())} - met
            met |= new
            left += new
        return met

    def pod(self, name: str, by: Preempted | None) -> ChainPod:
        """Return the pod with its victims; a pod preempted twice lists its own victims only the first time."""
        key, _, uid = name.partition(" ")
        is_later = by is not None and by.seq >= self.seq
        row = ChainPod(key, uid, self._priority.get(name), by, name == self.here, is_later)
        for edge in self._edges.pop(name, ()):
            if self.left <= 0:
                break
            self.left -= 1
            self.drawn += 1
            row.victims.append(self.pod(edge.victim, edge))
        return row
