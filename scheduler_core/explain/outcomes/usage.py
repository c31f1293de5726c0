"""What is requested of the nodes, kept up to date as pods are placed and leave, and nodes come, change and go.

Pods on a node that is not there count nowhere until it comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scheduler_core.api.resources import PODS
from scheduler_core.explain.outcomes.objects import Requests

Amounts = dict[str, int]


class ClusterUsage:
    """``requested`` and ``allocatable`` are sums over nodes that are there; ``of_node`` has each node's own sums."""

    def __init__(self) -> None:
        self.requested: Amounts = {}
        self.allocatable: Amounts = {}
        self.of_node: dict[str, Amounts] = {}
        self._nodes: dict[str, Amounts] = {}
        self._placed: dict[str, tuple[str, Requests]] = {}

    @property
    def nodes(self) -> Mapping[str, Amounts]:
        """What each node that is there has for pods."""
        return self._nodes

    def put_node(self, name: str, allocatable: Amounts) -> None:
        """A node came, or has another size."""
        previous = self._nodes.get(name)
        if previous is not None:
            _add(self.allocatable, previous.items(), -1)
        else:
            _add(self.requested, self.of_node.setdefault(name, {}).items(), 1)
        self._nodes[name] = allocatable
        _add(self.allocatable, allocatable.items(), 1)

    def drop_node(self, name: str) -> None:
        """A node went; unknown ones are ignored."""
        previous = self._nodes.pop(name, None)
        if previous is not None:
            _add(self.allocatable, previous.items(), -1)
            _add(self.requested, self.of_node[name].items(), -1)

    def place(self, pod: str, node: str, requests: Requests) -> None:
        """The pod counts on the node from now on, and nowhere else; "" is no node. Its slot is counted as well."""
        before = self._placed.get(pod)
        if before is not None and before[0] == node and before[1] is requests:
            return
        self._placed.pop(pod, None)
        if before is not None:
            self._count(*before, -1)
        if node:
            self._placed[pod] = node, requests
            self._count(node, requests, 1)

    def _count(self, node: str, requests: Requests, sign: int) -> None:
        sums = self.of_node.setdefault(node, {})
        for amounts in (sums, self.requested) if node in self._nodes else (sums,):
            _add(amounts, requests, sign)
            amounts[PODS] = amounts.get(PODS, 0) + sign


def _add(amounts: Amounts, more: Iterable[tuple[str, int]], sign: int) -> None:
    for name, value in more:
        amounts[name] = amounts.get(name, 0) + sign * value
