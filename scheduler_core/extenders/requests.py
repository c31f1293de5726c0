"""The bodies of requests to extenders, in the form of kube-scheduler/extender/v1.

Objects are written as far as the engine knows them: what no plugin reads of a pod or a node is not sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_core.api.objects import Node, Pod
from scheduler_core.columns.node_table import NodeTable
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.extending.hooks import NodeReplacement, NodeVictims
from scheduler_core.manifests.writing.objects import to_body

Body = dict[str, Any]
Replaced = Mapping[str, NodeReplacement]


class Bodies:
    """Writes bodies; remembers how nodes are written, and the pod of the last request."""

    def __init__(self, table: NodeTable) -> None:
        self._table = table
        self._nodes: dict[str, tuple[Node, Body]] = {}
        self._pod: tuple[Pod | None, Body] = (None, {})

    def of_nodes(self, pod: Pod, names: Sequence[str], replaced: Replaced | None, *, by_name: bool) -> Body:
        """ExtenderArgs of these nodes, whole or ``by_name``."""
        if by_name:
            return {"Pod": self.of_pod(pod), "Nodes": None, "NodeNames": list(names)}
        items = [replaced[name].raw if replaced is not None else self.of_node(name) for name in names]
        return {"Pod": self.of_pod(pod), "Nodes": {"metadata": {}, "items": items}, "NodeNames": None}

    def of_victims(self, pod: Pod, candidates: Mapping[str, NodeVictims], *, by_uid: bool) -> Body:
        """ExtenderPreemptionArgs of these candidates, with whole pods or ``by_uid``."""
        victims = {
            node: {
                "Pods": [{"UID": info.pod.uid} if by_uid else to_body(info.pod) for info in one.pods],
                "NumPDBViolations": one.violations,
            }
            for node, one in candidates.items()
        }
        whole, by_uids = (None, victims) if by_uid else (victims, None)
        return {"Pod": self.of_pod(pod), "NodeNameToVictims": whole, "NodeNameToMetaVictims": by_uids}

    def of_binding(self, info: PodInfo, node: str) -> Body:
        """ExtenderBindingArgs."""
        pod = info.pod
        return {"PodName": pod.name, "PodNamespace": pod.namespace, "PodUID": pod.uid, "Node": node}

    def of_pod(self, pod: Pod) -> Body:
        """The pod that is being scheduled."""
        if self._pod[0] is not pod:
            self._pod = pod, to_body(pod)
        return self._pod[1]

    def of_node(self, name: str) -> Body:
        """A node of the cluster."""
        node = self._table.nodes[self._table.row_of[name]]
        assert node is not None
        before, body = self._nodes.get(name, (None, {}))
        if before is not node:
            if len(self._nodes) > 2 * len(self._table.row_of):
                self._nodes.clear()
            body = to_body(node)
            self._nodes[name] = node, body
        return body
