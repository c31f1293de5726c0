"""Which volumes a pod's claims would get on a node, and why not.

Mirrors plugins/volumebinding/binder.go and FindMatchingVolume of component-helpers/storage/volume/pv_helpers.go.
Known difference: volumes of one class and size are taken in order of their names (upstream's order is random).
"""

from __future__ import annotations

import msgspec
import numpy as np

from scheduler_core.api.labels import Labels, NodeSelector
from scheduler_core.api.objects import (
    CSIStorageCapacity,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    StorageClass,
)
from scheduler_core.columns.cluster import Listers
from scheduler_core.columns.node_table import NodeTable
from scheduler_core.framework.plugin_helpers.csi_migration import (
    IN_TREE,
    TranslationError,
    is_bound_by_driver,
    translate,
)
from scheduler_core.framework.plugin_helpers.node_selectors import GenerationMemo, Mask
from scheduler_core.framework.plugin_helpers.volume_claims import (
    DELAYED,
    SELECTED_NODE,
    claim_class,
    claim_uses,
    is_bound,
    volume_class,
)
from scheduler_core.plugins.volume_binding.assumed import AssumedVolumes

NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity"
BIND_CONFLICT = "node(s) didn't find available persistent volumes to bind"
NOT_ENOUGH_SPACE = "node(s) did not have enough free storage"
VOLUME_MISSING = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
_NO_PROVISIONER = "kubernetes.io/no-provisioner"


class PodClaims(msgspec.Struct):
    """A pod's claims by state, with the volumes that could serve the delayed ones, by storage class."""

    bound: list[PersistentVolumeClaim] = []
    delayed: list[PersistentVolumeClaim] = []
    immediate: list[PersistentVolumeClaim] = []
    volumes: dict[str, list[PersistentVolume]] = {}


class NodeVolumes(msgspec.Struct):
    """What the pod's claims get on one node: volumes by claim key, claims to provision for, and what is wrong.

    ``error`` is not empty where a volume cannot be read as one of the CSI driver that took over from its plugin.
    """

    bindings: dict[str, str] = {}
    provisions: list[str] = []
    reasons: list[str] = []
    error: str = ""


