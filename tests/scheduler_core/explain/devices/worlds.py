"""Worlds of devices for tests: the demo scene at a cycle, and clusters in a few lines."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import yaml

from scheduler_core.api.devices import (
    Allocation,
    ClaimSpec,
    Device,
    DeviceClass,
    DeviceConstraint,
    DeviceRequest,
    DeviceResult,
    ResourceSlice,
)
from scheduler_core.api.objects import Consumer, Node, OwnerReference, Pod, PodResourceClaim, ResourceClaim
from scheduler_core.explain.devices import DeviceWorld
from scheduler_core.explain.sessions import at_cycle, at_seq
from scheduler_core.manifests import load_manifests
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import Policies, RunInputs, RunSession, timeline_from_raw
from scheduler_core.versions.semantics import behaviours_of

DRIVER, CLASS = "gpu.example.com", "gpu.example.com"
NUMA = f"{DRIVER}/numa"


@cache
def scene():
    """(recording, inputs) of the demo of devices."""
    folder = files("scheduler_core.workloads") / "scenarios"
    objects = list(yaml.safe_load_all((folder / "devices-cluster.yaml").read_text()))
    timeline = timeline_from_raw(yaml.safe_load((folder / "devices-timeline.yaml").read_text()), objects)
    loaded = load_manifests(objects, source="scene", is_whole=True)
    inputs = RunInputs(objects=loaded.objects, timeline=timeline, policies=Policies(kubernetes="1.36"), seed=7)
    session = RunSession.start(inputs)
    store, is_over = MemoryStore(session.initial_keyframe()), False
    while not is_over:
        is_over = session.advance(max_cycles=100)
        store.add(session.cut_chunk())
    return RecordingReader(store), inputs


@cache
def scene_at(cycle):
    """The world that a cycle of the scene found."""
    return DeviceWorld.of_simulation(at_cycle(*scene(), cycle).simulation)


@cache
def scene_end():
    """The world after the last event of the scene."""
    reader, inputs = scene()
    return DeviceWorld.of_simulation(at_seq(reader, inputs, reader.head_seq()).simulation)


def claim_named(world, pod):
    """The claim that was made for a pod of the scene."""
    return next(one for key, one in world.claims.items() if key.startswith(f"ml/{pod}-devices-"))


def gpu(n, numa=0, **fields):
    return Device(name=f"gpu-{n}", attributes={"numa": numa, "model": "A80"}, **fields)


def pool_slice(node, devices, **fields):
    """A slice of the node's own pool."""
    return ResourceSlice(
        **{"name": f"{node}-s", "driver": DRIVER, "pool": node, "node_name": node, "devices": tuple(devices)} | fields
    )


def claim(name, count=1, held=(), node="", pods=(), owner="", **fields):
    """A claim for GPUs; ``held`` are names of devices of the node's pool, ``pods`` those that reserve it."""
    constraints = (DeviceConstraint(match_attribute=NUMA),) if fields.pop("is_matched", False) else ()
    requests = fields.pop("requests", (DeviceRequest(name="gpus", class_name=CLASS, count=count),))
    results = tuple(DeviceResult(request="gpus", driver=DRIVER, pool=node, device=one) for one in held)
    owners = (OwnerReference("Pod", owner, f"u-{owner}", controller=True),) if owner else ()
    return ResourceClaim(
        name=name,
        namespace="ml",
        uid=name,
        spec=ClaimSpec(requests, constraints),
        allocation=Allocation(results) if held else None,
        reserved_for=tuple(Consumer(pod, f"u-{pod}") for pod in pods),
        owner_references=owners,
        **fields,
    )


def pod(name, *claims, node="", **fields):
    entries = tuple(PodResourceClaim(f"e{i}", claim_name=one) for i, one in enumerate(claims))
    return Pod(name=name, namespace="ml", uid=f"u-{name}", resource_claims=entries, node_name=node, **fields)


def world(slices, claims=(), pods=(), version="1.36", classes=(CLASS,), nodes=()):
    """A world with the nodes that slices name, and others."""
    names = dict.fromkeys([*(one.node_name for one in slices if one.node_name), *nodes])
    selectors = (f'device.driver == "{DRIVER}"',)
    return DeviceWorld(
        [Node(name=name) for name in names],
        slices,
        {name: DeviceClass(name=name, selectors=selectors) for name in classes},
        {one.key: one for one in claims},
        {one.key: one for one in pods},
        behaviours_of(version),
    )
