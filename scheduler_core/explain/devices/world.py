"""The objects that decide about devices at one moment, and the allocator asked for claims on these nodes.

Nothing here belongs to a run: a world is made from the objects of a cluster, or from the engine's state at a cursor.
Claims are asked for alone: whether a node has room for the pod is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import msgspec

from scheduler_core.api.devices import DeviceClass, ResourceClaimTemplate, ResourceSlice
from scheduler_core.api.objects import ClusterObjects, Node, Pod, ResourceClaim
from scheduler_core.controllers.claims import claim_keys, is_done
from scheduler_core.engine.simulation import Simulation
from scheduler_core.plugins.dynamic_resources.allocated import AllocatedDevices
from scheduler_core.plugins.dynamic_resources.errors import AllocationError
from scheduler_core.plugins.dynamic_resources.explaining.listing import (
    as_published,
    holders_by_device,
    newest_slices,
)
from scheduler_core.plugins.dynamic_resources.pools import DeviceKey, Pool, PoolIndex, PoolKey
from scheduler_core.plugins.dynamic_resources.selecting import SelectorCache
from scheduler_core.plugins.dynamic_resources.shapes import SpecTexts
from scheduler_core.plugins.dynamic_resources.work import AnswerOnNode, ClaimWork, Surroundings
from scheduler_core.versions.behaviours import Behaviours


class DeviceWorld:
    """Nodes, slices, classes, claims with templates, and pods; what follows is computed on first use and kept.

    ``pods`` are those that are there, by key; ``claims`` by key.
    """

    def __init__(  # noqa: PLR0913
        self,
        nodes: Iterable[Node],
        slices: Iterable[ResourceSlice],
        classes: Mapping[str, DeviceClass],
        claims: Mapping[str, ResourceClaim],
        pods: Mapping[str, Pod],
        behaviours: Behaviours,
        templates: Iterable[ResourceClaimTemplate] = (),
    ) -> None:
        self.nodes = {node.name: node for node in nodes}
        self.slices = list(slices)
        self.classes, self.claims, self.pods, self.behaviours = dict(classes), dict(claims), dict(pods), behaviours
        self.templates = list(templates)
        self.selectors = SelectorCache()
        self._specs = SpecTexts()

    @classmethod
    def of_objects(cls, objects: ClusterObjects, behaviours: Behaviours) -> DeviceWorld:
        """The world of a cluster as its files have it."""
        return cls(
            objects.nodes,
            objects.resource_slices,
            {one.name: one for one in objects.device_classes},
            {one.key: one for one in objects.resource_claims},
            {one.key: one for one in objects.pods},
            behaviours,
            objects.resource_claim_templates,
        )

    @classmethod
    def of_simulation(cls, simulation: Simulation) -> DeviceWorld:
        """The world of the engine's state. What is reserved and not written yet is not in it."""
        cluster = simulation.context.cluster
        there = [cluster.table.nodes[row] for row in cluster.table.row_of.values()]
        listers = cluster.listers
        return cls(
            (node for node in there if node is not None),
            listers.resource_slices.values(),
            listers.device_classes,
            listers.resource_claims,
            simulation.world.pods,
            simulation.context.behaviours,
            listers.resource_claim_templates.values(),
        )

    # --- devices ----------------------------------------------------------------------------------------------------
    @cached_property
    def pools(self) -> Mapping[PoolKey, list[ResourceSlice]]:
        """The slices of each pool in its newest generation."""
        return newest_slices(self.slices)

    @cached_property
    def offered(self) -> PoolIndex:
        """The pools as the allocator sees them."""
        return PoolIndex(self.slices, self.behaviours)

    @cached_property
    def published(self) -> PoolIndex:
        """The pools as if the slices that are there were all that they have."""
        return PoolIndex(as_published(self.pools), self.behaviours)

    @cached_property
    def holders(self) -> Mapping[DeviceKey, list[ResourceClaim]]:
        """The claims that have each device."""
        return holders_by_device(self.claims.values())

    @cached_property
    def around(self) -> Surroundings:
        """What the allocator looks at."""
        return self.surroundings(self.claims.values())

    def surroundings(self, claims: Iterable[ResourceClaim]) -> Surroundings:
        """What the allocator looks at if these were all claims."""
        allocated = AllocatedDevices.of(claims, {}, self.behaviours)
        return Surroundings(self.behaviours, self.classes, self.offered.pools, allocated.now, self.selectors)

    def pools_on(self, node: Node, index: PoolIndex | None = None) -> list[Pool]:
        """The pools of a node, none where its slices cannot be read."""
        try:
            return (index or self.offered).pools(node)
        except AllocationError:
            return []

    def reaching(self, pools: Iterable[PoolKey]) -> list[str]:
        """The nodes that can reach devices of these pools."""
        for node in self.nodes.values():
            self.pools_on(node)
        return list(dict.fromkeys(name for key in pools for name in self.offered.reached_by.get(key, ())))

    # --- claims -----------------------------------------------------------------------------------------------------
    @cached_property
    def users(self) -> Mapping[str, list[Pod]]:
        """The pods that are not done, by the keys of the claims that they use."""
        users: dict[str, list[Pod]] = {}
        for pod in self.pods.values():
            for key in claim_keys(pod) if not is_done(pod) else ():
                users.setdefault(key, []).append(pod)
        return users

    def shape(self, claim: ResourceClaim) -> bytes:
        """What the claim asks for, as bytes that are equal for equal requests."""
        return self._specs.text(claim.spec)

    def answers(
        self, claim: ResourceClaim, around: Surroundings | None = None, names: Iterable[str] | None = None
    ) -> Iterator[tuple[str, AnswerOnNode]]:
        """What the allocator says on each node of a claim as if it had no devices. ``around``: with other claims than
        those that are there; ``names``: of these nodes alone."""
        work = ClaimWork([msgspec.structs.replace(claim, allocation=None)], around or self.around)
        same: dict[object, AnswerOnNode] = {}
        for node in self.nodes.values() if names is None else [self.nodes[name] for name in names]:
            key = self._alike(node)
            if key not in same:
                same[key] = work.searched(node)
            yield node.name, same[key]

    def nodes_for(
        self, claim: ResourceClaim, around: Surroundings | None = None, names: Iterable[str] | None = None
    ) -> list[str]:
        """The nodes on which the allocator gives the claim devices."""
        return [name for name, answer in self.answers(claim, around, names) if answer.status.is_success]

    def _alike(self, node: Node) -> object:
        try:
            alike = self.offered.alike(node)
        except AllocationError:
            alike = None
        return node.name if alike is None else alike
