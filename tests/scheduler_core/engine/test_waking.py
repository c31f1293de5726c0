"""What wakes a waiting pod in a run: changes of volumes, claims, classes, drivers, attachments, nodes and pods.

Each case names the event and the plugin whose hint let the pod through, as upstream's EventsToRegister gives them, and
where the pod ends; in the last cases the change must not wake it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import (
    ClusterObjects,
    CSIDriver,
    CSIDriverOnNode,
    CSINode,
    CSIStorageCapacity,
    Pod,
    PodResourceClaim,
    ResourceClaim,
    StorageClass,
    TopologySelectorTerm,
    Volume,
    VolumeAttachment,
)
from scheduler_core.api.taints import Toleration
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.plugins.volume_objects import DELAYED, GI, LOCAL, bound_claim, claim, pod_with, volume

if TYPE_CHECKING:
    from collections.abc import Sequence

CHANGE_AT = 20_000_000
NODE = make_node("n", labels={"zone": "1"})
SMALL = make_node("n", cpu="1")
DRIVER = "csi.example.com"
DISK = volume("v", "delayed", source="csi", attributes={"driver": DRIVER, "volumeHandle": "v"})
OTHER_DISK = volume("w", "delayed", source="csi", attributes={"driver": DRIVER, "volumeHandle": "w"})
USED = (Volume(name="v", source="gcePersistentDisk", attributes={"pdName": "d"}),)
HOLDER = make_pod("holder", node_name="n", volumes=USED)
ATTACHED = VolumeAttachment(name="a", attacher=DRIVER, node_name="n", persistent_volume_name="w")
ONCE = ("ReadWriteOncePod",)
GATED = make_pod("p", scheduling_gates=("wait",))


def limit(count: int) -> CSINode:
    return CSINode(name="n", drivers=(CSIDriverOnNode(DRIVER, count=count),))


def zoned(*zones: str) -> StorageClass:
    return msgspec.structs.replace(DELAYED, allowed_topologies=(TopologySelectorTerm((("zone", zones),)),))


def capacity(gi: int) -> CSIStorageCapacity:
    topology = LabelSelector((Requirement("zone", "In", ("1",)),))
    return CSIStorageCapacity(name="c", storage_class_name="delayed", node_topology=topology, capacity_bytes=gi * GI)


FIELDS = {kind: field for field, kind in {
    "nodes": "Node", "pods": "Pod", "persistent_volumes": "PersistentVolume", "storage_classes": "StorageClass",
    "persistent_volume_claims": "PersistentVolumeClaim", "csi_nodes": "CSINode", "csi_drivers": "CSIDriver",
    "csi_storage_capacities": "CSIStorageCapacity", "volume_attachments": "VolumeAttachment",
    "resource_claims": "ResourceClaim",
}.items()}  # fmt: skip


def run(objects: Sequence[Any], *changes: tuple[str, Any]) -> tuple[list[ev.QueueMove], str]:
    """The moves of pod p from the change on, and the node that it ends on ("" for none)."""
    start = ClusterObjects()
    for thing in objects:
        getattr(start, FIELDS[type(thing).__name__]).append(thing)
    entries = tuple(TimelineEntry(CHANGE_AT, action, thing) for action, thing in changes)
    session = RunSession.start(RunInputs(objects=start, schedule="timeline", timeline=Timeline(entries)))
    moves: list[ev.QueueMove] = []
    session.simulation.observers.append(lambda e: moves.append(e) if isinstance(e, ev.QueueMove) else None)
    session.advance()
    pod = session.simulation.world.pods["default/p"]
    return [m for m in moves if m.pod == "default/p" and m.at >= CHANGE_AT], pod.node_name


@pytest.mark.parametrize(
    ("objects", "pod", "change", "event", "plugin"),
    [
        pytest.param(
            [NODE, DELAYED], pod_with("c"), ("put", claim("c")),
            "PersistentVolumeClaimAdd", "VolumeRestrictions", id="its claim comes",
        ),
        pytest.param(
            [NODE, DISK, claim("c", volume_name="v")], pod_with("c"), ("put", bound_claim("c", "v")),
            "PersistentVolumeClaimUpdate", "VolumeBinding", id="its claim is bound",
        ),
        pytest.param(
            [NODE, LOCAL, claim("c", "local")], pod_with("c"), ("put", volume("v")),
            "PersistentVolumeAdd", "VolumeBinding", id="a volume comes",
        ),
        pytest.param(
            [NODE, LOCAL, claim("c", "local"), volume("v", phase="Released")], pod_with("c"), ("put", volume("v")),
            "PersistentVolumeUpdate", "VolumeBinding", id="a volume becomes available",
        ),
        pytest.param(
            [NODE, LOCAL, claim("c", "local", attributes_class_name="gold"), volume("v")], pod_with("c"),
            ("put", volume("v", attributes_class_name="gold")),
            "PersistentVolumeUpdate", "VolumeBinding", id="a volume gets the attributes class",
        ),
        pytest.param(
            [NODE, zoned("2"), claim("c")], pod_with("c"), ("put", zoned("1", "2")),
            "storage.k8s.io/StorageClassUpdate", "VolumeBinding", id="its class allows the zone",
        ),
        pytest.param(
            [NODE, claim("c")], pod_with("c"), ("put", DELAYED),
            "storage.k8s.io/StorageClassAdd", "VolumeBinding", id="its class comes",
        ),
        pytest.param(
            [NODE, DELAYED, CSIDriver(name=DRIVER, storage_capacity=True), claim("c", gi=5), capacity(1)],
            pod_with("c"), ("put", capacity(9)),
            "storage.k8s.io/CSIStorageCapacityUpdate", "VolumeBinding", id="capacity grows",
        ),
        pytest.param(
            [NODE, limit(0), DISK, bound_claim("c", "v")], pod_with("c"), ("put", limit(1)),
            "storage.k8s.io/CSINodeUpdate", "NodeVolumeLimits", id="the node can attach more",
        ),
        pytest.param(
            [NODE, limit(1), DISK, OTHER_DISK, bound_claim("c", "v"), ATTACHED], pod_with("c"), ("delete", ATTACHED),
            "storage.k8s.io/VolumeAttachmentDelete", "NodeVolumeLimits", id="a volume is detached",
        ),
        pytest.param(
            [NODE, HOLDER], make_pod("p", volumes=USED), ("delete", HOLDER),
            "AssignedPodDelete", "VolumeRestrictions", id="the disk's user goes",
        ),
        pytest.param(
            [NODE, DISK, bound_claim("c", "v", access_modes=ONCE), pod_with("c", name="holder", node_name="n")],
            pod_with("c"), ("delete", pod_with("c", name="holder", node_name="n")),
            "AssignedPodDelete", "VolumeRestrictions", id="the claim's only user goes",
        ),
        pytest.param(
            [SMALL], make_pod("p", cpu="3"), ("put", make_node("n", cpu="4")),
            "NodeUpdateNodeAllocatable", "NodeResourcesFit", id="the node grows",
        ),
        pytest.param(
            [SMALL], make_pod("p", cpu="3"), ("put", make_pod("p", cpu="1")),
            "UnschedulablePodUpdatePodScaleDown", "NodeResourcesFit", id="the pod asks for less",
        ),
        pytest.param(
            [make_node("n", taints=["k=v:NoSchedule"])], make_pod("p"),
            ("put", make_pod("p", tolerations=(Toleration("k", "Exists"),))),
            "UnschedulablePodUpdatePodToleration", "TaintToleration", id="the pod tolerates the taint",
        ),
        pytest.param(
            [NODE], GATED, ("put", msgspec.structs.replace(GATED, scheduling_gates=())),
            "UnschedulablePodUpdatePodSchedulingGatesEliminated", "SchedulingGates", id="the gate is removed",
        ),
    ],
)  # fmt: skip
def test_a_change_wakes_the_pod(objects: list[Any], pod: Pod, change: tuple[str, Any], event: str, plugin: str) -> None:
    moves, node = run([*objects, pod], change)
    assert node == "n"
    assert moves, "the pod must move"
    assert (moves[0].event, moves[0].plugin) == (event, plugin)


@pytest.mark.parametrize(
    ("objects", "pod", "changes"),
    [
        pytest.param([NODE, DELAYED], pod_with("c"), [("put", claim("d"))], id="another claim comes"),
        pytest.param(
            [NODE, limit(0), DISK, bound_claim("c", "v")], pod_with("c"), [("put", limit(0))], id="nothing changed"
        ),
        pytest.param([SMALL], make_pod("p", cpu="3"), [("put", make_pod("p", cpu="4"))], id="it asks for more"),
        pytest.param(
            [SMALL, make_node("m", cpu="1")], make_pod("p", cpu="3"), [("delete", make_node("m"))], id="a node goes"
        ),
        pytest.param([NODE], GATED, [("put", make_node("m"))], id="a node comes for a gated pod"),
    ],
)  # fmt: skip
def test_a_change_that_does_not_help_lets_the_pod_wait(
    objects: list[Any], pod: Pod, changes: list[tuple[str, Any]]
) -> None:
    moves, node = run([*objects, pod], *changes)
    assert node == ""
    assert [move for move in moves if move.at == CHANGE_AT] == []


def test_a_pod_whose_claims_are_missing_is_let_in_when_the_last_one_comes() -> None:
    entries = (PodResourceClaim("a", claim_name="a"), PodResourceClaim("b", claim_name="b"))
    objects = [NODE, make_pod("p", resource_claims=entries)]
    one, other = ResourceClaim(name="a"), ResourceClaim(name="b")
    assert run(objects, ("put", one)) == ([], "")
    moves, node = run(objects, ("put", one), ("put", other))
    assert node == "", "devices are not simulated"
    assert (moves[0].source, moves[0].target) == ("gated", "active")
    assert (moves[0].event, moves[0].plugin) == ("resource.k8s.io/ResourceClaimAdd", "DynamicResources")
    assert moves[-1].plugins == ("DynamicResources",)
