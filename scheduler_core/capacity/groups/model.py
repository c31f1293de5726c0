"""A node group: nodes of one template that may be added, how many at least and at most, and what one costs."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from scheduler_core.api.objects import Node

HOSTNAME = "kubernetes.io/hostname"


class GroupError(ValueError):
    """An object whose groups cannot be known; the message says why."""


class UnknownGroup(msgspec.Struct, frozen=True):
    """A group that the input names and whose nodes are not known, and why."""

    name: str
    why: str


class NodeGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes that are alike. ``template`` is one of them without what is its own; ``present`` are the names of those
    that are there. ``minimum`` and ``maximum`` (None: no bound is known) count all nodes of the group, ``price`` is of
    one node for an hour (None: not known). ``limits`` are canonical amounts that all nodes of the group together may
    have, ``says`` is what an object of the cluster says against new nodes. ``source`` says where the group comes from
    ("NodePool general", "label cloud.google.com/gke-nodepool", "like n7", "file")."""

    name: str
    template: Node
    minimum: int = 0
    maximum: int | None = None
    price: float | None = None
    present: tuple[str, ...] = ()
    limits: Mapping[str, int] = {}
    source: str = ""
    says: str = ""

    def node(self, number: int) -> Node:
        """The new node of this number, from 1 on."""
        name = f"{self.name}-new-{number}"
        labels = {**self.template.labels, HOSTNAME: name}
        return msgspec.structs.replace(self.template, name=name, labels=labels)

    @property
    def room(self) -> int | None:
        """How many nodes may be added, by the maximum and the limits; None where neither bounds them."""
        n_present = len(self.present)
        rooms = [most // each - n_present for name, most in self.limits.items() if (each := self.each(name))]
        rooms += [] if self.maximum is None else [self.maximum - n_present]
        return max(0, min(rooms)) if rooms else None

    def each(self, resource: str) -> int:
        """How much of a resource a node has, as limits count it: its capacity."""
        return self.template.capacity.get(resource) or self.template.allocatable.get(resource, 0)


def template_of(node: Node) -> Node:
    """The node without what is its own: its name, its host name, and taints and a cordon that pass."""
    labels = {key: value for key, value in node.labels.items() if key != HOSTNAME}
    taints = tuple(taint for taint in node.taints if not taint.key.startswith("node.kubernetes.io/"))
    return msgspec.structs.replace(node, name="", labels=labels, taints=taints, unschedulable=False)


def like(node: Node, name: str = "") -> NodeGroup:
    """The group of nodes like this one."""
    return NodeGroup(name=name or f"like-{node.name}", template=template_of(node), source=f"like {node.name}")
