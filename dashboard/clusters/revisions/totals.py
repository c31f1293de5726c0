"""Totals of a revision for lists and overviews: sizes, states of pods, requested and allocatable amounts."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_rows import STATUSES, extended_resources, status_counts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.clusters.models import Revision
    from dashboard.clusters.revisions.contents import Contents
    from dashboard.clusters.revisions.object_rows import NodeRow

RESOURCES = ("cpu", "memory")
MEANING_OF = {"bound": "bound", "pending": "wait", "gated": "gated", "finished": "none"}


def read_totals(revision: Revision) -> dict[str, Any]:
    """Return {"nodes", "pods", "bound", "pending", "gated", "finished", "requested", ...}, kept on the row.

    `requested` (by bound pods), `waiting` (by pods without a node) and `allocatable` are {"cpu": thousandths,
    "memory": bytes} over all nodes.
    """
    if "waiting" not in revision.figures:
        revision.figures = compute_totals(read_contents(revision))
        type(revision).objects.filter(pk=revision.pk).update(figures=revision.figures)
    return revision.figures


def compute_totals(contents: Contents) -> dict[str, Any]:
    """Return the totals of contents, as `read_totals` does."""
    rows = contents.rows
    states = status_counts(rows.pods)
    total = node_totals(rows.nodes)
    waiting = [pod for pod in rows.pods if pod.status in ("pending", "gated")]
    return {
        "nodes": len(rows.nodes),
        "pods": len(rows.pods),
        **{status: states[status] for status in STATUSES},
        "requested": {name: total.requested.get(name, 0) for name in RESOURCES},
        "allocatable": {name: total.allocatable.get(name, 0) for name in RESOURCES},
        "waiting": {name: sum(pod.requests.get(name, 0) for pod in waiting) for name in RESOURCES},
    }


def pod_parts(totals: dict[str, Any]) -> list[tuple[str, int, str]]:
    """Return the parts of an outcome bar over the pods' states."""
    return [(MEANING_OF[status], totals[status], status) for status in STATUSES if totals[status]]


@dataclass
class NodeTotals:
    """Sums over some nodes."""

    n_nodes: int = 0
    n_cordoned: int = 0
    n_pods: int = 0
    requested: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    allocatable: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, node: NodeRow) -> None:
        """Add a node."""
        self.n_nodes += 1
        self.n_cordoned += node.is_cordoned
        self.n_pods += node.n_pods
        for name, value in node.allocatable.items():
            self.allocatable[name] += value
        for name, value in node.requested.items():
            self.requested[name] += value

    @property
    def extended(self) -> list[tuple[str, int, int]]:
        """Return (resource, requested, allocatable) of devices and other extended resources."""
        return extended_resources(self.requested, self.allocatable)


def node_totals(nodes: Iterable[NodeRow]) -> NodeTotals:
    """Return the sums over these nodes."""
    out = NodeTotals()
    for node in nodes:
        out.add(node)
    return out


@dataclass
class Zone:
    """The nodes of a zone, by pool; a name is empty where the nodes carry no such label."""

    name: str
    total: NodeTotals
    pools: list[tuple[str, NodeTotals]]
    nodes: list[NodeRow]


def group_zones(nodes: Iterable[NodeRow]) -> list[Zone]:
    """Return the zones by name, nodes without one last; pools of equal name in two zones count as two."""
    grouped: dict[str, dict[str, list[NodeRow]]] = defaultdict(lambda: defaultdict(list))
    for node in nodes:
        grouped[node.zone][node.pool].append(node)
    return [_zone(name, grouped[name]) for name in sorted(grouped, key=lambda name: (not name, name))]


def _zone(name: str, pools: dict[str, list[NodeRow]]) -> Zone:
    members = [node for pool in sorted(pools) for node in pools[pool]]
    return Zone(name, node_totals(members), [(pool, node_totals(pools[pool])) for pool in sorted(pools)], members)
