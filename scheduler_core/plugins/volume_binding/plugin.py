"""Refuses nodes from which the volumes of a pod's claims cannot be reached, and reserves volumes for unbound claims.

Mirrors the upstream plugin VolumeBinding of v1.34 (plugins/volumebinding) with StorageCapacityScoring off, as by
default, so that it never scores. Known difference: no volume controller runs, so PreBind waits for nothing; a claim
stays as Reserve assumed it until an object of the cluster says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from scheduler_core.api.objects import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolumeClaim,
    Pod,
    StorageClass,
)
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.facts import ClaimFact, Facts
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    FilterPlugin,
    PreBindPlugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    PreScoreResult,
    ReservePlugin,
    ScorePlugin,
)
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Status, error, unresolvable
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Rows, Scores, Verdicts
from scheduler_core.framework.plugin_helpers.node_selectors import label_values
from scheduler_core.framework.plugin_helpers.volume_claims import ClaimUse, claim_uses, not_found, ownership_problem
from scheduler_core.plugins.volume_binding.assumed import AssumedVolumes
from scheduler_core.plugins.volume_binding.binder import PodClaims, VolumeBinder, largest_volume
from scheduler_core.plugins.volume_binding.claims import claim_facts
from scheduler_core.plugins.volume_binding.facts import reach_masks

NO_STATE = "not found"
UNBOUND_IMMEDIATE = "pod has unbound immediate PersistentVolumeClaims"


class UtilizationPoint(msgspec.Struct, frozen=True):
    """A point of the score's shape; only with the feature gate StorageCapacityScoring, which is off."""

    utilization: int
    score: int


class VolumeBindingArgs(msgspec.Struct, frozen=True):
    """``bind_timeout_seconds`` is checked only: nothing is waited for."""

    bind_timeout_seconds: int = 600
    shape: tuple[UtilizationPoint, ...] = ()

    def __post_init__(self) -> None:
        if self.bind_timeout_seconds < 0:
            raise ValueError("bindTimeoutSeconds should not be a negative value")
        if self.shape:
            raise ValueError("unexpected field shape: the feature gate StorageCapacityScoring is off")


