"""A cluster at rest as an answer worker keeps it, with the answers so far; what pages say of its groups and pods."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from scheduler_core.api.resources import pod_requests
from scheduler_core.capacity.groups.found import groups_of
from scheduler_core.capacity.groups.labels import zone_of
from scheduler_core.capacity.leaving import NodeNeed, unneeded
from scheduler_core.capacity.resting import RestingCluster, goes_with_node
from scheduler_core.capacity.table import AskedTable, owner_of
from scheduler_core.explain.remedies.candidates.pod_edits import taint_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from scheduler_core.api.objects import Pod
    from scheduler_core.capacity.groups.found import FoundGroups
    from scheduler_core.capacity.groups.model import NodeGroup, UnknownGroup
    from scheduler_core.simulate import RunInputs

MOST_TABLES = 8


class GroupFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A group: how many nodes it has, at least and at most (None: not known), its price an hour, and of its template
    what a node offers, its zone, its taints, and the pods of DaemonSets that it gets."""

    name: str
    source: str
    present: int
    minimum: int
    maximum: int | None
    price: float | None
    amounts: dict[str, int]
    zone: str
    taints: tuple[str, ...]
    daemons: tuple[str, ...]


class PodOffer(msgspec.Struct, frozen=True, kw_only=True):
    """A controller (Kind/name, "" for none) by one of its `pods`, of which one requests this much."""

    pod: str
    owner: str
    pods: int
    requests: dict[str, int]


class RestingNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node to drain with its number of pods that would go elsewhere. `need` is what the question about nodes that are
    not needed found, None where it did not get there yet."""

    name: str
    group: str
    pods: int
    need: NodeNeed | None = None


class AskedGroups(NamedTuple):
    """A table with what is said of its groups, and the groups whose nodes are not known."""

    table: AskedTable
    facts: tuple[GroupFacts, ...]
    unknown: tuple[UnknownGroup, ...]


class CapacityState:
    """A cluster at rest with the answers so far."""

    def __init__(self, inputs: RunInputs) -> None:
        self.resting = RestingCluster(inputs)
        self.needs: dict[str, NodeNeed] = {}
        self._sweep = unneeded(self.resting)
        self._tables: OrderedDict[object, AskedGroups] = OrderedDict()

    def table(self, key: object, groups: Callable[[], FoundGroups], pod: str, *, by_price: bool) -> AskedGroups:
        """The table that was begun with this key, else a new one; raises KeyError for a pod that does not wait."""
        if key not in self._tables:
            pools = groups()
            facts = tuple([group_facts(self.resting, group) for group in pools.groups])
            table = AskedTable(self.resting, pools.groups, pod, by_price=by_price)
            self._tables[key] = AskedGroups(table, facts, pools.unknown)
            if len(self._tables) > MOST_TABLES:
                self._tables.popitem(last=False)
        self._tables.move_to_end(key)
        return self._tables[key]

    def sweep(self, is_over: Callable[[], bool]) -> None:
        """Ask about one node more at least, then until `is_over`."""
        for need in self._sweep:
            self.needs[need.name] = need
            if is_over():
                return

    @cached_property
    def group_of(self) -> dict[str, str]:
        """{node: the name of its group}"""
        return {name: group.name for group in groups_of(self.resting.inputs).groups for name in group.present}

    @cached_property
    def offers(self) -> list[PodOffer]:
        """The controllers by what their pods ask for, those of the most pods first."""
        members: dict[tuple[str, str], list[Pod]] = {}
        for pod in self.resting.inputs.objects.pods:
            if not (goes_with_node(pod) or pod.is_terminal):
                owner = owner_of(pod)
                members.setdefault((pod.namespace, owner or f"/{pod.name}"), []).append(pod)
        offers = [pod_offer(pods[0], len(pods)) for pods in members.values()]
        return sorted(offers, key=lambda one: -one.pods)

    def line(self, name: str) -> RestingNode:
        """A node as the lists show it."""
        pods = sum(not goes_with_node(pod) for pod in self.resting.pods_on(name))
        return RestingNode(name=name, group=self.group_of.get(name, ""), pods=pods, need=self.needs.get(name))


def group_facts(resting: RestingCluster, group: NodeGroup) -> GroupFacts:
    template = group.template
    return GroupFacts(
        name=group.name,
        source=group.source,
        present=len(group.present),
        minimum=group.minimum,
        maximum=group.maximum,
        price=group.price,
        amounts=dict(template.allocatable),
        zone=zone_of(template),
        taints=tuple([taint_words(taint) for taint in template.taints]),
        daemons=tuple([owner_of(pod).partition("/")[2] or pod.name for pod in resting.daemons_of(group.node(1))]),
    )


def pod_offer(pod: Pod, pods: int) -> PodOffer:
    return PodOffer(pod=pod.key, owner=owner_of(pod), pods=pods, requests=pod_requests(pod))
