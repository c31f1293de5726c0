"""The labels of a cluster's objects, for what answers in place of an extender that watches the cluster itself."""

from __future__ import annotations

from scheduler_core.api.labels import Labels
from scheduler_core.columns.cluster import Cluster

_NONE: Labels = {}


class LiveLabels:
    """calls.ClusterLabels of a cluster as it is at the moment of the question."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def of_node(self, name: str) -> Labels:
        """See ClusterLabels."""
        table = self._cluster.table
        row = table.row_of.get(name)
        node = None if row is None else table.nodes[row]
        return _NONE if node is None else node.labels

    def of_pod(self, node: str, uid: str) -> Labels:
        """See ClusterLabels."""
        row = self._cluster.table.row_of.get(node)
        pods = () if row is None else self._cluster.pods_on(row).values()
        return next((info.pod.labels for info in pods if info.pod.uid == uid), _NONE)
