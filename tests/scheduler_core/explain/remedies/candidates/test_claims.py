"""What would let a pod fit whose claims keep it off, each expectation worked out by hand."""

from __future__ import annotations

from scheduler_core.api.objects import (
    PodResourceClaim,
    ResourceClaim,
    StorageClass,
)
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.remedies.candidates.volume_objects import (
    DRIVER,
    claim,
    using,
    verified,
)


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


def test_for_claims_for_devices_nothing_is_tried_as_devices_are_not_played():
    devices = ResourceClaim(name="gpu")
    pod = make_pod("p", resource_claims=(PodResourceClaim("accelerator", "gpu"),))
    assert list(verified([make_node("n")], [pod], resource_claims=[devices])) == []
