"""Copies: their names, and what they do not take over."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.clusters.by_hand import changes
from dashboard.clusters.by_hand.copies import check_size, make_copy, names_for
from dashboard.clusters.drafts.opened import StoredObject
from dashboard.clusters.revisions.object_keys import Key
from dashboard.common.problems import Problem
from scheduler_core.api.devices import Allocation, Consumer, Device, DeviceResult, ResourceSlice
from scheduler_core.api.objects import ResourceClaim
from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.writing.objects import Writing, read_object, to_manifest
from tests.dashboard.clusters.conftest import node, pod


@pytest.mark.parametrize(
    ("pattern", "count", "names"),
    [
        ("gpu-##", 3, ["gpu-01", "gpu-03", "gpu-04"]),
        ("gpu-#-a", 2, ["gpu-1-a", "gpu-2-a"]),
        ("a#b##", 1, ["a#b01"]),
        ("gpu", 2, ["gpu-1", "gpu-2"]),
        ("gpu", 1, ["gpu"]),
        ("taken", 1, ["taken-1"]),
    ],
)
def test_names_are_free_and_numbered_by_the_pattern(pattern, count, names):
    assert names_for(pattern, count, {"gpu-02", "taken"}) == names


def test_a_copy_of_a_pod_waits_for_a_node_and_has_no_owner():
    raw = pod("web-1", "node-a")
    raw["metadata"] |= {"uid": "u", "ownerReferences": [{"kind": "ReplicaSet", "name": "web"}]}
    made = make_copy(raw, "web-9", {"tier": "a"})
    assert made["metadata"] == {"name": "web-9", "namespace": "default", "labels": {"app": "web", "tier": "a"}}
    assert "nodeName" not in made["spec"]
    assert raw["spec"]["nodeName"] == "node-a"


def test_a_copy_of_a_node_is_another_machine():
    made = make_copy(node("node-a", providerID="aws://1"), "node-c", {})
    assert made["spec"] == {}
    assert made["metadata"]["labels"] == {"topology.kubernetes.io/zone": "zone-a"}


def test_copies_are_counted_in_bytes_too():
    raw = {"kind": "Node", "metadata": {"name": "n", "annotations": {"a": "x" * 1000}}}
    check_size([raw, raw], 10)
    with pytest.raises(Problem, match="The copies would have more than 64 MiB together"):
        check_size([raw] * 20, 5_000)
    key = Key("Node", "", "n")
    large = {**raw, "metadata": {"name": "n", "annotations": {"a": "x" * 20_000}}}
    with pytest.raises(Problem, match="64 MiB"):
        changes.make_edits(
            "duplicate", {key: StoredObject(b"", large)}, changes.HandValues(number=5_000, pattern="n-#")
        )


OBJECTS = {
    "ResourceClaim": ResourceClaim(
        name="c",
        uid="u",
        allocation=Allocation((DeviceResult(request="r", driver="a.example", pool="p", device="d"),)),
        reserved_for=(Consumer("p", "u"),),
    ),
    "ResourceSlice": ResourceSlice(
        name="s", driver="a.example", pool="p", generation=4, slice_count=2, node_name="n", devices=(Device(name="d"),)
    ),
}


def test_a_copy_of_a_claim_has_no_device_and_one_of_a_slice_is_a_pool_of_its_own():
    for kind in ("ResourceClaim", "ResourceSlice"):
        original = to_manifest(OBJECTS[kind], Writing())
        made = make_copy(original, "copy", {"team": "a"})
        assert load_manifests([original, made]).findings == []
        assert made["metadata"]["labels"] == {"team": "a"}
        obj, copied = read_object(original), read_object(made)
        of_claim = {"name": "copy", "allocation": None, "reserved_for": (), "device_status": (), "uid": ""}
        own = (
            of_claim if kind == "ResourceClaim" else {"name": "copy", "pool": "copy", "generation": 1, "slice_count": 1}
        )
        assert copied == msgspec.structs.replace(obj, **own)
