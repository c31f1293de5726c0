"""NodeVolumeLimits against plugins/nodevolumelimits/csi.go."""

from __future__ import annotations

import random
from typing import Any

import pytest

from scheduler_core.api.objects import (
    CSIDriverOnNode,
    CSINode,
    OwnerReference,
    PersistentVolume,
    Pod,
    Volume,
    VolumeAttachment,
)
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import Hint
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Code, error, unresolvable, unschedulable
from scheduler_core.plugins.node_volume_limits import REASON, NodeVolumeLimits
from scheduler_core.testing.agreement import assert_filters_agree
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.hints import ATTACHMENT_DELETE, CLAIM_ADD, CSI_NODE_UPDATE, POD_DELETE, ask
from tests.scheduler_core.plugins.volume_objects import CLASSES, bound_claim, claim, ephemeral_pod, pod_with, volume

DRIVER = "csi.example.com"
NO = unschedulable(REASON)


def csi(name: str) -> PersistentVolume:
    return volume(name, "delayed", source="csi", attributes={"driver": DRIVER, "volumeHandle": name})


def limit(node: str, count: int | None, driver: str = DRIVER) -> CSINode:
    return CSINode(name=node, drivers=(CSIDriverOnNode(driver, count=count),))


BOUND = [thing for i in range(4) for thing in (bound_claim(f"c{i}", f"v{i}"), csi(f"v{i}"))]


def verdict(objects: list[Any], on_it: list[Pod], pod: Pod) -> object:
    cluster = make_cluster([make_node("n")], {"n": on_it}, [*CLASSES, *BOUND, *objects])
    plugin = NodeVolumeLimits(NoArgs(), FakeHandle(cluster))
    statuses = assert_filters_agree(plugin, cluster.info(pod), cluster.table.order)
    return statuses and statuses[0]


USERS = [pod_with("c0", name="q0"), pod_with("c0", "c1", name="q1")]
ATTACHED = VolumeAttachment(name="x", attacher=DRIVER, node_name="n", persistent_volume_name="v3")
EBS = (Volume(name="v", source="awsElasticBlockStore", attributes={"volumeID": "vol-1"}),)


@pytest.mark.parametrize(
    ("objects", "on_it", "pod", "expected"),
    [
        pytest.param([], USERS, pod_with("c2"), SUCCESS, id="no CSINode, no limit"),
        pytest.param([limit("n", None)], USERS, pod_with("c2"), SUCCESS, id="no count, no limit"),
        pytest.param([limit("n", 0, "other")], USERS, pod_with("c2"), SUCCESS, id="another driver's limit"),
        pytest.param([limit("n", 3)], USERS, pod_with("c2"), SUCCESS, id="a shared volume counts once"),
        pytest.param([limit("n", 2)], USERS, pod_with("c2"), NO, id="one too many"),
        pytest.param([limit("n", 2)], USERS, pod_with("c1"), SUCCESS, id="a volume that is there already"),
        pytest.param([limit("n", 0)], [], pod_with("c2"), NO, id="a limit of zero"),
        pytest.param([limit("n", 3), ATTACHED], USERS, pod_with("c2"), NO, id="attachments count"),
        pytest.param([limit("n", 3), ATTACHED], USERS, pod_with("c3"), NO, id="an attachment is not the pod's own"),
        pytest.param([limit("n", 0), claim("w")], [], pod_with("w"), NO, id="a claim to be provisioned counts"),
        pytest.param([limit("n", 0), claim("w", "x")], [], pod_with("w"), SUCCESS, id="an unknown class does not"),
        pytest.param(
            [limit("n", 0, "ebs.csi.aws.com")], [], make_pod("p", volumes=EBS), NO, id="an inline in-tree volume counts"
        ),
        pytest.param(
            [limit("n", 0)], [], pod_with("gone"),
            unresolvable('looking up PVC default/gone: persistentvolumeclaim "gone" not found'), id="a missing claim",
        ),
    ],
)  # fmt: skip
def test_filter(objects: list[Any], on_it: list[Pod], pod: Pod, expected: object) -> None:
    assert verdict(objects, on_it, pod) == expected


def gce(zone: str) -> list[Any]:
    """A claim bound to a GCE disk, and the disk, in the zone."""
    attributes, labels = {"pdName": "d"}, {"topology.kubernetes.io/zone": zone}
    disk = volume(f"d-{zone}", "delayed", source="gcePersistentDisk", attributes=attributes, labels=labels)
    return [bound_claim(f"in-{zone}", disk.name), disk]


INLINE_GCE = (Volume(name="v", source="gcePersistentDisk", attributes={"pdName": "d"}),)
PORTWORX = (Volume(name="v", source="portworxVolume", attributes={"volumeID": "p"}),)
VSPHERE = (Volume(name="v", source="vsphereVolume", attributes={"volumePath": "p"}),)
BAD_EBS = (Volume(name="bad", source="awsElasticBlockStore", attributes={"volumeID": "aws://z/x"}),)


def migrated(count: int, driver: str, *plugins: str) -> CSINode:
    return CSINode(name="n", drivers=(CSIDriverOnNode(driver, count=count),), migrated_plugins=plugins)


