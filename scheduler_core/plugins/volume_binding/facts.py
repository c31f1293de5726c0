"""Everything about a row that the verdict of VolumeBinding depends on, as masks: rows that agree share a verdict."""

from __future__ import annotations

import numpy as np

from scheduler_core.api.labels import NodeSelector, Requirement
from scheduler_core.api.objects import CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim, StorageClass
from scheduler_core.columns.node_table import NodeTable
from scheduler_core.framework.plugin_helpers.csi_migration import IN_TREE, TranslationError, translate
from scheduler_core.framework.plugin_helpers.node_selectors import Mask, requirement_mask
from scheduler_core.framework.plugin_helpers.volume_claims import SELECTED_NODE, claim_class
from scheduler_core.plugins.volume_binding.binder import PodClaims, VolumeBinder, may_serve


def reach_masks(claims: PodClaims, binder: VolumeBinder, table: NodeTable) -> list[Mask]:
    """Masks bool[capacity]: which volumes the rows reach, and what could be provisioned there."""
    bound = [v for claim in claims.bound if (v := binder.volume(claim.volume_name)) is not None]
    in_tree = [v for v in bound if v.source in IN_TREE]
    masks = [binder.migrated_rows(name, table) for name in sorted({IN_TREE[v.source].name for v in in_tree})]
    volumes = bound + [t for v in in_tree if (t := _translated(v)) is not None]
    for claim in claims.delayed:
        volumes += [v for v in claims.volumes[claim_class(claim)] if may_serve(claim, v)]
        masks += _provisioning(claim, binder, table)
    affinities = dict.fromkeys(v.node_affinity for v in volumes if v.node_affinity is not None)
    return masks + [_affinity(affinity, table) for affinity in affinities]


def _translated(volume: PersistentVolume) -> PersistentVolume | None:
    """An in-tree volume as its CSI driver knows it; None where it cannot know it."""
    try:
        return translate(volume)
    except TranslationError:
        return None


def _provisioning(claim: PersistentVolumeClaim, binder: VolumeBinder, table: NodeTable) -> list[Mask]:
    masks = []
    selected = claim.annotations.get(SELECTED_NODE)
    if selected is not None:
        masks.append(np.arange(table.capacity) == table.row_of.get(selected, -1))
    storage_class = binder.storage_class(claim)
    if storage_class is not None and storage_class.allowed_topologies:
        masks.append(_topologies(storage_class, table))
    capacities = binder.capacities(claim)
    if capacities is not None:
        masks.append(_any([_reached(capacity, table) for capacity in capacities], table))
    return masks


def _affinity(affinity: NodeSelector, table: NodeTable) -> Mask:
    terms = [t.match_expressions for t in affinity.terms if t.match_expressions or t.match_fields]
    return _any([_all(requirements, table) for requirements in terms], table)


def _topologies(storage_class: StorageClass, table: NodeTable) -> Mask:
    terms = [
        tuple(Requirement(key, "In", values) for key, values in term.requirements)
        for term in storage_class.allowed_topologies
    ]
    return _any([_all(requirements, table) for requirements in terms if requirements], table)


def _reached(capacity: CSIStorageCapacity, table: NodeTable) -> Mask:
    if capacity.node_topology is None:
        return np.zeros(table.capacity, dtype=bool)
    return _all(capacity.node_topology.requirements, table)


def _all(requirements: tuple[Requirement, ...], table: NodeTable) -> Mask:
    mask = np.ones(table.capacity, dtype=bool)
    for requirement in requirements:
        mask &= requirement_mask(table, requirement)
    return mask


def _any(masks: list[Mask], table: NodeTable) -> Mask:
    mask = np.zeros(table.capacity, dtype=bool)
    for one in masks:
        mask |= one
    return mask
