"""Changes that give a pod devices: who lets go of them, and what is made before any node is looked at."""

from __future__ import annotations

import pytest

from scheduler_core.api.devices import ClaimSpec, DeviceClass, ResourceClaimTemplate
from scheduler_core.api.objects import OwnerReference, PodResourceClaim
from scheduler_core.testing.builders import make_pod
from tests.scheduler_core.explain.diagnosis.device_clusters import (
    GPU,
    DeviceCluster,
    claim,
    gpu,
    held,
    holder,
    pool_of,
    request,
)

NIC = DeviceClass(name="nic", selectors=("device.driver == 'nic'",))


def edits(cluster: DeviceCluster, code: str) -> list[tuple[str, str, str]]:
    """(operation, object, path) of the verified remedies of a code."""
    return [(e.op, e.object, e.path) for one in cluster.remedies().verified if one.code == code for e in one.edits]


def test_the_pod_that_has_the_device_leaves_and_nothing_of_its_claim_is_edited() -> None:
    cluster = DeviceCluster(
        pool_of("n1", gpu(0)), held("h", "q", ("n1", "gpu-0")), holder("q", "n1", "h"), claim(request())
    )
    assert edits(cluster, "EVICT_POD") == [("remove", "v1/Pod/default/q", "")]
    (remedy,) = [one for one in cluster.remedies().verified if one.code == "EVICT_POD"]
    assert "default/h" in remedy.assumed, "preemption frees no devices: the claim controller does"


def test_several_leave_where_one_is_not_enough() -> None:
    two = [
        held("h", "q", ("n1", "gpu-0")),
        held("i", "r", ("n1", "gpu-1")),
        holder("q", "n1", "h"),
        holder("r", "n1", "i"),
    ]
    cluster = DeviceCluster(pool_of("n1", gpu(0), gpu(1)), *two, claim(request(count=2)))
    assert edits(cluster, "EVICT_POD") == [("remove", "v1/Pod/default/q", ""), ("remove", "v1/Pod/default/r", "")]


@pytest.mark.parametrize("kind", ["DaemonSet", "Node"])
def test_a_pod_that_would_come_back_at_once_does_not_leave(kind: str) -> None:
    owner = (OwnerReference(kind, "d", "u", controller=True),)
    cluster = DeviceCluster(
        pool_of("n1", gpu(0)), held("h", "q", ("n1", "gpu-0")), holder("q", "n1", "h", owner_references=owner),
        claim(request()),
    )  # fmt: skip
    assert edits(cluster, "EVICT_POD") == []


def test_a_node_more_brings_its_slices() -> None:
    cluster = DeviceCluster(
        pool_of("n1", gpu(0)), held("h", "q", ("n1", "gpu-0")), holder("q", "n1", "h"), claim(request())
    )
    assert edits(cluster, "ADD_NODE_LIKE") == [
        ("add", "v1/Node//n1-more", ""), ("add", "resource.k8s.io/v1/ResourceSlice//n1-slice-of-n1-more", ""),
    ]  # fmt: skip


def test_a_missing_claim_is_created_or_one_of_nearly_its_name_used() -> None:
    cluster = DeviceCluster(pool_of("n1", gpu(0)), claim(request(), name="training"), pod=_with("trainin"))
    verified = [(one.code, one.actor) for one in cluster.remedies().verified]
    assert verified == [("CHANGE_DEVICE_REQUEST", "workload"), ("CREATE_CLAIM", "storage")]
    other = DeviceCluster(pool_of("n1", gpu(0)), pod=_with("c"), classes=(NIC,))
    assert [one.code for one in other.remedies().verified] == [], "no device of the class is there"


def test_a_claim_of_a_template_is_waited_for() -> None:
    template = ResourceClaimTemplate(name="t", spec=ClaimSpec((request(),)))
    pod = make_pod("p", resource_claims=(PodResourceClaim("g", template_name="t"),))
    made = DeviceCluster(pool_of("n1", gpu(0)), template, pod=pod).remedies()
    assert [(one.code, one.actor) for one in made.verified] == [("WAIT", "controller")]
    full = DeviceCluster(pool_of("n1", gpu(0)), held("h", "", ("n1", "gpu-0")), template, pod=pod).remedies()
    (both,) = full.verified
    assert [edit.code for edit in both.edits] == ["WAIT", "REMAKE_CLAIM"], "its device is in use, too"


def test_an_incomplete_pool_is_tried_as_it_is() -> None:
    cluster = DeviceCluster(pool_of("n1", gpu(0), slice_count=2), claim(request()))
    (remedy,) = [one for one in cluster.remedies().verified if one.code == "MEND_DEVICES"]
    assert (remedy.actor, remedy.opens) == ("hardware", ("n1",))
    assert GPU in remedy.text


def test_an_extended_resource_that_devices_serve_is_asked_for_less() -> None:
    gpus = DeviceClass(name=GPU, selectors=(f"device.driver == '{GPU}'",), extended_resource_name="example.com/gpu")
    taken = (held("h", "q", ("n1", "gpu-0")), holder("q", "n1", "h"))
    pod = make_pod("p", extended={"example.com/gpu": "2"})
    cluster = DeviceCluster(pool_of("n1", gpu(0), gpu(1)), *taken, nodes=("n1", "n2"), pod=pod, classes=(gpus,))
    diagnosis = cluster.diagnosis()
    assert diagnosis is not None
    assert (diagnosis.cause.codes, diagnosis.cause.obstacles[0].object) == (("DEVICE_IN_USE",), "v1/Pod/default/p")
    assert [one.code for one in cluster.remedies().verified] == ["REQUEST_LESS", "EVICT_POD", "ADD_NODE_LIKE"]


def _with(name: str):  # type: ignore[no-untyped-def]
    return make_pod("p", resource_claims=(PodResourceClaim("g", claim_name=name),))