@pytest.mark.parametrize(
    ("limits", "on_it", "pod", "expected"),
    [
        pytest.param(
            limit("n", 1, "pd.csi.storage.gke.io"), [pod_with("in-us-a1-b", name="q")], pod_with("in-us-a1-c"),
            NO, id="disks of one name in two zones are two",
        ),
        pytest.param(
            limit("n", 1, "pd.csi.storage.gke.io"), [make_pod("q", volumes=INLINE_GCE)], pod_with("in-us-a1-b"),
            NO, id="an inline disk tells no zone, so it is another",
        ),
        pytest.param(
            limit("n", 0, "pxd.portworx.com"), [], make_pod("p", volumes=PORTWORX), SUCCESS,
            id="Portworx does not count where it is not migrated",
        ),
        pytest.param(
            migrated(0, "pxd.portworx.com", "kubernetes.io/portworx-volume"), [], make_pod("p", volumes=PORTWORX), NO,
            id="Portworx counts where it is migrated",
        ),
        pytest.param(
            migrated(0, "csi.vsphere.vmware.com", "kubernetes.io/vsphere-volume"), [], make_pod("p", volumes=VSPHERE),
            SUCCESS, id="vSphere never counts",
        ),
        pytest.param(
            limit("n", None), [], make_pod("p", volumes=BAD_EBS),
            error("converting volume(bad) from inline to csi: failed to translate Kubernetes ID to EBS Volume ID "
                  "Invalid format for AWS volume (aws://z/x)"), id="a disk that no driver can know is an error",
        ),
        pytest.param(
            limit("n", 9), [make_pod("q", volumes=BAD_EBS)], pod_with("c2"),
            error("converting volume(bad) from inline to csi: failed to translate Kubernetes ID to EBS Volume ID "
                  "Invalid format for AWS volume (aws://z/x)"), id="also that of a pod on the node",
        ),
        pytest.param(limit("n", None), [make_pod("q", volumes=BAD_EBS)], pod_with("c2"), SUCCESS,
                     id="but not where there is no limit"),
    ],
)  # fmt: skip
def test_in_tree_disks_count_as_those_of_their_drivers(
    limits: CSINode, on_it: list[Pod], pod: Pod, expected: object
) -> None:
    assert verdict([limits, *gce("us-a1-b"), *gce("us-a1-c")], on_it, pod) == expected


def test_a_disk_that_no_driver_can_know_is_no_error_where_nothing_is_known_of_the_node() -> None:
    assert verdict([], [], make_pod("p", volumes=BAD_EBS)) == SUCCESS


def test_a_volume_that_no_driver_can_know_is_not_counted() -> None:
    bad = volume("b", "delayed", source="awsElasticBlockStore", attributes={"volumeID": "aws://z/x"})
    assert verdict([limit("n", 0, "ebs.csi.aws.com"), bound_claim("c9", "b"), bad], [], pod_with("c9")) == SUCCESS


def test_ephemeral_claims_must_be_the_pods_own() -> None:
    owner = OwnerReference(kind="Pod", name="p", uid="uid-default-p", controller=True)
    own, foreign = claim("p-scratch", owner_references=(owner,)), claim("p-scratch")
    assert verdict([limit("n", 0), own], [], ephemeral_pod()) == NO
    refused = verdict([limit("n", 0), foreign], [], ephemeral_pod())
    assert getattr(refused, "code", None) is Code.ERROR


def test_pods_without_volumes_to_attach_are_skipped() -> None:
    cluster = make_cluster([make_node("n")])
    plugin = NodeVolumeLimits(NoArgs(), FakeHandle(cluster))
    pod = make_pod("p", volumes=(Volume(name="v", source="emptyDir"),))
    assert plugin.pre_filter(CycleState(), cluster.info(pod)).status == SKIP
    assert plugin.pre_filter(CycleState(), cluster.info(pod_with("c"))).status == SUCCESS


@pytest.mark.parametrize("seed", range(8))
def test_both_forms_agree_on_generated_clusters(seed: int) -> None:
    draw = random.Random(seed)
    names = [f"n{i}" for i in range(12)]
    placed = {
        n: [pod_with(*draw.sample(("c0", "c1", "c2", "c3"), 2), name=f"{n}-{i}") for i in range(2)] for n in names
    }
    limits = [limit(n, draw.randrange(5)) for n in names[:9]]
    cluster = make_cluster([make_node(n) for n in names], placed, [*BOUND, *limits, ATTACHED])
    plugin = NodeVolumeLimits(NoArgs(), FakeHandle(cluster))
    statuses = assert_filters_agree(plugin, cluster.info(pod_with("c1", "c3")), cluster.table.order)
    assert statuses is not None
    assert NO in statuses
    assert SUCCESS in statuses


def test_hints() -> None:
    plugin, pod = NodeVolumeLimits(NoArgs(), FakeHandle()), pod_with("c")
    assert ask(plugin, CSI_NODE_UPDATE, pod, limit("n", 1), limit("n", 2)) is Hint.QUEUE
    assert ask(plugin, CSI_NODE_UPDATE, pod, limit("n", 2), limit("n", 1)) is Hint.SKIP
    assert ask(plugin, POD_DELETE, pod, pod_with("x", name="q", node_name="n"), None) is Hint.QUEUE
    assert ask(plugin, POD_DELETE, pod, make_pod("q", node_name="n"), None) is Hint.SKIP
    assert ask(plugin, POD_DELETE, pod, pod_with("x", name="q"), None) is Hint.SKIP
    assert ask(plugin, CLAIM_ADD, ephemeral_pod(), None, claim("p-scratch")) is Hint.QUEUE
    assert ask(plugin, CLAIM_ADD, pod, None, claim("x")) is Hint.SKIP
    assert ask(plugin, ATTACHMENT_DELETE, pod, ATTACHED, None) is Hint.QUEUE
    assert ask(plugin, ATTACHMENT_DELETE, make_pod("p", volumes=EBS), ATTACHED, None) is Hint.SKIP
