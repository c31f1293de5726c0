"""Claims and volumes in words: where the volume is, what a claim waits for, who has it."""

from __future__ import annotations

from typing import Any

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import (
    CSIDriverOnNode,
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    StorageClass,
    Volume,
)
from scheduler_core.explain.diagnosis.volume_words import claim_words, in_use_words, limit_words, zone_words
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import HOSTNAME, ZONE, said

DRIVER = "csi.example.com"
BOUND = {"pv.kubernetes.io/bind-completed": "yes"}


def using(*claims: str, name: str = "p", **fields: Any) -> Pod:
    volumes = tuple(Volume(name=f"v{i}", claim_name=one) for i, one in enumerate(claims))
    return make_pod(name, volumes=volumes, **fields)


def claim(name: str = "data", volume: str = "", **fields: Any) -> PersistentVolumeClaim:
    fields.setdefault("access_modes", ("ReadWriteOnce",))
    return PersistentVolumeClaim(name=name, volume_name=volume, annotations=BOUND if volume else {}, **fields)


def disk(key: str, value: str, name: str = "pv-data", **fields: Any) -> PersistentVolume:
    there = NodeSelector((NodeSelectorTerm((Requirement(key, "In", (value,)),)),))
    return PersistentVolume(name=name, node_affinity=there if key else None, phase="Bound", **fields)


def bound_to(volume: PersistentVolume, **fields: Any) -> dict[str, Any]:
    return {"persistent_volume_claims": [claim(volume=volume.name, **fields)], "persistent_volumes": [volume]}


def test_a_volume_of_another_zone_says_where_it_is_and_where_the_nodes_are() -> None:
    nodes = [make_node("b1", labels={ZONE: "b"}), make_node("c1", labels={ZONE: "c"})]
    text = said(claim_words, "VOLUME_TOPOLOGY", nodes, [using("data")], **bound_to(disk(ZONE, "a")))
    assert text == f"claim default/data: its volume pv-data is in {ZONE}=a, the nodes are in b or c"


def test_a_local_volume_names_its_node_that_is_gone() -> None:
    text = said(claim_words, "VOLUME_NODE_GONE", [make_node("n")], [using("data")], **bound_to(disk(HOSTNAME, "old-1")))
    assert "is on node old-1, which is not in the cluster any more" in text


def test_a_claim_or_a_volume_that_does_not_exist_is_named() -> None:
    assert said(claim_words, "CLAIM_MISSING", [make_node("n")], [using("data")]) == (
        "claim default/data: it does not exist"
    )
    lost = {"persistent_volume_claims": [claim(volume="pv-gone")]}
    assert "its volume pv-gone does not exist" in said(
        claim_words, "VOLUME_MISSING", [make_node("n")], [using("data")], **lost
    )


def test_a_claim_that_binds_at_once_names_its_class_and_who_would_provide_it() -> None:
    fast = StorageClass(name="fast", provisioner=DRIVER, volume_binding_mode="Immediate")
    waiting = {"persistent_volume_claims": [claim(storage_class_name="fast")]}
    nodes, pods = [make_node("n")], [using("data")]
    waiting_text = said(claim_words, "CLAIM_UNBOUND_IMMEDIATE", nodes, pods, storage_classes=[fast], **waiting)
    assert f"storage class fast of {DRIVER}" in waiting_text
    assert "storage class fast does not exist" in said(claim_words, "CLAIM_UNBOUND_IMMEDIATE", nodes, pods, **waiting)


def test_the_zone_label_of_a_volume_is_told_beside_that_of_the_nodes() -> None:
    volume = disk("", "", labels={ZONE: "a"})
    text = said(
        zone_words, "VOLUME_TOPOLOGY", [make_node("n", labels={ZONE: "b"})], [using("data")], **bound_to(volume)
    )
    assert f"its volume pv-data is in {ZONE}=a, the node is in b" in text


def test_who_has_a_claim_for_itself_is_named() -> None:
    there = bound_to(disk("", ""), access_modes=("ReadWriteOncePod",))
    holder = using("data", name="holder", node_name="n")
    text = said(in_use_words, "VOLUME_EXCLUSIVE", [make_node("n")], [holder, using("data")], **there)
    assert "default/holder uses it" in text


def test_how_many_volumes_a_node_attaches_and_has_is_said() -> None:
    def volume(name: str) -> PersistentVolume:
        return PersistentVolume(
            name=name, source="csi", phase="Bound", attributes={"driver": DRIVER, "volumeHandle": name}
        )

    there = {
        "persistent_volume_claims": [claim("mine", "v0"), claim("theirs", "v1")],
        "persistent_volumes": [volume("v0"), volume("v1")],
        "csi_nodes": [CSINode(name="n", drivers=(CSIDriverOnNode(DRIVER, "n", (), 1),))],
    }
    on = using("theirs", name="x", node_name="n")
    text = said(limit_words, "VOLUME_LIMIT", [make_node("n")], [on, using("mine")], **there)
    assert f"volumes of {DRIVER}: n attaches 1 and has 1; it needs 1 more" in text
