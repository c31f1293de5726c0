"""Clusters with claims and volumes of one pod."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import (
    CSIStorageCapacity,
    StorageClass,
    TopologySelectorTerm,
)
from scheduler_core.plugins.volume_binding import VolumeBinding
from scheduler_core.plugins.volume_binding.plugin import VolumeBindingArgs
from scheduler_core.testing.builders import make_cluster, make_node
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.volume_objects import (
    CLASSES,
    GI,
)

if TYPE_CHECKING:
    from scheduler_core.columns.cluster import Cluster

NODES = [make_node("a", labels={"zone": "1"}), make_node("b", labels={"zone": "2"})]


def plugin_on(cluster: Cluster) -> VolumeBinding:
    return VolumeBinding(VolumeBindingArgs(), FakeHandle(cluster))


def make(*objects: Any) -> Cluster:
    return make_cluster(NODES, objects=[*CLASSES, *objects])


ONLY_1 = StorageClass(
    name="zoned", provisioner="csi.example.com", volume_binding_mode="WaitForFirstConsumer",
    allowed_topologies=(TopologySelectorTerm((("zone", ("1",)),)),),
)  # fmt: skip


def capacity(gi: int, zone: str, **fields: Any) -> CSIStorageCapacity:
    topology = LabelSelector((Requirement("zone", "In", (zone,)),))
    return CSIStorageCapacity(
        name="cap", storage_class_name="delayed", node_topology=topology, capacity_bytes=gi * GI, **fields
    )
