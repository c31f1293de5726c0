"""Refuses nodes on which the pod's volumes would exceed the number that a CSI driver can attach.

Mirrors the upstream plugin NodeVolumeLimits of v1.34 (plugins/nodevolumelimits/csi.go). Known difference: an ephemeral
claim that a pod on the node uses without owning it is counted, where upstream fails.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import CSINode, PersistentVolumeClaim, Pod, Volume, VolumeAttachment
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodClass, PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.facts import ClaimFact, Facts, VolumeLimitFact
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    FilterPlugin,
    NoArgs,
    PreFilterPlugin,
    PreFilterResult,
)
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Status, error, unresolvable, unschedulable
from scheduler_core.framework.contracts.verdicts import Rows, Verdicts
from scheduler_core.framework.plugin_helpers.csi_migration import (
    IN_TREE,
    IN_TREE_BY_NAME,
    TranslationError,
    inline_handle,
    is_counted_by_driver,
    volume_handle,
)
from scheduler_core.framework.plugin_helpers.node_selectors import GenerationMemo
from scheduler_core.framework.plugin_helpers.volume_claims import claim_class, claim_uses, not_found, ownership_problem

REASON = "node(s) exceed max volume count"
_NO_LIMIT = np.iinfo(np.int64).max
_LOOK_CLOSER = 1 << 40
"""Stands for the volumes of a pod with a disk that may end the attempt with an error: above every limit."""

Attached = dict[tuple[str, str], str]
"""(driver, handle) -> driver: volumes counted once however many pods use them."""


class _Count(NamedTuple):
    """Volumes by driver: attached on a node, more with the pod; limits of drivers that have one. ``status``: whether
    they could be counted."""

    status: Status
    attached: Counter[str]
    more: Counter[str]
    limits: dict[str, int]


class NodeVolumeLimits(PreFilterPlugin[NoArgs], FilterPlugin[NoArgs], EnqueueExtension[NoArgs]):
    """Nodes that stay below their lowest limit even if no volume were shared need no closer look."""

    name = "NodeVolumeLimits"
    title = "No more volumes can be attached"
    obstacles = kinds("VOLUME_LIMIT", "CLAIM_MISSING", "CLAIM_NOT_OWNED")
    wakes = ("CSINode change", "Pod delete", "Claim add", "Volume detached")
    Args = NoArgs

    def __init__(self, args: NoArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self._spare: GenerationMemo[NDArray[np.int64]] = GenerationMemo()
        self._attachments: GenerationMemo[dict[str, list[VolumeAttachment]]] = GenerationMemo()

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """CSINodes that come or gain, pods that go, claims that come, attachments that go."""
        return (
            EventWithHint(ClusterEvent(Resource.CSI_NODE, ActionType.ADD)),
            EventWithHint(ClusterEvent(Resource.CSI_NODE, ActionType.UPDATE), _after_csi_node_update),
            EventWithHint(ClusterEvent(Resource.POD, ActionType.DELETE), _after_pod_deleted),
            EventWithHint(ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, ActionType.ADD), _after_claim_added),
            EventWithHint(ClusterEvent(Resource.VOLUME_ATTACHMENT, ActionType.DELETE), _after_attachment_deleted),
        )

    def pre_filter(self, cycle: CycleState, pod: PodInfo) -> PreFilterResult:
        """SKIP for a pod whose volumes are never attached by a CSI driver."""
        return PreFilterResult(SUCCESS if _countable(pod.pod) else SKIP, cacheable=True)

    def filter_node(self, state: Any, pod: PodInfo, node: NodeView) -> Status:
        """Volumes of pods on the node and attachments, each counted once per driver, plus the pod's own new ones."""
        count = self._count(pod, node)
        if not count.status.is_success:
            return count.status
        exceeded = any(count.attached[d] + n > count.limits[d] for d, n in count.more.items() if d in count.limits)
        return unschedulable(REASON) if exceeded else SUCCESS

    def filter_facts(self, state: Any, pod: PodInfo, node: NodeView) -> Facts:
        """Each CSI driver of the pod's volumes with how many it has there, how many would come, and its limit."""
        count = self._count(pod, node)
        if not count.status.is_success:
            refuses = count.status.is_rejected
            missing = next((use.key for use in claim_uses(pod.pod) if not self._known(use.key)), "")
            return (ClaimFact(claim=missing, code="CLAIM_MISSING", problem=count.status.message, refuses=refuses),)
        return tuple(
            VolumeLimitFact(
                driver=driver,
                attached=count.attached[driver],
                adds=n,
                limit=limit,
                refuses=limit is not None and count.attached[driver] + n > limit,
            )
            for driver, n in sorted(count.more.items())
            for limit in (count.limits.get(driver),)
        )

    def _known(self, key: str) -> bool:
        return key in self.handle.cluster.listers.claims

    def _count(self, pod: PodInfo, node: NodeView) -> _Count:
        """Volumes on the node and the pod's own, by driver; not more than the pod's where no limit is known."""
        csi_node = self.handle.cluster.listers.csi_nodes.get(node.name)
        new: Attached = {}
        status = self._collect(pod.pod, csi_node, new, is_new=True)
        limits = {d.name: d.count for d in csi_node.drivers if d.count is not None} if csi_node else {}
        if not status.is_success or not new or not limits:
            return _Count(status, Counter(), Counter(new.values()), {})
        attached: Attached = {}
        for info in node.pods.values():
            status = self._collect(info.pod, csi_node, attached, is_new=False)
            if not status.is_success:
                return _Count(status, Counter(), Counter(), {})
        counts = Counter(attached.values())
        counts.update(driver for key, driver in self._attached_to(node.name).items() if key not in attached)
        return _Count(SUCCESS, counts, Counter(driver for key, driver in new.items() if key not in attached), limits)

    def filter(self, state: Any, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """The exact count for rows whose upper bound is too high; failed look-ups concern all rows."""
        problem = self._collect(pod.pod, None, {}, is_new=True)
        if not problem.is_success:
            reason = self.handle.run.reasons.intern(problem.reasons)
            return Verdicts(np.full(len(rows), problem.code, np.uint8), np.full(len(rows), reason, np.int32))
        cluster = self.handle.cluster
        tally = cluster.tally("countable volumes", _countable_of_class)
        doubtful = tally.counts + _countable(pod.pod) > self._spare_places()
        if any(_fails(v) for v in pod.pod.volumes):
            doubtful[:] = True
        codes, reasons = np.zeros(len(rows), dtype=np.uint8), np.zeros(len(rows), dtype=np.int32)
        for i in np.flatnonzero(doubtful.take(rows)).tolist():
            status = self.filter_node(state, pod, cluster.view(int(rows[i])))
            if not status.is_success:
                codes[i], reasons[i] = status.code, self.handle.run.reasons.intern(status.reasons)
        return Verdicts(codes, reasons) if codes.any() else None

    def _spare_places(self) -> NDArray[np.int64]:
        """int64[capacity]: lowest limit of any driver less the attachments known."""
        cluster = self.handle.cluster
        generation = (cluster.table.static_generation, cluster.listers.generation)
        return self._spare.get(generation, "", self._count_spare_places)

    def _count_spare_places(self) -> NDArray[np.int64]:
        cluster = self.handle.cluster
        spare = np.full(cluster.table.capacity, _NO_LIMIT, dtype=np.int64)
        for name, csi_node in cluster.listers.csi_nodes.items():
            limits = [d.count for d in csi_node.drivers if d.count is not None]
            row = cluster.table.row_of.get(name)
            if limits and row is not None:
                spare[row] = min(limits) - len(self._attachments_on(name))
        return spare

    def _attachments_on(self, node_name: str) -> list[VolumeAttachment]:
        listers = self.handle.cluster.listers
        return self._attachments.get(listers.generation, "", self._group_attachments).get(node_name, [])

    def _group_attachments(self) -> dict[str, list[VolumeAttachment]]:
        groups: dict[str, list[VolumeAttachment]] = {}
        for attachment in self.handle.cluster.listers.attachments.values():
            groups.setdefault(attachment.node_name, []).append(attachment)
        return groups

    def _attached_to(self, node_name: str) -> Attached:
        """Volumes of attachments whose persistent volume is known and a CSI one."""
        drivers: Attached = {}
        for attachment in self._attachments_on(node_name):
            volume = self.handle.cluster.listers.volumes.get(attachment.persistent_volume_name)
            if attachment.attacher and volume is not None and volume.source == "csi":
                drivers[attachment.attacher, volume.attributes.get("volumeHandle", "")] = attachment.attacher
        return drivers

    def _collect(self, pod: Pod, csi_node: CSINode | None, into: Attached, *, is_new: bool) -> Status:
        """Put the pod's countable volumes into ``into``. A missing claim refuses a new pod and is passed over else."""
        claims = self.handle.cluster.listers.claims
        for use in claim_uses(pod):
            claim = claims.get(use.key)
            if claim is None:
                if is_new:
                    return unresolvable(f"looking up PVC {use.key}: {not_found('persistentvolumeclaim', use.name)}")
                continue
            if is_new and use.ephemeral and (problem := ownership_problem(pod, claim)):
                return error(problem)
            driver, handle = self._volume_driver(claim, csi_node)
            if driver and handle:
                into[driver, handle] = driver
        for volume in pod.volumes:
            plugin = IN_TREE.get(volume.source)
            if plugin is not None and is_counted_by_driver(plugin, csi_node):
                try:
                    into[plugin.driver, inline_handle(volume)] = plugin.driver
                except TranslationError as problem:
                    return error(f"converting volume({volume.name}) from inline to csi: {problem}")
        return SUCCESS

    def _volume_driver(self, claim: PersistentVolumeClaim, csi_node: CSINode | None) -> tuple[str, str]:
        """(driver, handle) of the claim's volume, empty where no CSI driver attaches it."""
        volume = self.handle.cluster.listers.volumes.get(claim.volume_name)
        if volume is None:
            return self._driver_of_class(claim, csi_node)
        if volume.source == "csi":
            return volume.attributes.get("driver", ""), volume.attributes.get("volumeHandle", "")
        plugin = IN_TREE.get(volume.source)
        if plugin is None or not is_counted_by_driver(plugin, csi_node):
            return "", ""
        try:
            return plugin.driver, volume_handle(volume)
        except TranslationError:
            return "", ""

    def _driver_of_class(self, claim: PersistentVolumeClaim, csi_node: CSINode | None) -> tuple[str, str]:
        """The class's provisioner and a handle that no volume has, for a claim without a volume."""
        storage_class = self.handle.cluster.listers.storage_classes.get(claim_class(claim))
        if storage_class is None:
            return "", ""
        plugin = IN_TREE_BY_NAME.get(storage_class.provisioner)
        if plugin is None:
            return storage_class.provisioner, f"claim:{claim.key}"
        return (plugin.driver, f"claim:{claim.key}") if is_counted_by_driver(plugin, csi_node) else ("", "")


def _countable(pod: Pod) -> int:
    """How many volumes of the pod a CSI driver may have to attach."""
    return sum(_is_countable(v) for v in pod.volumes)


def _countable_of_class(cls: PodClass) -> int:
    return _LOOK_CLOSER if any(_fails(v) for v in cls.example.volumes) else _countable(cls.example)


def _is_countable(volume: Volume) -> bool:
    return bool(volume.claim_name) or volume.ephemeral or volume.source in IN_TREE


def _fails(volume: Volume) -> bool:
    """Whether no CSI driver can know the in-tree disk, so that counting it is an error."""
    if volume.source not in IN_TREE:
        return False
    try:
        inline_handle(volume)
    except TranslationError:
        return True
    return False


def _after_csi_node_update(pod: Pod, old: CSINode, new: CSINode) -> Hint:
    before = {d.name: d.count or 0 for d in old.drivers}
    return Hint.QUEUE if any((d.count or 0) > before.get(d.name, 0) for d in new.drivers) else Hint.SKIP


def _after_pod_deleted(pod: Pod, old: Pod, new: Pod | None) -> Hint:
    placed = old.node_name or old.nominated_node_name
    return Hint.QUEUE if placed and _countable(old) else Hint.SKIP


def _after_claim_added(pod: Pod, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim) -> Hint:
    return Hint.QUEUE if any(use.key == new.key for use in claim_uses(pod)) else Hint.SKIP


def _after_attachment_deleted(pod: Pod, old: VolumeAttachment, new: VolumeAttachment | None) -> Hint:
    """Queue a pod with a claim, or with an in-tree volume whose driver, if any can know it, held the attachment."""
    for volume in pod.volumes:
        plugin = IN_TREE.get(volume.source)
        if volume.claim_name or (plugin is not None and (plugin.driver == old.attacher or _fails(volume))):
            return Hint.QUEUE
    return Hint.SKIP
