"""The groups of an input: of its objects that make nodes, then the pools of the nodes at hand by label.

A pool with an object and nodes is one group of nodes, not two. A group that is given replaces those of the input, but
for NodePools, of which it is a shape where it meets their requirements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import NamedTuple

from msgspec.structs import replace

from scheduler_core.api.objects import Node
from scheduler_core.api.unplayed import Unplayed, UnplayedObject
from scheduler_core.capacity.groups.labels import groups_by_labels
from scheduler_core.capacity.groups.machines import (
    MACHINE_AUTOSCALER,
    MACHINE_DEPLOYMENT,
    MACHINE_SET,
    Owner,
    group_of_machines,
    owner_of,
)
from scheduler_core.capacity.groups.model import GroupError, NodeGroup, UnknownGroup
from scheduler_core.capacity.groups.node_pools import POOL_LABEL, groups_of_node_pool, weight_of
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.manifests.kinds.registry import api_group

MOST_GROUPS = 1_000
_KINDS = {
    ("NodePool", "karpenter.sh"),
    (MACHINE_DEPLOYMENT, "cluster.x-k8s.io"),
    (MACHINE_SET, "machine.openshift.io"),
    (MACHINE_AUTOSCALER, "autoscaling.openshift.io"),
}


class FoundGroups(NamedTuple):
    """The groups in the order in which they are shown, and those whose nodes are not known."""

    groups: list[NodeGroup]
    unknown: tuple[UnknownGroup, ...] = ()


def groups_of(inputs: RunInputs, given: Sequence[NodeGroup] = ()) -> FoundGroups:
    """The groups of the input, or the ``given`` ones; each has a name of its own, and there are at most MOST_GROUPS."""
    search = _Groups(inputs.unplayed, inputs.objects.nodes)
    search.add_node_pools(given)
    if given:
        search.groups += [group for group in given if group.name not in search.used]
    else:
        search.add_machines()
        search.add_labels()
    left_out = len(search.groups) - MOST_GROUPS
    if left_out > 0:
        search.groups.sort(key=lambda group: not group.present)
        search.say(
            plural(left_out, "more group"), f"at most {MOST_GROUPS:,} are looked at, those with nodes at hand first"
        )
    return FoundGroups(_named_apart(search.groups[:MOST_GROUPS]), tuple(search.unknown))


class _Groups:
    def __init__(self, unplayed: Unplayed, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self.groups: list[NodeGroup] = []
        self.unknown: list[UnknownGroup] = []
        self.used: set[str] = set()
        self._of_kind: dict[str, list[UnplayedObject]] = {}
        for one in unplayed.objects:
            if (one.kind, api_group(one.api_version)) in _KINDS:
                self._of_kind.setdefault(one.kind, []).append(one)
        for kind, several in self._of_kind.items():
            counted = {f"{one.api_version}/{kind}" for one in several}
            if (more := sum(unplayed.counts.get(one, 0) for one in counted) - len(several)) > 0:
                self.say(plural(more, f"more {kind}"), "an input keeps no more of a kind")

    def say(self, name: str, why: str) -> None:
        """Note a group whose nodes are not known."""
        self.unknown.append(UnknownGroup(name, why))

    def add_node_pools(self, given: Sequence[NodeGroup]) -> None:
        """Add the groups of NodePools, the pools of the highest weight first."""
        for pool in sorted(self._of_kind.get("NodePool", ()), key=weight_of, reverse=True):
            try:
                groups, used = groups_of_node_pool(pool, self.nodes, given)
            except GroupError as problem:
                self.say(pool.title, str(problem))
                continue
            self.groups += groups
            self.used.update(used)

    def add_machines(self) -> None:
        """Add the groups of MachineDeployments and MachineSets."""
        of_owner: dict[Owner, list[Node]] = {}
        for node in self.nodes:
            if (owner := owner_of(node)) is not None:
                of_owner.setdefault(owner, []).append(node)
        scalers = [one for one in self._of_kind.get(MACHINE_AUTOSCALER, ()) if one.fields]
        for kind in (MACHINE_DEPLOYMENT, MACHINE_SET):
            for one in self._of_kind.get(kind, ()):
                own = [*of_owner.get((kind, one.namespace, one.name), ()), *of_owner.get((kind, "", one.name), ())]
                try:
                    self.groups.append(group_of_machines(one, own, scalers))
                except GroupError as problem:
                    self.say(one.title, str(problem))

    def add_labels(self) -> None:
        """Add the pools by label of the nodes that are of no group yet, nor of a NodePool that was read."""
        pools = {one.name for one in self._of_kind.get("NodePool", ()) if one.fields}
        present = {name for group in self.groups for name in group.present}
        left = (node for node in self.nodes if node.name not in present and node.labels.get(POOL_LABEL) not in pools)
        self.groups += groups_by_labels(left)


def _named_apart(groups: Iterable[NodeGroup]) -> list[NodeGroup]:
    """The groups, each under a name of its own: a second one of a name with where it comes from, or a number."""
    taken: set[str] = set()
    out: list[NodeGroup] = []
    for group in groups:
        numbered = (f"{group.name} ({i})" for i in count(2))
        name = next(one for one in chain((group.name, f"{group.name} ({group.source})"), numbered) if one not in taken)
        taken.add(name)
        out.append(group if name == group.name else replace(group, name=name))
    return out
