"""Extended resources that devices serve, as the two score plugins count them (since v1.36).

Mirrors getDRAPreScoredParams and calculateDRAExtendedResourceAllocatableRequest of the upstream plugins: where a node
offers nothing of the resource itself, the devices of its class that the node reaches are allocatable, and those that
claims have are requested.
"""

from __future__ import annotations

from scheduler_core.api.objects import Node
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.plugin_helpers.device_classes import ClassResolver
from scheduler_core.framework.plugin_helpers.device_totals import DeviceTotals
from scheduler_core.plugins.node_resources.allocation import Scored


class ServedResources:
    """Which resources devices serve, and how many devices there are on a node. Totals are computed once for a state of
    claims, slices and classes."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._plays = handle.run.behaviours.device_extended_resources
        self._resolver: tuple[int, ClassResolver] | None = None
        self._totals: tuple[tuple[int, ...], DeviceTotals] | None = None

    def serves(self, name: str) -> bool:
        """Whether a node that does not offer the resource may serve it by devices."""
        return self._plays and "/" in name and self._class_resolver().class_of(name) is not None

    def serves_any(self, scored: tuple[Scored, ...]) -> bool:
        """The same of any resource that counts for a pod."""
        return self._plays and any(self.serves(resource.name) for resource in scored)

    def on(self, node: Node, name: str) -> tuple[int, int]:
        """(devices that serve the resource on the node, those of them that are allocated)."""
        listers = self._handle.cluster.listers
        in_flight = self._handle.run.claims_in_flight
        stamp = listers.generation, listers.slice_generation, len(listers.claim_log), in_flight.generation
        if self._totals is None or self._totals[0] != stamp:
            self._totals = stamp, DeviceTotals(listers, in_flight.allocations.values(), self._class_resolver())
        return self._totals[1].of(node, name)

    def _class_resolver(self) -> ClassResolver:
        listers = self._handle.cluster.listers
        if self._resolver is None or self._resolver[0] != listers.generation:
            self._resolver = listers.generation, ClassResolver(listers.device_classes)
        return self._resolver[1]
