"""Runs drawn from a seed in which pods claim devices of many kinds, and pods, claims, slices and nodes come and go.

Each node has a pool of its own with devices, partitions that share counters, shared capacity and taints; two pools can
be reached over the network. Pods have claims from templates, claims by name that they share, or extended resources.
"""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec

from scheduler_core.api.devices import (
    ALL,
    CapacityPolicy,
    ClaimSpec,
    CounterSet,
    Device,
    DeviceCapacity,
    DeviceClass,
    DeviceConstraint,
    DeviceRequest,
    DeviceTaint,
    DeviceToleration,
    ResourceClaimTemplate,
    ResourceSlice,
)
from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import ClusterObjects, Container, Pod, PodResourceClaim, ResourceClaim
from scheduler_core.simulate import Policies, RunInputs, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod

SECOND = 1_000_000
EXTENDED = "example.com/gpu"
BIG = 'device.attributes["d.io"].size == "big"'
CLASSES = [
    DeviceClass(name="gpu", selectors=('device.driver == "d.io"',), extended_resource_name=EXTENDED),
    DeviceClass(name="any"),
]
SAME_NUMA = (DeviceConstraint(match_attribute="d.io/numa"),)
OTHER_NUMA = (DeviceConstraint(distinct_attribute="d.io/numa"),)


def request(name: str = "r", **fields: Any) -> DeviceRequest:
    fields.setdefault("class_name", "gpu")
    return DeviceRequest(name=name, **fields)


SPECS = [
    ClaimSpec((request(),)),
    ClaimSpec((request(count=2),), SAME_NUMA),
    ClaimSpec((request(selectors=(BIG,)),)),
    ClaimSpec((request("a"), request("b", selectors=(BIG,)))),
    ClaimSpec((request("x", alternatives=(request("big", selectors=(BIG,)), request("two", count=2)), class_name=""),)),
    ClaimSpec((request(tolerations=(DeviceToleration(operator="Exists"),)),)),
    ClaimSpec((request(capacity={"memory": "3Gi"}),)),
    ClaimSpec((request("m", admin_access=True),)),
    ClaimSpec((request("a"), request("b")), OTHER_NUMA),
    ClaimSpec((request(mode=ALL, selectors=('"nic" in device.attributes["d.io"]',)),)),
]
TEMPLATES = [ResourceClaimTemplate(name=f"t{i}", spec=spec) for i, spec in enumerate(SPECS)]


def device(draw: Random, name: str, **fields: Any) -> Device:
    attributes = {"numa": draw.randrange(2), "size": draw.choice(("big", "small"))}
    taints = (DeviceTaint("broken", "", "NoSchedule"),) if draw.random() < 0.1 else ()
    return Device(name=name, attributes=attributes, taints=taints, **fields)


def pool_of(draw: Random, node: str, generation: int = 1) -> list[ResourceSlice]:
    """The slices of a node's pool: whole devices, partitions of one card, and a shared device."""
    whole = [device(draw, f"d{i}") for i in range(draw.randrange(1, 3))]
    parts = [device(draw, f"p{i}", consumes=(CounterSet("card", {"units": str(i + 1)}),)) for i in range(3)]
    policy = CapacityPolicy(default="1Gi", min="1Gi", step="2Gi")
    shared = [
        device(draw, "s0", shared=True, capacity={"memory": DeviceCapacity("8Gi", policy)}),
    ]
    common: dict[str, Any] = {"driver": "d.io", "pool": node, "generation": generation, "slice_count": 2}
    devices = ResourceSlice(name=f"{node}-devices", node_name=node, devices=(*whole, *parts, *shared), **common)
    counters = (CounterSet("card", {"units": str(draw.randrange(2, 5))}),)
    return [devices, ResourceSlice(name=f"{node}-counters", node_name=node, shared_counters=counters, **common)]


def network_pools(draw: Random) -> list[ResourceSlice]:
    """A pool that all nodes reach, and one for the nodes of a zone."""
    zone = NodeSelector((NodeSelectorTerm((Requirement("zone", "In", ("a",)),)),))
    return [
        ResourceSlice(
            name=f"net-{name}", driver="d.io", pool=f"net-{name}", devices=(device(draw, "x0"), device(draw, "x1")),
            **where,
        )
        for name, where in (("all", {"all_nodes": True}), ("zone", {"node_selector": zone}))
    ]  # fmt: skip


def pod(draw: Random, name: str, templates: int = len(TEMPLATES)) -> Pod:
    drawn = draw.random()
    if drawn < 0.12:
        container = Container("main", requests={EXTENDED: draw.randrange(1, 3), "cpu": 100})
        return make_pod(name, containers=(container,))
    entries = [PodResourceClaim("own", template_name=f"t{draw.randrange(templates)}")]
    if drawn < 0.3:
        entries.append(PodResourceClaim("shared", claim_name=f"c{draw.randrange(3)}"))
    if drawn > 0.9:
        entries = []
    return make_pod(name, cpu="100m", resource_claims=tuple(entries), termination_grace_period_seconds=1)


def named_claim(draw: Random, number: int) -> ResourceClaim:
    return ResourceClaim(name=f"c{number}", uid=f"c{number}-{draw.random()}", spec=draw.choice(SPECS))


def history(seed: int, *, n_nodes: int = 5, n_entries: int = 70, version: str = "1.36", **policies: Any) -> RunInputs:
    """The inputs: every kind of change that devices know, over twenty seconds."""
    draw = Random(seed)
    nodes = [make_node(f"n{i}", labels={"zone": "ab"[i % 2]}) for i in range(n_nodes)]
    slices = [one for node in nodes[: draw.choice((2, n_nodes))] for one in pool_of(draw, node.name)]
    slices += network_pools(draw)
    entries = [_entry(draw, i, nodes) for i in range(n_entries)]
    objects = ClusterObjects(
        nodes=nodes, resource_slices=slices, device_classes=CLASSES, resource_claim_templates=TEMPLATES,
        resource_claims=[named_claim(draw, i) for i in range(3)], pods=[pod(draw, f"start-{i}") for i in range(4)],
    )  # fmt: skip
    return RunInputs(
        objects=objects,
        schedule="timeline",
        timeline=Timeline.of(entries),
        policies=Policies(kubernetes=version, **policies),
        seed=seed,
    )


def _entry(draw: Random, i: int, nodes: list[Any]) -> TimelineEntry:
    at, kind = draw.randrange(20 * SECOND), draw.random()
    if kind < 0.6:
        return TimelineEntry(at, "put", pod(draw, f"pod-{i}"))
    if kind < 0.8:
        return TimelineEntry(at, "delete", make_pod(f"pod-{draw.randrange(i + 1)}"))
    if kind < 0.85:
        return TimelineEntry(at, draw.choice(("put", "delete")), named_claim(draw, draw.randrange(3)))
    if kind < 0.95:
        node = draw.choice(nodes).name
        return TimelineEntry(
            at, draw.choice(("put", "put", "delete")), draw.choice(pool_of(draw, node, draw.choice((1, 1, 2))))
        )
    node = draw.choice(nodes)
    labelled = msgspec.structs.replace(node, labels={"zone": draw.choice("ab")})
    return TimelineEntry(at, draw.choice(("put", "put", "delete")), labelled)
