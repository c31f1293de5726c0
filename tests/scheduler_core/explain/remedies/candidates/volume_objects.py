"""Volumes, claims and pods that use them, and the remedies that the engine verified, for tests of both."""

from __future__ import annotations

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import (
    ClusterObjects,
    PersistentVolume,
    PersistentVolumeClaim,
    Volume,
)
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_pod
from tests.scheduler_core.crowded import pod_of, recorded

ZONE = "topology.kubernetes.io/zone"
BOUND = {"pv.kubernetes.io/bind-completed": "yes"}
DRIVER = "csi.example.com"


def claim(name="data", volume="", **fields):
    fields.setdefault("annotations", BOUND if volume else {})
    fields.setdefault("access_modes", ("ReadWriteOnce",))
    return PersistentVolumeClaim(name=name, volume_name=volume, requested_bytes=1 << 30, **fields)


def disk(name, zone="a", labels=None):
    return PersistentVolume(
        name=name,
        labels=labels or {},
        capacity_bytes=1 << 30,
        node_affinity=NodeSelector((NodeSelectorTerm((Requirement(ZONE, "In", (zone,)),)),)) if zone else None,
        access_modes=("ReadWriteOnce",),
        phase="Bound",
        source="csi",
        attributes={"driver": DRIVER, "volumeHandle": name},
    )


def using(*claims, name="p", **fields):
    volumes = tuple(Volume(name=f"v{i}", claim_name=one) for i, one in enumerate(claims))
    return make_pod(name, volumes=volumes, **fields)


def verified(nodes, pods, **objects):
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods, **objects))
    reader = recorded(inputs)
    trials, key = at_cycle(reader, inputs, 1), pod_of(reader, 1)
    assert not trials.attempt(key).is_scheduled
    return {(one.code, one.edits[0].subject): one for one in remedies(trials, key).verified}
