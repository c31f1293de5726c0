"""The order in which the reference holds its nodes: zones take turns (backend/cache/node_tree.go)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Node

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
BETA_ZONE, BETA_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"


def zone_key(node: Node) -> tuple[str, str]:
    """(region, zone); the deprecated beta labels win where both are set (component-helpers node/topology)."""
    labels = node.labels
    return labels.get(BETA_REGION, labels.get(REGION, "")), labels.get(BETA_ZONE, labels.get(ZONE, ""))


class ZoneOrder:
    """Node names by zone in order of arrival; ``rows`` interleaves the zones."""

    def __init__(self) -> None:
        self._zones: dict[tuple[str, str], dict[str, None]] = {}
        self._rows: NDArray[np.int64] | None = None

    def add(self, node: Node) -> None:
        """Append the node to its zone."""
        self._zones.setdefault(zone_key(node), {})[node.name] = None
        self._rows = None

    def remove(self, node: Node) -> None:
        """Take the node out; an empty zone loses its turn."""
        key = zone_key(node)
        del self._zones[key][node.name]
        if not self._zones[key]:
            del self._zones[key]
        self._rows = None

    def update(self, old: Node, new: Node) -> None:
        """Move the node only when its zone changed."""
        if zone_key(old) != zone_key(new):
            self.remove(old)
            self.add(new)

    def order_of_arrival(self) -> dict[tuple[str, str], dict[str, None]]:
        """Names by zone, both as they came, for ``restore``; the caller's own."""
        return {zone: dict(names) for zone, names in self._zones.items()}

    def restore(self, zones: Mapping[tuple[str, str], Mapping[str, None]]) -> None:
        """Take over what ``order_of_arrival`` gave."""
        self._zones = {zone: dict(names) for zone, names in zones.items()}
        self._rows = None

    def names(self) -> list[str]:
        """All names, one of each zone in turn; exhausted zones are passed over."""
        zones = [list(names) for names in self._zones.values()]
        longest = max(map(len, zones), default=0)
        return [zone[i] for i in range(longest) for zone in zones if i < len(zone)]

    def rows(self, row_of: Mapping[str, int]) -> NDArray[np.int64]:
        """int64 rows in that order; cached until a node comes, goes or changes zone."""
        if self._rows is None:
            self._rows = np.array([row_of[name] for name in self.names()], dtype=np.int64)
        return self._rows
