"""A cluster while it is drawn, and as it is then: nodes, placed pods, other objects and one pod that waits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.api.labels import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.taints import Toleration
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.crowded import FIELDS

if TYPE_CHECKING:
    from random import Random

HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
GPU = "example.com/gpu"
WAITING = "default/new"


class MixedCluster(msgspec.Struct, frozen=True, kw_only=True):
    """Plain objects. ``pod`` waits; each of ``placed`` is on a node; ``objects`` are claims, volumes and classes."""

    nodes: tuple[k8s.Node, ...]
    placed: tuple[k8s.Pod, ...]
    objects: tuple[Any, ...]
    pod: k8s.Pod

    def as_objects(self) -> k8s.ClusterObjects:
        """The objects by kind, as inputs of a run."""
        others: dict[str, list[Any]] = {}
        for one in self.objects:
            others.setdefault(FIELDS[type(one)], []).append(one)
        return k8s.ClusterObjects(nodes=list(self.nodes), pods=[*self.placed, self.pod], **others)


@dataclass(eq=False)
class DraftNode:
    """A node with much room and nothing that keeps pods off; ``pods`` "full" takes no more than it has in the end."""

    name: str
    zone: str
    labels: dict[str, str] = field(default_factory=dict)
    taints: list[str] = field(default_factory=list)
    unschedulable: bool = False
    cpu: str = "8"
    memory: str = "16Gi"
    gpu: str = ""
    pods: str = "110"


@dataclass
class Draft:
    """What barriers add to: nodes, the fields of the pod that waits, placed pods, and other objects."""

    draw: Random
    nodes: list[DraftNode]
    labels: dict[str, str] = field(default_factory=lambda: {"app": "new"})
    node_selector: dict[str, str] = field(default_factory=dict)
    requirements: list[Requirement] = field(default_factory=list)
    field_requirements: list[Requirement] = field(default_factory=list)
    requests: dict[str, str] = field(default_factory=dict)
    ports: list[k8s.ContainerPort] = field(default_factory=list)
    spread: list[k8s.TopologySpreadConstraint] = field(default_factory=list)
    near: list[k8s.PodAffinityTerm] = field(default_factory=list)
    apart: list[k8s.PodAffinityTerm] = field(default_factory=list)
    tolerations: list[Toleration] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)
    placed: list[k8s.Pod] = field(default_factory=list)
    objects: list[Any] = field(default_factory=list)

    def place(self, node: DraftNode, **fields: Any) -> None:
        """One more small pod on the node."""
        name = f"old-{len(self.placed):02}"
        self.placed.append(make_pod(name, node_name=node.name, phase="Running", **{"cpu": "50m", **fields}))

    def cluster(self) -> MixedCluster:
        """What was drawn."""
        nodes = tuple(self._node(one) for one in self.nodes)
        placed, objects = tuple(self.placed), tuple(self.objects)
        return MixedCluster(nodes=nodes, placed=placed, objects=objects, pod=self._pod())

    def _node(self, one: DraftNode) -> k8s.Node:
        zone = {ZONE: one.zone} if one.zone else {}
        n_placed = sum(pod.node_name == one.name for pod in self.placed)
        return make_node(
            one.name,
            cpu=one.cpu,
            memory=one.memory,
            pods=n_placed if one.pods == "full" else int(one.pods),
            labels={**zone, **one.labels},
            taints=one.taints,
            unschedulable=one.unschedulable,
            extended={GPU: one.gpu} if one.gpu else {},
        )

    def _pod(self) -> k8s.Pod:
        requests = dict(self.requests)
        main = make_pod("x", requests.pop("cpu", None), requests.pop("memory", None), extended=requests).containers[0]
        containers = [msgspec.structs.replace(main, ports=tuple(self.ports))]
        if self.draw.random() < 0.3:
            containers.append(k8s.Container("side"))
        return make_pod(
            "new",
            labels=self.labels,
            containers=tuple(containers),
            node_selector=self.node_selector,
            affinity=self._affinity(),
            tolerations=tuple(self.tolerations),
            topology_spread_constraints=tuple(self.spread),
            volumes=tuple(k8s.Volume(name=f"v{i}", claim_name=name) for i, name in enumerate(self.claims)),
        )

    def _affinity(self) -> k8s.Affinity | None:
        required = None
        if self.requirements or self.field_requirements:
            term = NodeSelectorTerm(tuple(self.requirements), tuple(self.field_requirements))
            required = NodeSelector((term,))
        if required is None and not self.near and not self.apart:
            return None
        return k8s.Affinity(node_required=required, pod_required=tuple(self.near), anti_required=tuple(self.apart))


def labelled(key: str, value: str) -> LabelSelector:
    """The selector of one label."""
    return LabelSelector((Requirement(key, "In", (value,)),))
