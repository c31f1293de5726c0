"""What would let a pod fit whose claims keep it off, each expectation worked out by hand."""

from __future__ import annotations

import pytest

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
    proposals = verified([make_node("n")], [using("data")], storage_classes=[late])
    claims = [("CREATE_CLAIM", "default/data"), ("DROP_VOLUME", "default/data")]
    assert list(proposals) == list(verified([make_node("n")], [using("data")])) == claims
    assert [edit.object for edit in proposals[claims[0]].edits] == ["v1/PersistentVolumeClaim/default/data"]


def test_an_unbound_claim_is_bound_and_its_unknown_class_made():
    other_class = StorageClass(name="other", provisioner=DRIVER)
    waiting = claim(storage_class_name="gone")
    proposals = verified(
        [make_node("n")], [using("data")], persistent_volume_claims=[waiting], storage_classes=[other_class]
    )
    assert proposals["CREATE_VOLUME", "default/data"].edits[0].before == "Pending"
    (made,) = proposals["CREATE_CLASS", "gone"].edits
    assert (made.op, made.object, made.after) == ("add", "storage.k8s.io/v1/StorageClass//gone", "WaitForFirstConsumer")


def test_a_claim_for_which_no_volume_can_be_made_gets_one():
    local = StorageClass(
        name="local", provisioner="kubernetes.io/no-provisioner", volume_binding_mode="WaitForFirstConsumer"
    )
    waiting = claim(storage_class_name="local")
    proposals = verified([make_node("n")], [using("data")], persistent_volume_claims=[waiting], storage_classes=[local])
    (made,) = proposals["CREATE_VOLUME", "default/data"].edits
    assert (made.op, made.object) == ("add", "v1/PersistentVolume//default-data-volume")


def test_a_claim_whose_volume_is_not_there_gets_it():
    proposals = verified([make_node("n")], [using("data")], persistent_volume_claims=[claim(volume="lost")])
    assert [edit.object for edit in proposals["CREATE_VOLUME", "lost"].edits] == ["v1/PersistentVolume//lost"]


def test_for_claims_for_devices_nothing_is_tried_as_devices_are_not_played():
    devices = ResourceClaim(name="gpu")
    pod = make_pod("p", resource_claims=(PodResourceClaim("accelerator", "gpu"),))
    assert list(verified([make_node("n")], [pod], resource_claims=[devices])) == []


def of_class(name, mode, provisioner=DRIVER):
    return StorageClass(name=name, provisioner=provisioner, volume_binding_mode=mode)


@pytest.mark.parametrize(
    ("objects", "texts"),
    [
        ({"storage_classes": [of_class("late", "WaitForFirstConsumer")]},
         ["Create claim default/data of class late", "Do without claim default/data"]),
        ({}, ["Create claim default/data, bound to a new volume", "Do without claim default/data"]),
        ({"persistent_volume_claims": [claim(storage_class_name="gone")]},
         ["Bind claim default/data to a new volume", "Do without claim default/data"]),
        ({"persistent_volume_claims": [claim(storage_class_name="local")],
          "storage_classes": [of_class("local", "WaitForFirstConsumer", "kubernetes.io/no-provisioner")]},
         ["Add a volume of 1Gi of class local for claim default/data", "Do without claim default/data"]),
        ({"persistent_volume_claims": [claim(volume="lost")]},
         ["Create volume lost of claim default/data", "Do without claim default/data"]),
    ],
    ids=["a claim of a class", "a claim", "a class", "a volume for a claim", "a volume that is not there"],
)  # fmt: skip
def test_words(objects, texts):
    proposals = verified([make_node("n")], [using("data")], **objects)
    assert [one.text for one in proposals.values()] == texts
