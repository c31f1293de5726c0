"""A cluster with partitions of devices: claims for them, or as many extended resources.

Each node has two cards in one pool, each with a whole device and partitions of it (a half and two quarters) that share
its counters: eight devices. Of 20 pods one asks for a whole card, six for a half and 13 for a quarter; those for whole
cards come first. All nodes together have room for five pods each.
"""

from __future__ import annotations

from typing import Any

from tests.bench.blueprints import Blueprint, Manifest, PodPlan, namespace, node, node_name

NAMESPACE, DRIVER = "team", "gpu.example.com"
UNITS = {"whole": 4, "half": 2, "quarter": 1}
_CARD = (("whole", 4), ("half", 2), ("quarter-0", 1), ("quarter-1", 1))
KINDS = (*("half",) * 6, *("quarter",) * 13)
CLAIMS, COUNTED, SERVED = "claims", "counted", "served"
"""What pods ask for: claims from templates, extended resources that nodes count, or that device classes serve."""


def blueprint_of_devices(asks: str, n_nodes: int, n_measured: int) -> Blueprint:
    """Nodes with devices, and pods that ask for them in one of three ways."""
    nodes = [_node(i, counted=asks == COUNTED) for i in range(n_nodes)]
    others = [namespace(NAMESPACE), *nodes]
    if asks != COUNTED:
        others += [_slice(node_name(i), part) for i in range(n_nodes) for part in ("cards", "devices")]
        others += [_class(kind) for kind in UNITS]
    if asks == CLAIMS:
        others += [_claim_template(kind) for kind in UNITS]
    kinds = list(UNITS)
    pods = [
        PodPlan(kinds.index("whole" if i < n_measured // 20 else KINDS[i % len(KINDS)]), f"measured-{i:06d}")
        for i in range(n_measured)
    ]
    return Blueprint(others, [_pod(kind, asks) for kind in kinds], pods)


def _node(i: int, *, counted: bool) -> Manifest:
    amounts = {"cpu": "16", "memory": "64Gi", "pods": "110"}
    if counted:
        amounts |= {_resource("whole"): "1", _resource("half"): "2", _resource("quarter"): "4"}
    return node(i, {"kubernetes.io/hostname": node_name(i)}, amounts)


def _resource(kind: str) -> str:
    return f"example.com/{kind}"


def _object(kind: str, name: str, spec: Manifest, **metadata: str) -> Manifest:
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def _slice(node_of: str, part: str) -> Manifest:
    pool = {"name": node_of, "generation": 1, "resourceSliceCount": 2}
    spec: dict[str, Any] = {"driver": DRIVER, "pool": pool, "nodeName": node_of}
    if part == "cards":
        counters = {"units": {"value": str(UNITS["whole"])}}
        spec["sharedCounters"] = [{"name": f"card-{card}", "counters": counters} for card in range(2)]
    else:
        spec["devices"] = [_device(card, name, units) for card in range(2) for name, units in _CARD]
    return _object("ResourceSlice", f"{node_of}-{part}", spec)


def _device(card: int, name: str, units: int) -> Manifest:
    taken = {"counterSet": f"card-{card}", "counters": {"units": {"value": str(units)}}}
    kind = name.partition("-")[0]
    return {
        "name": f"card-{card}-{name}",
        "attributes": {"kind": {"string": kind}, "card": {"int": card}},
        "consumesCounters": [taken],
    }


def _class(kind: str) -> Manifest:
    expression = f'device.driver == "{DRIVER}" && device.attributes["{DRIVER}"].kind == "{kind}"'
    spec = {"selectors": [{"cel": {"expression": expression}}], "extendedResourceName": _resource(kind)}
    return _object("DeviceClass", kind, spec)


def _claim_template(kind: str) -> Manifest:
    request = {"name": "device", "exactly": {"deviceClassName": kind}}
    spec = {"spec": {"devices": {"requests": [request]}}}
    return _object("ResourceClaimTemplate", kind, spec, namespace=NAMESPACE)


def _pod(kind: str, asks: str) -> Manifest:
    requests = {"cpu": "100m", "memory": "500Mi"}
    spec: dict[str, Any] = {}
    if asks == CLAIMS:
        spec["resourceClaims"] = [{"name": "device", "resourceClaimTemplateName": kind}]
    else:
        requests[_resource(kind)] = "1"
    limits = {name: amount for name, amount in requests.items() if "/" in name}
    container = {
        "name": "c",
        "image": "registry.k8s.io/pause:3.10",
        "resources": {"requests": requests, "limits": limits},
    }
    metadata = {"name": kind, "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], **spec}}
