"""Claims and volumes in words: where the volume is, what a claim waits for, who has it."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import (
    CSIDriverOnNode,
    CSINode,
    Node,
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


def attached(name: str) -> PersistentVolume:
    return PersistentVolume(name=name, source="csi", phase="Bound", attributes={"driver": DRIVER, "volumeHandle": name})


FAST = StorageClass(name="fast", provisioner=DRIVER, volume_binding_mode="Immediate")
WAITING = {"persistent_volume_claims": [claim(storage_class_name="fast")]}
ATTACHED = {
    "persistent_volume_claims": [claim(volume="v0"), claim("theirs", "v1")],
    "persistent_volumes": [attached("v0"), attached("v1")],
    "csi_nodes": [CSINode(name="n", drivers=(CSIDriverOnNode(DRIVER, "n", (), 1),))],
}
NODE, NODE_IN_B = make_node("n"), make_node("b1", labels={ZONE: "b"})


@pytest.mark.parametrize(
    ("say", "code", "nodes", "objects", "text"),
    [
        (claim_words, "VOLUME_TOPOLOGY", [NODE_IN_B, make_node("c1", labels={ZONE: "c"})], bound_to(disk(ZONE, "a")),
         "claim default/data: its volume pv-data is in topology.kubernetes.io/zone=a, the nodes are in b or c"),
        (claim_words, "VOLUME_NODE_GONE", [NODE], bound_to(disk(HOSTNAME, "old-1")),
         "claim default/data: its volume pv-data is on node old-1, which is not in the cluster any more"),
        (claim_words, "CLAIM_MISSING", [NODE], {}, "claim default/data: it does not exist"),
        (claim_words, "VOLUME_MISSING", [NODE], {"persistent_volume_claims": [claim(volume="pv-gone")]},
         "claim default/data: its volume pv-gone does not exist"),
        (claim_words, "CLAIM_UNBOUND_IMMEDIATE", [NODE], {**WAITING, "storage_classes": [FAST]},
         "claim default/data: it is bound at once, not with its pod, and is not bound (storage class fast of "
         "csi.example.com)"),
        (claim_words, "CLAIM_UNBOUND_IMMEDIATE", [NODE], WAITING,
         "claim default/data: it is bound at once, not with its pod, and is not bound (storage class fast does not "
         "exist)"),
        (zone_words, "VOLUME_TOPOLOGY", [NODE_IN_B], bound_to(disk("", "", labels={ZONE: "a"})),
         "claim default/data: its volume pv-data is in topology.kubernetes.io/zone=a, the node is in b"),
        (in_use_words, "VOLUME_EXCLUSIVE", [NODE], bound_to(disk("", ""), access_modes=("ReadWriteOncePod",)),
         "claim default/data: its access mode is ReadWriteOncePod, and default/holder uses it"),
        (limit_words, "VOLUME_LIMIT", [NODE],
         ATTACHED,
         "volumes of csi.example.com: n attaches 1 and has 1; it needs 1 more"),
    ],
    ids=[
        "in another zone", "on a node that is gone", "no claim", "no volume", "a class that binds at once", "no class",
        "labelled with another zone", "somebody has it for himself", "no more volumes on the node",
    ],
)  # fmt: skip
def test_words(say: Any, code: str, nodes: list[Node], objects: dict[str, Any], text: str) -> None:
    holds = {"VOLUME_EXCLUSIVE": "data", "VOLUME_LIMIT": "theirs"}.get(code)
    holders = [using(holds, name="holder", node_name="n")] if holds else []
    assert said(say, code, nodes, [*holders, using("data")], **objects) == text
