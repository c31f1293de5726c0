"""Small clusters with devices, and runs in which pods claim them."""

from __future__ import annotations

from typing import Any

from scheduler_core.api.devices import (
    ClaimSpec,
    Device,
    DeviceClass,
    DeviceRequest,
    ResourceClaimTemplate,
    ResourceSlice,
)
from scheduler_core.api.objects import ClusterObjects, Pod, PodResourceClaim, ResourceClaim
from scheduler_core.testing.builders import make_node, make_pod

CLASS = DeviceClass(name="gpu")
ONE = ClaimSpec((DeviceRequest(name="r", class_name="gpu"),))
TEMPLATE = ResourceClaimTemplate(name="one", spec=ONE)


def slice_of(node: str, n_devices: int = 1, **fields: Any) -> ResourceSlice:
    devices = tuple(Device(name=f"d{i}", **fields) for i in range(n_devices))
    return ResourceSlice(name=f"{node}-d.io", driver="d.io", pool=node, node_name=node, devices=devices)


def claim(name: str, **fields: Any) -> ResourceClaim:
    return ResourceClaim(name=name, uid=f"uid-{name}", spec=ONE, **fields)


def user(name: str, *claims: str, template: str = "", **fields: Any) -> Pod:
    """A pod with entries for claims by name, or one entry with a template."""
    entries = [PodResourceClaim(f"e{i}", claim_name=one) for i, one in enumerate(claims)]
    if template:
        entries.append(PodResourceClaim("made", template_name=template))
    return make_pod(name, resource_claims=tuple(entries), **fields)


def cluster(*pods: Pod, nodes: int = 1, devices: int = 1, **fields: Any) -> ClusterObjects:
    """Nodes n0 and on with their devices, one class, one template, and these pods."""
    names = [f"n{i}" for i in range(nodes)]
    fields.setdefault("device_classes", [CLASS])
    fields.setdefault("resource_slices", [slice_of(name, devices) for name in names])
    fields.setdefault("resource_claim_templates", [TEMPLATE])
    return ClusterObjects(nodes=[make_node(name) for name in names], pods=list(pods), **fields)