class VolumeBinder:
    """Questions about one cluster's volumes."""

    def __init__(self, listers: Listers, assumed: AssumedVolumes) -> None:
        self._listers = listers
        self._assumed = assumed
        self._migrated: GenerationMemo[Mask] = GenerationMemo()

    def sorted_claims(self, pod: Pod) -> PodClaims:
        """The pod's claims sorted by state. All must exist."""
        claims = PodClaims()
        for use in claim_uses(pod):
            claim = self._assumed.claim(self._listers, use.key)
            assert claim is not None, use.key
            if is_bound(claim):
                claims.bound.append(claim)
            elif self._is_delayed(claim) and not claim.volume_name:
                claims.delayed.append(claim)
            else:
                claims.immediate.append(claim)
        for claim in claims.delayed:
            name = claim_class(claim)
            if name not in claims.volumes:
                claims.volumes[name] = self._assumed.volumes_of_class(self._listers, name)
        return claims

    def volumes_on(self, claims: PodClaims, node: Node) -> NodeVolumes:
        """What the claims get on the node; reasons in upstream's order, none when it fits (FindPodVolumes)."""
        try:
            bound_reason = self._check_bound(claims.bound, node)
        except TranslationError as problem:
            return NodeVolumes(error=f"could not translate pv: {problem}")
        result, unbound_reason = self._find_unbound(claims, node)
        reasons = {bound_reason, unbound_reason}
        result.reasons = [r for r in (NODE_CONFLICT, BIND_CONFLICT, NOT_ENOUGH_SPACE, VOLUME_MISSING) if r in reasons]
        return result

    def all_bound(self, pod: Pod) -> bool:
        """Whether nothing is left to bind."""
        if not pod.volumes:
            return True
        claims = [self._assumed.claim(self._listers, use.key) for use in claim_uses(pod)]
        return all(claim is not None and is_bound(claim) for claim in claims)

    def volume(self, name: str) -> PersistentVolume | None:
        """The volume as the scheduler sees it."""
        return self._assumed.volume(self._listers, name)

    def storage_class(self, claim: PersistentVolumeClaim) -> StorageClass | None:
        """The claim's storage class."""
        return self._listers.storage_classes.get(claim_class(claim))

    def capacities(self, claim: PersistentVolumeClaim) -> list[CSIStorageCapacity] | None:
        """Capacities with room for the claim, None when capacity is not looked at."""
        storage_class = self.storage_class(claim)
        driver = self._listers.csi_drivers.get(storage_class.provisioner) if storage_class else None
        if storage_class is None or driver is None or not driver.storage_capacity or not claim.requested_bytes:
            return None
        return [
            capacity
            for capacity in self._listers.csi_capacities.values()
            if capacity.storage_class_name == storage_class.name
            and (largest_volume(capacity) or -1) >= claim.requested_bytes
        ]

    def migrated_rows(self, plugin: str, table: NodeTable) -> Mask:
        """bool[capacity]: rows on which the in-tree plugin gave way to its CSI driver."""
        generation = (table.static_generation, self._listers.generation)
        return self._migrated.get(generation, plugin, lambda: self._find_migrated(plugin, table))

    def _find_migrated(self, plugin: str, table: NodeTable) -> Mask:
        rows = np.zeros(table.capacity, dtype=bool)
        for name, csi_node in self._listers.csi_nodes.items():
            if plugin in csi_node.migrated_plugins and name in table.row_of:
                rows[table.row_of[name]] = True
        return rows

    def _is_delayed(self, claim: PersistentVolumeClaim) -> bool:
        storage_class = self.storage_class(claim)
        return storage_class is not None and storage_class.volume_binding_mode == DELAYED

    def _check_bound(self, bound: list[PersistentVolumeClaim], node: Node) -> str:
        """The reason of the first bound claim that does not suit the node, "" when all do. TranslationError."""
        for claim in bound:
            volume = self.seen_from(claim, node)
            if volume is None:
                return VOLUME_MISSING
            if not affinity_matches(volume.node_affinity, node.labels):
                return NODE_CONFLICT
        return ""

    def seen_from(self, claim: PersistentVolumeClaim, node: Node) -> PersistentVolume | None:
        """The claim's volume as the node's driver knows it, None where it is missing. Raises TranslationError."""
        volume = self.volume(claim.volume_name)
        plugin = IN_TREE.get(volume.source) if volume is not None else None
        if volume is None or plugin is None:
            return volume
        csi_node = self._listers.csi_nodes.get(node.name)
        return translate(volume) if is_bound_by_driver(plugin, csi_node) else volume

    def first_unserved(self, claims: PodClaims, node: Node) -> PersistentVolumeClaim | None:
        """The delayed claim that the node is refused for: no volume is found for it, and none can be made there."""
        for claim in claims.delayed:
            if claim.annotations.get(SELECTED_NODE) not in (None, node.name):
                return claim
        bindings = self._find_unbound(claims, node)[0].bindings
        unbound = [claim for claim in claims.delayed if claim.key not in bindings]
        # those that a volume is being made for here come first, in their order, as in _find_unbound
        unbound.sort(key=lambda c: -1 if SELECTED_NODE in c.annotations else c.requested_bytes)
        return next((claim for claim in unbound if self._check_provisions([claim], node)), None)

    def _find_unbound(self, claims: PodClaims, node: Node) -> tuple[NodeVolumes, str]:
        """Volumes for the delayed claims, smallest claims first; what finds none is to be provisioned."""
        result, to_match, to_provision = NodeVolumes(), [], []
        for claim in claims.delayed:
            selected = claim.annotations.get(SELECTED_NODE)
            if selected is None:
                to_match.append(claim)
            elif selected == node.name:
                to_provision.append(claim)
            else:
                return result, BIND_CONFLICT
        taken: set[str] = set()
        for claim in sorted(to_match, key=lambda c: c.requested_bytes):
            volume = find_matching(claim, claims.volumes[claim_class(claim)], node, taken)
            if volume is None:
                to_provision.append(claim)
            else:
                taken.add(volume.name)
                result.bindings[claim.key] = volume.name
        reason = self._check_provisions(to_provision, node)
        result.provisions = [] if reason else [claim.key for claim in to_provision]
        return result, reason

    def _check_provisions(self, to_provision: list[PersistentVolumeClaim], node: Node) -> str:
        for claim in to_provision:
            storage_class = self.storage_class(claim)
            assert storage_class is not None, claim.key
            if not can_provision(storage_class) or not topology_allows(storage_class, node.labels):
                return BIND_CONFLICT
            capacities = self.capacities(claim)
            if capacities is not None and not any(reaches(capacity, node.labels) for capacity in capacities):
                return NOT_ENOUGH_SPACE
        return ""