class VolumeBinding(
    PreFilterPlugin[VolumeBindingArgs],
    FilterPlugin[VolumeBindingArgs],
    PreScorePlugin[VolumeBindingArgs],
    ScorePlugin[VolumeBindingArgs],
    ReservePlugin[VolumeBindingArgs],
    PreBindPlugin[VolumeBindingArgs],
    EnqueueExtension[VolumeBindingArgs],
):
    """What earlier pods reserved is the plugin's state; it counts for later pods."""

    name = "VolumeBinding"
    title = "The volume claims cannot be met"
    obstacles = kinds(
        "CLAIM_MISSING", "CLAIM_NOT_CREATED", "CLAIM_NOT_OWNED", "CLAIM_UNBOUND_IMMEDIATE", "CLAIM_LOST",
        "CLAIM_TERMINATING", "VOLUME_MISSING", "VOLUME_TOPOLOGY", "VOLUME_NODE_GONE", "VOLUME_NO_MATCH",
        "STORAGE_CAPACITY", "RESERVE_FAILED", "PREBIND_WAITS", "PREBIND_FAILED",
    )  # fmt: skip
    wakes = ("Claim change", "Volume change", "Storage class change", "Node add", "Node label change")
    Args = VolumeBindingArgs
    traits = Traits(reads_pods="none")
    without_pre_filter = NO_STATE

    def __init__(self, args: VolumeBindingArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self._assumed = AssumedVolumes()
        self._binder = VolumeBinder(handle.cluster.listers, self._assumed)

    def dump(self) -> Any:
        """What Reserve took."""
        return self._assumed.dump()

    def load(self, state: Any) -> None:
        """Take back what ``dump`` gave."""
        self._assumed.load(self.handle.cluster.listers, state)

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Everything that volumes depend on."""
        changed = ActionType.ADD | ActionType.UPDATE
        return (
            EventWithHint(ClusterEvent(Resource.STORAGE_CLASS, changed), _after_class_change),
            EventWithHint(ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, changed), _after_claim_change),
            EventWithHint(ClusterEvent(Resource.PERSISTENT_VOLUME, changed)),
            EventWithHint(ClusterEvent(Resource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_LABEL)),
            EventWithHint(ClusterEvent(Resource.CSI_NODE, changed), _after_csi_node_change),
            EventWithHint(ClusterEvent(Resource.CSI_DRIVER, ActionType.UPDATE), _after_csi_driver_change),
            EventWithHint(ClusterEvent(Resource.CSI_STORAGE_CAPACITY, changed), _after_capacity_change),
        )

    def pre_filter(self, cycle: CycleState, pod: PodInfo) -> PreFilterResult:
        """SKIP without claims; a claim that is missing, lost, going or should be bound by now refuses the pod."""
        for _, problem, _ in self._problems(pod.pod):
            return PreFilterResult(unresolvable(problem))
        if not any(claim_uses(pod.pod)):
            return PreFilterResult(SKIP, cacheable=True)
        claims = self._binder.sorted_claims(pod.pod)
        if claims.immediate:
            return PreFilterResult(unresolvable(UNBOUND_IMMEDIATE))
        return PreFilterResult(state=claims)

    def filter_node(self, state: PodClaims, pod: PodInfo, node: NodeView) -> Status:
        """Whether all claims have or find a volume that the node can reach."""
        volumes = self._binder.volumes_on(state, node.node)
        if volumes.error:
            return error(volumes.error)
        return unresolvable(*volumes.reasons) if volumes.reasons else SUCCESS

    def pre_filter_facts(self, pod: PodInfo) -> Facts:
        """The claims that keep the pod from being scheduled; without one, those that should be bound by now."""
        problems = tuple(self._problems(pod.pod))
        if not problems:
            immediate = self._binder.sorted_claims(pod.pod).immediate
            problems = tuple((claim.key, UNBOUND_IMMEDIATE, "CLAIM_UNBOUND_IMMEDIATE") for claim in immediate)
        return tuple(ClaimFact(claim=key, code=code, problem=text, refuses=True) for key, text, code in problems)

    def filter_facts(self, state: PodClaims, pod: PodInfo, node: NodeView) -> Facts:
        """Each claim with the volume that it has or would get on the node, or why it gets none."""
        return claim_facts(state, self._binder, node.node, self.handle.cluster.table)

    def alike(self, state: Any, pod: PodInfo, rows: Rows) -> Rows:
        """Rows that agree in all that the verdict depends on, and in the labels that it is said with."""
        table = self.handle.cluster.table
        facts = [mask.take(rows) for mask in reach_masks(state, self._binder, table)]
        volumes = [v for claim in state.bound if (v := self._binder.volume(claim.volume_name)) is not None]
        terms = [t for v in volumes if v.node_affinity is not None for t in v.node_affinity.terms]
        keys = {one.key for term in terms for one in term.match_expressions}
        masks = np.array([*facts, np.zeros(len(rows), dtype=np.bool_)], dtype=np.int64).T
        return np.concatenate([masks, label_values(table, keys, rows)], axis=1)

    def filter(self, state: PodClaims, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """Rows that agree in everything a verdict depends on are looked at once."""
        if not len(rows):
            return None
        cluster = self.handle.cluster
        facts = reach_masks(state, self._binder, cluster.table)
        if facts:
            packed = np.packbits(np.array([mask.take(rows) for mask in facts]), axis=0)
            _, first, group = np.unique(packed, axis=1, return_index=True, return_inverse=True)
        else:
            first, group = np.zeros(1, dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
        statuses = [self.filter_node(state, pod, cluster.view(int(rows[i]))) for i in first.tolist()]
        if all(status.is_success for status in statuses):
            return None
        codes = np.array([status.code for status in statuses], dtype=np.uint8)
        reasons = np.array([self.handle.run.reasons.intern(status.reasons) for status in statuses], dtype=np.int32)
        return Verdicts(codes.take(group.ravel()), reasons.take(group.ravel()))

    def pre_score(self, cycle: CycleState, pod: PodInfo, rows: Rows) -> PreScoreResult:
        """Always SKIP."""
        return PreScoreResult(SKIP, cacheable=True)

    def score_node(self, state: Any, pod: PodInfo, node: NodeView) -> int:
        """Never asked for."""
        return 0

    def score(self, state: Any, pod: PodInfo, rows: Rows) -> Scores:
        """Never asked for."""
        return np.zeros(len(rows), dtype=np.int64)

    def reserve(self, cycle: CycleState, pod: PodInfo, node_name: str) -> Status:
        """Take the volumes found, and mark claims to provision with the node; without Filter nothing was found."""
        if not self.runs_at("pre_filter"):
            return error(NO_STATE)
        if not self.runs_at("filter"):
            return SUCCESS
        if self._binder.all_bound(pod.pod):
            return SUCCESS
        listers = self.handle.cluster.listers
        node = self.handle.cluster.table.nodes[self.handle.cluster.table.row_of[node_name]]
        assert node is not None, node_name
        volumes = self._binder.volumes_on(self._binder.sorted_claims(pod.pod), node)
        taken = []
        for key, volume in volumes.bindings.items():
            claim = self._assumed.claim(listers, key)
            if claim is not None and self._assumed.take_volume(listers, volume, claim):
                taken.append(volume)
        for key in volumes.provisions:
            self._assumed.select_node(listers, key, node_name)
        cycle.extra[self.name] = (taken, volumes.provisions)
        return SUCCESS

    def unreserve(self, cycle: CycleState, pod: PodInfo, node_name: str) -> None:
        """Give back what this cycle took."""
        taken, provisions = cycle.extra.pop(self.name, ((), ()))
        self._assumed.forget(list(taken), list(provisions))

    def pre_bind(self, cycle: CycleState, pod: PodInfo, node_name: str) -> Status:
        """Nothing to wait for."""
        return SUCCESS

    def _problems(self, pod: Pod) -> Iterator[tuple[str, str, str]]:
        """(key, what is wrong, code) of each claim that keeps the pod from being scheduled; upstream says the first."""
        for use in claim_uses(pod):
            claim = self.handle.cluster.listers.claims.get(use.key)
            problem, code = _problem(pod, use, claim)
            if problem:
                yield use.key, problem, code


def _problem(pod: Pod, use: ClaimUse, claim: PersistentVolumeClaim | None) -> tuple[str, str]:
    """(what is wrong with a claim of the pod, code); "" where nothing is."""
    if claim is None:
        if use.ephemeral:
            waiting = "waiting for ephemeral volume controller to create the persistentvolumeclaim"
            return f'{waiting} "{use.name}"', "CLAIM_NOT_CREATED"
        return not_found("persistentvolumeclaim", use.name), "CLAIM_MISSING"
    if claim.phase == "Lost":
        lost = f'persistentvolumeclaim "{claim.name}" bound to non-existent persistentvolume "{claim.volume_name}"'
        return lost, "CLAIM_LOST"
    if claim.deletion_timestamp is not None:
        return f'persistentvolumeclaim "{claim.name}" is being deleted', "CLAIM_TERMINATING"
    problem = ownership_problem(pod, claim) if use.ephemeral else ""
    return problem, "CLAIM_NOT_OWNED" if problem else ""


def _after_class_change(pod: Pod, old: StorageClass | None, new: StorageClass) -> Hint:
    same = old is not None and old.allowed_topologies == new.allowed_topologies
    return Hint.SKIP if same else Hint.QUEUE


def _after_claim_change(pod: Pod, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim) -> Hint:
    return Hint.QUEUE if any(use.key == new.key for use in claim_uses(pod)) else Hint.SKIP


def _after_csi_node_change(pod: Pod, old: CSINode | None, new: CSINode) -> Hint:
    same = old is not None and old.migrated_plugins == new.migrated_plugins
    return Hint.SKIP if same else Hint.QUEUE


def _after_csi_driver_change(pod: Pod, old: CSIDriver, new: CSIDriver) -> Hint:
    """Queue a pod with an inline volume of a driver whose capacity is no longer looked at."""
    freed = old.storage_capacity and not new.storage_capacity
    uses = any(v.source == "csi" and v.attributes.get("driver") == new.name for v in pod.volumes)
    return Hint.QUEUE if freed and uses else Hint.SKIP


def _after_capacity_change(pod: Pod, old: CSIStorageCapacity | None, new: CSIStorageCapacity) -> Hint:
    """Queue when the largest volume that fits grew."""
    if old is None:
        return Hint.QUEUE
    before, after = largest_volume(old), largest_volume(new)
    return Hint.QUEUE if after is not None and (before is None or after > before) else Hint.SKIP
