"""Refuses nodes where a disk of the pod is mounted by another pod in a way that excludes sharing, and all nodes while
a ReadWriteOncePod claim is in use.

Mirrors the upstream plugin VolumeRestrictions of v1.34 (plugins/volumerestrictions).
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from scheduler_core.api.objects import PersistentVolumeClaim, Pod, Volume
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.facts import MOST_NAMED, ClaimFact, ClaimInUseFact, DiskFact, Facts
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    FilterPlugin,
    NoArgs,
    PreFilterPlugin,
    PreFilterResult,
)
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Code, Status, error, unresolvable, unschedulable
from scheduler_core.framework.contracts.verdicts import Rows, Verdicts
from scheduler_core.framework.plugin_helpers.volume_claims import claim_uses, not_found

REASON_DISK = "node(s) had no available disk"
NO_STATE = 'cannot read "PreFilterVolumeRestrictions" from cycleState'
REASON_ONCE_POD = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)
REASON_SAME_NAME = "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"
_EXCLUSIVE = frozenset({"gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd"})


class RestrictionState(msgspec.Struct):
    """Names of the pod's ReadWriteOncePod claims, and how often placed pods use one."""

    once_pod: frozenset[str]
    conflicts: int


class VolumeRestrictions(PreFilterPlugin[NoArgs], FilterPlugin[NoArgs], EnqueueExtension[NoArgs]):
    """Uses of a ReadWriteOncePod claim are counted over the whole cluster, disks per node."""

    name = "VolumeRestrictions"
    title = "The volume is in use elsewhere"
    obstacles = kinds("VOLUME_EXCLUSIVE", "CLAIM_MISSING")
    wakes = ("Pod delete", "Node add", "Claim add")
    Args = NoArgs
    has_extensions = True

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Pods that go, nodes that come, and claims that come."""
        return (
            EventWithHint(ClusterEvent(Resource.POD, ActionType.DELETE), _after_pod_deleted),
            EventWithHint(ClusterEvent(Resource.NODE, ActionType.ADD)),
            EventWithHint(ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, ActionType.ADD), _after_claim_added),
        )

    def pre_filter(self, cycle: CycleState, pod: PodInfo) -> PreFilterResult:
        """SKIP without exclusive disks and without conflicting claims; a missing claim refuses the pod."""
        claims = self.handle.cluster.listers.claims
        once_pod = set()
        for use in claim_uses(pod.pod):
            if use.ephemeral:
                continue
            claim = claims.get(use.key)
            if claim is None:
                return PreFilterResult(unresolvable(not_found("persistentvolumeclaim", use.name)))
            if "ReadWriteOncePod" in claim.access_modes:
                once_pod.add(use.name)
        conflicts = sum(self._in_use(f"{pod.pod.namespace}/{name}") for name in once_pod)
        if not conflicts and not any(v.source in _EXCLUSIVE for v in pod.pod.volumes):
            return PreFilterResult(SKIP, cacheable=not once_pod)
        return PreFilterResult(state=RestrictionState(frozenset(once_pod), conflicts))

    def clone(self, state: RestrictionState) -> RestrictionState:
        """A copy with its own count."""
        return RestrictionState(state.once_pod, state.conflicts)

    def add_pod(self, state: RestrictionState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """One more user of the claims."""
        state.conflicts += _count_uses(other.pod, state.once_pod)
        return SUCCESS

    def remove_pod(self, state: RestrictionState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """One user of the claims less."""
        state.conflicts -= _count_uses(other.pod, state.once_pod)
        return SUCCESS

    def filter_node(self, state: RestrictionState | None, pod: PodInfo, node: NodeView) -> Status:
        """Disks first, then claims, which is an error where PreFilter is not run."""
        if any(_conflict(pod.pod.volumes, info.pod.volumes) for info in node.pods.values()):
            return unschedulable(REASON_DISK)
        if state is None:
            return error(NO_STATE)
        return unschedulable(self._reason_once_pod) if state.conflicts > 0 else SUCCESS

    def pre_filter_facts(self, pod: PodInfo) -> Facts:
        """The first claim that is missing."""
        claims = self.handle.cluster.listers.claims
        missing = [use for use in claim_uses(pod.pod) if not use.ephemeral and use.key not in claims]
        return tuple(
            ClaimFact(
                claim=use.key, code="CLAIM_MISSING", problem=not_found("persistentvolumeclaim", use.name), refuses=True
            )
            for use in missing[:1]
        )

    def filter_facts(self, state: RestrictionState | None, pod: PodInfo, node: NodeView) -> Facts:
        """Each exclusive disk with who has it on the node, and each ReadWriteOncePod claim with who uses it."""
        disks: list[DiskFact] = []
        for volume in pod.pod.volumes:
            if volume.source in _EXCLUSIVE:
                others = ((key, info.pod.volumes) for key, info in node.pods.items())
                holder = next((key for key, volumes in others if _conflict((volume,), volumes)), "")
                disks.append(DiskFact(volume=volume.name, source=volume.source, holder=holder, refuses=bool(holder)))
        if state is None:
            return tuple(disks)
        used = state.conflicts > 0
        claims = [
            ClaimInUseFact(claim=key, holders=self._users(key, node), refuses=used)
            for key in sorted(f"{pod.pod.namespace}/{name}" for name in state.once_pod)
        ]
        return *disks, *claims

    @property
    def _reason_once_pod(self) -> str:
        return REASON_SAME_NAME if self.handle.run.behaviours.claim_conflict_says_same_name else REASON_ONCE_POD

    def _users(self, key: str, node: NodeView) -> tuple[str, ...]:
        """The pods anywhere that use the claim, those on the view as it is; at most MOST_NAMED."""
        everyone = {**self.handle.cluster.pods, **node.pods}
        return tuple(sorted(k for k, info in everyone.items() if any(use.key == key for use in claim_uses(info.pod))))[
            :MOST_NAMED
        ]

    def filter(self, state: RestrictionState | None, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """Rows with a conflicting disk; all rows while a claim is in use, or where PreFilter is not run."""
        reasons = np.zeros(len(rows), dtype=np.int32)
        codes = np.full(len(rows), Code.UNSCHEDULABLE if state is not None else Code.ERROR, dtype=np.uint8)
        if state is None:
            reasons[:] = self.handle.run.reasons.intern((NO_STATE,))
        elif state.conflicts > 0:
            reasons[:] = self.handle.run.reasons.intern((self._reason_once_pod,))
        disks = tuple(v for v in pod.pod.volumes if v.source in _EXCLUSIVE)
        if disks:
            disk_keys = tuple((v.source, tuple(sorted(v.attributes.items()))) for v in disks)
            tally = self.handle.cluster.tally(
                ("exclusive disks", disk_keys), lambda cls: int(_conflict(disks, cls.example.volumes))
            )
            if tally.total:
                held = tally.counts.take(rows) > 0
                reasons[held] = self.handle.run.reasons.intern((REASON_DISK,))
                codes[held] = Code.UNSCHEDULABLE
        if not reasons.any():
            return None
        return Verdicts(codes * (reasons > 0), reasons)

    def _in_use(self, key: str) -> bool:
        """Whether a pod on any node uses the claim."""
        tally = self.handle.cluster.tally(
            ("claim", key), lambda cls: int(any(use.key == key for use in claim_uses(cls.example)))
        )
        return tally.total > 0


def _count_uses(pod: Pod, names: frozenset[str]) -> int:
    """How many volumes use a claim of these names; like upstream, without a look at the namespace."""
    return sum(v.claim_name in names for v in pod.volumes if v.claim_name)


def _conflict(disks: Iterable[Volume], existing: Iterable[Volume]) -> bool:
    """Whether a wanted exclusive disk is among the existing volumes."""
    held = [v for v in existing if v.source in _EXCLUSIVE]
    return bool(held) and any(_excludes(one, other) for one in disks for other in held if one.source == other.source)


def _excludes(one: Volume, other: Volume) -> bool:
    """Whether two volumes of the same kind cannot be on one node (isVolumeConflict)."""
    a, b = one.attributes, other.attributes
    if one.source == "awsElasticBlockStore":
        return a.get("volumeID") == b.get("volumeID")
    if a.get("readOnly") == b.get("readOnly") == "true":
        return False
    if one.source == "gcePersistentDisk":
        return a.get("pdName") == b.get("pdName")
    if one.source == "iscsi":
        return a.get("iqn") == b.get("iqn")
    if one.source != "rbd":
        return False
    monitors = set(a.get("monitors", "").split(",")) & set(b.get("monitors", "").split(","))
    return bool(monitors) and all(a.get(k, default) == b.get(k, default) for k, default in _RBD_IMAGE)


_RBD_IMAGE = (("pool", "rbd"), ("image", ""))
"""What names an RBD image beside its monitors, with the API's defaults."""


def _after_claim_added(pod: Pod, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim) -> Hint:
    is_used = any(use.key == new.key for use in claim_uses(pod) if not use.ephemeral)
    return Hint.QUEUE if is_used else Hint.SKIP


def _after_pod_deleted(pod: Pod, old: Pod, new: Pod | None) -> Hint:
    """Queue when the pod that went shares a disk or a claim."""
    if old.namespace != pod.namespace:
        return Hint.SKIP
    names = frozenset(v.claim_name for v in pod.volumes if v.claim_name)
    return Hint.QUEUE if _conflict(pod.volumes, old.volumes) or _count_uses(old, names) else Hint.SKIP