def affinity_matches(affinity: NodeSelector | None, labels: Labels) -> bool:
    """Whether a volume can be reached from a node with these labels. Fields are not looked at (CheckNodeAffinity)."""
    if affinity is None:
        return True
    return any(
        (term.match_expressions or term.match_fields) and all(r.matches(labels) for r in term.match_expressions)
        for term in affinity.terms
    )


def can_provision(storage_class: StorageClass) -> bool:
    """Whether the class makes volumes at all."""
    return storage_class.provisioner not in ("", _NO_PROVISIONER)


def topology_allows(storage_class: StorageClass, labels: Labels) -> bool:
    """Whether allowedTopologies, if any, has a term that the labels fulfil."""
    if not storage_class.allowed_topologies:
        return True
    return any(
        term.requirements and all(labels.get(key) in values for key, values in term.requirements)
        for term in storage_class.allowed_topologies
    )


def reaches(capacity: CSIStorageCapacity, labels: Labels) -> bool:
    """Whether the capacity can be had from a node with these labels."""
    return capacity.node_topology is not None and capacity.node_topology.matches(labels)


def largest_volume(capacity: CSIStorageCapacity) -> int | None:
    """The largest volume that fits, in bytes; None where nothing is reported."""
    largest = capacity.maximum_volume_size_bytes
    return capacity.capacity_bytes if largest is None else largest


def find_matching(
    claim: PersistentVolumeClaim, volumes: list[PersistentVolume], node: Node, taken: set[str]
) -> PersistentVolume | None:
    """The volume already meant for the claim, else the smallest available one that suits claim and node."""
    smallest: PersistentVolume | None = None
    for volume in volumes:
        if volume.name in taken or not may_serve(claim, volume):
            continue
        reachable = affinity_matches(volume.node_affinity, node.labels)
        if volume.claim_ref is not None:
            return volume if reachable else None
        smaller = smallest is None or smallest.capacity_bytes > volume.capacity_bytes
        if smaller and reachable and is_available(claim, volume):
            smallest = volume
    return smallest


def may_serve(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    """Whether the volume is free or meant for the claim, large enough, of the same mode and attributes class, and not
    being deleted."""
    return (
        (volume.claim_ref is None or _is_prebound_to(volume.claim_ref, claim))
        and volume.capacity_bytes >= claim.requested_bytes
        and volume.volume_mode == claim.volume_mode
        and volume.attributes_class_name == claim.attributes_class_name
        and volume.deletion_timestamp is None
    )


def is_available(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    """Whether a volume that is nobody's suits the claim's selector, class and access modes."""
    return (
        volume.phase == "Available"
        and (claim.selector is None or claim.selector.matches(volume.labels))
        and volume_class(volume) == claim_class(claim)
        and set(claim.access_modes) <= set(volume.access_modes)
    )


def _is_prebound_to(ref: tuple[str, str, str], claim: PersistentVolumeClaim) -> bool:
    namespace, name, uid = ref
    return (namespace, name) == (claim.namespace, claim.name) and uid in ("", claim.uid)
