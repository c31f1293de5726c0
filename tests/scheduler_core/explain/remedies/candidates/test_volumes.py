"""What would let a pod fit whose volumes or claims for devices keep it off, each expectation worked out by hand."""

from __future__ import annotations

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import (
    ClusterObjects,
    CSIDriverOnNode,
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    PodResourceClaim,
    ResourceClaim,
    StorageClass,
    Volume,
)
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.crowded import pod_of, recorded

ZONE = "topology.kubernetes.io/zone"
BOUND = {"pv.kubernetes.io/bind-completed": "yes"}
DRIVER = "csi.example.com"


def claim(name="data", volume="", **fields):
    fields.setdefault("annotations", BOUND if volume else {})
    fields.setdefault("access_modes", ("ReadWriteOnce",))
    return PersistentVolumeClaim(name=name, volume_name=volume, requested_bytes=1 << 30, **fields)


def disk(name, zone="a", labels=None):
    return PersistentVolume(
        name=name,
        labels=labels or {},
        capacity_bytes=1 << 30,
        node_affinity=NodeSelector((NodeSelectorTerm((Requirement(ZONE, "In", (zone,)),)),)) if zone else None,
        access_modes=("ReadWriteOnce",),
        phase="Bound",
        source="csi",
        attributes={"driver": DRIVER, "volumeHandle": name},
    )


def using(*claims, name="p", **fields):
    volumes = tuple(Volume(name=f"v{i}", claim_name=one) for i, one in enumerate(claims))
    return make_pod(name, volumes=volumes, **fields)


def verified(nodes, pods, **objects):
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods, **objects))
    reader = recorded(inputs)
    trials, key = at_cycle(reader, inputs, 1), pod_of(reader, 1)
    assert not trials.attempt(key).is_scheduled
    return {one.text: one for one in remedies(trials, key).verified}


def test_a_volume_of_another_zone_is_done_without_moved_or_gets_a_node_there():
    there = {"persistent_volume_claims": [claim(volume="disk")], "persistent_volumes": [disk("disk")]}
    remedy_of_text = verified([make_node("b1", labels={ZONE: "b"})], [using("data")], **there)
    assert {
        "Do without claim default/data": ("DROP_VOLUME", 3.0),
        f"Make volume disk again in {ZONE}=b": ("MOVE_VOLUME_ZONE", 1.0),
        f"Add one more node like b1 with {ZONE}=a": ("ADD_NODE_LIKE", 2.0),
    }.items() <= {text: (one.code, one.size) for text, one in remedy_of_text.items()}.items()


def test_a_volume_whose_labels_alone_name_another_zone_is_moved():
    there = {"persistent_volume_claims": [claim(volume="disk")]}
    there["persistent_volumes"] = [disk("disk", zone="", labels={ZONE: "a"})]
    assert f"Make volume disk again in {ZONE}=b" in verified(
        [make_node("b1", labels={ZONE: "b"})], [using("data")], **there
    )


def test_a_node_without_a_label_of_the_volume_gets_it():
    there = {"persistent_volume_claims": [claim(volume="disk")], "persistent_volumes": [disk("disk")]}
    assert f"Label n {ZONE}=a" in verified([make_node("n")], [using("data")], **there)


def test_a_missing_claim_is_made_of_a_class_or_done_without():
    late = StorageClass(name="late", provisioner=DRIVER, volume_binding_mode="WaitForFirstConsumer")
    remedy_of_text = verified([make_node("n")], [using("data")], storage_classes=[late])
    assert list(remedy_of_text) == ["Create claim default/data of class late", "Do without claim default/data"]
    assert list(verified([make_node("n")], [using("data")])) == [
        "Create claim default/data, bound to a new volume",
        "Do without claim default/data",
    ]


def test_an_unbound_claim_is_bound_and_its_unknown_class_made():
    other_class = StorageClass(name="other", provisioner=DRIVER)
    waiting = claim(storage_class_name="gone")
    remedy_of_text = verified(
        [make_node("n")], [using("data")], persistent_volume_claims=[waiting], storage_classes=[other_class]
    )
    assert "Bind claim default/data to a new volume" in remedy_of_text
    assert f"Create storage class gone (WaitForFirstConsumer, provisioner {DRIVER})" in remedy_of_text


def test_a_claim_for_which_no_volume_can_be_made_gets_one():
    local = StorageClass(
        name="local", provisioner="kubernetes.io/no-provisioner", volume_binding_mode="WaitForFirstConsumer"
    )
    waiting = claim(storage_class_name="local")
    remedy_of_text = verified(
        [make_node("n")], [using("data")], persistent_volume_claims=[waiting], storage_classes=[local]
    )
    assert "Add a volume of 1Gi of class local for claim default/data" in remedy_of_text


def test_a_claim_whose_volume_is_not_there_gets_it():
    remedy_of_text = verified([make_node("n")], [using("data")], persistent_volume_claims=[claim(volume="lost")])
    assert "Create volume lost of claim default/data" in remedy_of_text


def test_at_the_limit_of_volumes_a_user_goes_or_a_node_comes_and_the_driver_s_limit_is_not_raised():
    there = {
        "persistent_volume_claims": [claim("mine", "d0"), claim("theirs", "d1"), claim("also", "d2")],
        "persistent_volumes": [disk(name, zone="") for name in ("d0", "d1", "d2")],
        "csi_nodes": [CSINode(name="n", drivers=(CSIDriverOnNode(DRIVER, "n", (), 2),))],
    }
    on = [
        using("theirs", name="x", node_name="n", priority=5),
        using("also", name="y", node_name="n", priority=9),
        make_pod("z", node_name="n"),
    ]
    remedy_of_text = verified([make_node("n")], [*on, using("mine", preemption_policy="Never")], **there)
    assert {one.code for one in remedy_of_text.values()} == {"EVICT_POD", "ADD_NODE_LIKE", "DROP_VOLUME"}
    assert "Let default/x leave n" in remedy_of_text  # of the two users the less important one


def test_who_uses_a_claim_for_one_pod_only_would_have_to_go():
    there = {
        "persistent_volume_claims": [claim(volume="disk", access_modes=("ReadWriteOncePod",))],
        "persistent_volumes": [disk("disk", zone="")],
    }
    on = using("data", name="holder", node_name="n")
    remedy_of_text = verified([make_node("n"), make_node("m")], [on, using("data", preemption_policy="Never")], **there)
    assert remedy_of_text["Let default/holder leave their nodes"].n_fit == 2


def test_who_has_a_disk_on_the_node_would_have_to_go():
    volume = Volume(name="v", source="gcePersistentDisk", attributes={"pdName": "shared"})
    on = make_pod("holder", volumes=(volume,), node_name="n")
    remedy_of_text = verified([make_node("n")], [on, make_pod("p", volumes=(volume,), preemption_policy="Never")])
    assert {"Let default/holder leave n", "Do without volume v"} <= remedy_of_text.keys()


def test_claims_for_devices_can_only_be_done_without():
    devices = ResourceClaim(name="gpu")
    pod = make_pod("p", resource_claims=(PodResourceClaim("accelerator", "gpu"),))
    assert list(verified([make_node("n")], [pod], resource_claims=[devices])) == [
        "Do without resource claim accelerator"
    ]
