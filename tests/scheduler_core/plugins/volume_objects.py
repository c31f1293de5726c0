"""Short builders of claims, volumes and pods that use them, for the tests of volume plugins."""

from __future__ import annotations

from typing import Any

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, Volume
from scheduler_core.framework.plugin_helpers.volume_claims import BIND_COMPLETED
from scheduler_core.testing.builders import make_pod

GI = 1 << 30
DELAYED = StorageClass(name="delayed", provisioner="csi.example.com", volume_binding_mode="WaitForFirstConsumer")
LOCAL = StorageClass(
    name="local", provisioner="kubernetes.io/no-provisioner", volume_binding_mode="WaitForFirstConsumer"
)
IMMEDIATE = StorageClass(name="immediate", provisioner="csi.example.com")
CLASSES = (DELAYED, LOCAL, IMMEDIATE)


def claim(name: str, class_name: str = "delayed", gi: int = 1, **fields: Any) -> PersistentVolumeClaim:
    """An unbound claim."""
    fields.setdefault("access_modes", ("ReadWriteOnce",))
    return PersistentVolumeClaim(
        name=name, uid=f"uid-{name}", storage_class_name=class_name, requested_bytes=gi * GI, **fields
    )


def bound_claim(name: str, volume_name: str, **fields: Any) -> PersistentVolumeClaim:
    """A claim that is bound to the volume for good."""
    annotations = {BIND_COMPLETED: "yes"}
    return claim(name, volume_name=volume_name, annotations=annotations, phase="Bound", **fields)


def volume(name: str, class_name: str = "local", gi: int = 1, on: str = "", **fields: Any) -> PersistentVolume:
    """A volume, reachable from nodes of this hostname only when given."""
    fields.setdefault("access_modes", ("ReadWriteOnce",))
    if on:
        fields["node_affinity"] = selector("kubernetes.io/hostname", on)
    return PersistentVolume(name=name, storage_class_name=class_name, capacity_bytes=gi * GI, **fields)


def selector(key: str, *values: str) -> NodeSelector:
    """A node selector with one In requirement."""
    return NodeSelector((NodeSelectorTerm((Requirement(key, "In", values),)),))


def pod_with(*claims: str, name: str = "p", **fields: Any) -> Pod:
    """A pod that uses the claims."""
    return make_pod(name, volumes=tuple(Volume(name=c, claim_name=c) for c in claims), **fields)


def ephemeral_pod(name: str = "p", **fields: Any) -> Pod:
    """A pod with a generic ephemeral volume; its claim is named after it."""
    return make_pod(name, volumes=(Volume(name="scratch", ephemeral=True, source="ephemeral"),), **fields)
