"""Refuses nodes outside of the zone or region that a bound volume of the pod is labelled with.

Mirrors the upstream plugin VolumeZone of v1.34 (plugins/volumezone).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scheduler_core.api.labels import Labels, Requirement
from scheduler_core.api.objects import PersistentVolume, PersistentVolumeClaim, Pod, StorageClass
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.columns.zones import BETA_REGION, BETA_ZONE, REGION, ZONE
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.facts import ClaimFact, Facts, VolumeZoneFact
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    FilterPlugin,
    NoArgs,
    PreFilterPlugin,
    PreFilterResult,
)
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Code, Status, unresolvable
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Rows, Verdicts
from scheduler_core.framework.plugin_helpers.node_selectors import Mask, label_values, requirement_mask
from scheduler_core.framework.plugin_helpers.volume_claims import DELAYED, claim_class, claim_uses, not_found

REASON = "node(s) had no available volume zone"
_LABELS = (BETA_ZONE, BETA_REGION, ZONE, REGION)
_GENERAL = {BETA_ZONE: ZONE, BETA_REGION: REGION}


class VolumeTopology(NamedTuple):
    """Values, one of which a node's label must have."""

    key: str
    values: tuple[str, ...]


Topologies = tuple[VolumeTopology, ...]


class VolumeZone(PreFilterPlugin[NoArgs], FilterPlugin[NoArgs], EnqueueExtension[NoArgs]):
    """Looks at the labels of bound volumes only; their node affinity is VolumeBinding's."""

    name = "VolumeZone"
    title = "The volume is in another zone"
    obstacles = kinds("VOLUME_TOPOLOGY", "VOLUME_MISSING", "CLAIM_MISSING", "CLAIM_UNBOUND_IMMEDIATE")
    wakes = ("Claim change", "Volume change", "Storage class add", "Node add", "Node label change")
    Args = NoArgs
    traits = Traits(static=True, reads_pods="none")

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Storage classes, nodes, claims and volumes that come or change."""
        changed = ActionType.ADD | ActionType.UPDATE
        return (
            EventWithHint(ClusterEvent(Resource.STORAGE_CLASS, ActionType.ADD), _after_class_added),
            EventWithHint(ClusterEvent(Resource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_LABEL)),
            EventWithHint(ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, changed), _after_claim_change),
            EventWithHint(ClusterEvent(Resource.PERSISTENT_VOLUME, changed), _after_volume_change),
        )

    def pre_filter(self, cycle: CycleState, pod: PodInfo) -> PreFilterResult:
        """The topologies of the bound volumes; SKIP without any."""
        if problem := self._problem(pod.pod)[1]:
            return PreFilterResult(unresolvable(problem))
        topologies = [one for _, volume in self._bound_volumes(pod.pod) for one in _topologies(volume)]
        return PreFilterResult(SUCCESS if topologies else SKIP, state=tuple(topologies), cacheable=True)

    def filter_node(self, state: Topologies | None, pod: PodInfo, node: NodeView) -> Status:
        """Pass nodes whose zone and region are among those of every bound volume, and nodes without these labels."""
        if state is None:
            result = self.pre_filter(CycleState(), pod)
            if not result.status.is_success:
                return SUCCESS if result.status.is_skip else result.status
            state = result.state
        labels = node.node.labels
        if not any(key in labels for key in _LABELS):
            return SUCCESS
        return SUCCESS if all(_value(labels, t.key) in t.values for t in state) else unresolvable(REASON)

    def pre_filter_facts(self, pod: PodInfo) -> Facts:
        """The first claim that keeps the pod from being scheduled, with what is wrong with it."""
        key, problem, code = self._problem(pod.pod)
        return (ClaimFact(claim=key, code=code, problem=problem, refuses=True),) if problem else ()

    def filter_facts(self, state: Topologies | None, pod: PodInfo, node: NodeView) -> Facts:
        """Each zone or region of a bound volume, with the node's."""
        labels = node.node.labels
        labelled = any(key in labels for key in _LABELS)
        if self._problem(pod.pod)[1]:  # PreFilter is not run
            return self.pre_filter_facts(pod)
        return tuple(
            VolumeZoneFact(
                claim=key,
                volume=volume.name,
                key=one.key,
                values=one.values,
                value=_value(labels, one.key),
                refuses=labelled and _value(labels, one.key) not in one.values,
            )
            for key, volume in self._bound_volumes(pod.pod)
            for one in _topologies(volume)
        )

    def _bound_volumes(self, pod: Pod) -> list[tuple[str, PersistentVolume]]:
        """(key of a claim, its volume) of the pod's bound claims."""
        listers, bound = self.handle.cluster.listers, []
        for use in claim_uses(pod):
            claim = None if use.ephemeral else listers.claims.get(use.key)
            volume = listers.volumes.get(claim.volume_name) if claim is not None else None
            if volume is not None:
                bound.append((use.key, volume))
        return bound

    def alike(self, state: Any, pod: PodInfo, rows: Rows) -> Rows:
        """Rows of one zone and region."""
        return label_values(self.handle.cluster.table, _LABELS, rows)

    def filter(self, state: Topologies | None, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """The same by label columns."""
        if state is None:  # PreFilter is not run; upstream then does its work in Filter
            result = self.pre_filter(CycleState(), pod)
            if not result.status.is_success:
                reason = self.handle.run.reasons.intern(result.status.reasons)
                return None if result.status.is_skip else Verdicts.broadcast(int(result.status.code), reason, len(rows))
            state = result.state
        fits = np.logical_and.reduce([self._fits(t) for t in state])
        labelled = np.logical_or.reduce([self.handle.cluster.table.label(key).ids >= 0 for key in _LABELS])
        refused = (labelled & ~fits).take(rows)
        if not refused.any():
            return None
        reason = self.handle.run.reasons.intern((REASON,))
        return Verdicts(
            refused.astype(np.uint8) * np.uint8(Code.UNSCHEDULABLE_AND_UNRESOLVABLE), refused.astype(np.int32) * reason
        )

    def _fits(self, topology: VolumeTopology) -> Mask:
        table = self.handle.cluster.table
        mask = requirement_mask(table, Requirement(topology.key, "In", topology.values))
        general = _GENERAL.get(topology.key)
        if general is not None:
            missing = table.label(topology.key).ids < 0
            mask |= missing & requirement_mask(table, Requirement(general, "In", topology.values))
        return mask

    def _problem(self, pod: Pod) -> tuple[str, str, str]:
        """(key, what is wrong, code) of the first claim that keeps the pod from being scheduled; "" without one."""
        listers = self.handle.cluster.listers
        for use in claim_uses(pod):
            if use.ephemeral:
                continue
            claim = listers.claims.get(use.key)
            if claim is None:
                return use.key, not_found("persistentvolumeclaim", use.name), "CLAIM_MISSING"
            if not claim.volume_name:
                if problem := self._problem_unbound(claim):
                    return use.key, problem, "CLAIM_UNBOUND_IMMEDIATE"
            elif claim.volume_name not in listers.volumes:
                return use.key, not_found("persistentvolume", claim.volume_name), "VOLUME_MISSING"
        return "", "", ""

    def _problem_unbound(self, claim: PersistentVolumeClaim) -> str:
        """Why an unbound claim keeps the pod from being scheduled; "" when binding waits for the pod."""
        name = claim_class(claim)
        if not name:
            return "PersistentVolumeClaim had no pv name and storageClass name"
        storage_class = self.handle.cluster.listers.storage_classes.get(name)
        if storage_class is None:
            return not_found("storageclass.storage.k8s.io", name)
        return "" if storage_class.volume_binding_mode == DELAYED else "PersistentVolume had no name"


def _topologies(volume: PersistentVolume) -> list[VolumeTopology]:
    """Zone and region labels of the volume; several values are joined by "__", a label with an empty one is ignored."""
    topologies = []
    for key in _LABELS:
        if key in volume.labels:
            values = tuple(part.strip() for part in volume.labels[key].split("__"))
            if all(values):
                topologies.append(VolumeTopology(key, values))
    return topologies


def _value(labels: Labels, key: str) -> str | None:
    """The node's label, or its successor when the node only has that."""
    return labels.get(key, labels.get(_GENERAL.get(key, key)))


def _after_class_added(pod: Pod, old: StorageClass | None, new: StorageClass) -> Hint:
    return Hint.QUEUE if new.volume_binding_mode == DELAYED else Hint.SKIP


def _after_claim_change(pod: Pod, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim) -> Hint:
    is_used = any(use.key == new.key for use in claim_uses(pod) if not use.ephemeral)
    return Hint.QUEUE if is_used else Hint.SKIP


def _after_volume_change(pod: Pod, old: PersistentVolume | None, new: PersistentVolume) -> Hint:
    return Hint.SKIP if old is not None and _sets(old) == _sets(new) else Hint.QUEUE


def _sets(volume: PersistentVolume) -> list[tuple[str, frozenset[str]]]:
    return [(t.key, frozenset(t.values)) for t in _topologies(volume)]
