"""Small generated clusters whose decisions depend on the version, and recordings of their runs."""

from __future__ import annotations

import random
from typing import Any

from scheduler_core.manifests import load_manifests
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import Policies, RunInputs, RunSession

SIZES = (("4", "8Gi"), ("8", "16Gi"), ("4", "32Gi"), ("16", "32Gi"))


def node(name: str, cpu: str = "4", memory: str = "8Gi", **more: Any) -> dict[str, Any]:
    status = {"allocatable": {"cpu": cpu, "memory": memory, "pods": "30"}, **more.pop("status", {})}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status, **more}


def pod(name: str, cpu: str, memory: str, **spec: Any) -> dict[str, Any]:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu, "memory": memory}}}
    metadata = {"name": name, "namespace": "shop", "labels": {"app": name.partition("-")[0]}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], **spec}}


def generated(seed: int) -> RunInputs:
    """Nodes of several shapes, some tainted, and pods of several sizes and priorities, too many for them."""
    chance = random.Random(seed)
    objects = []
    for number in range(6):
        tainted = {"spec": {"taints": [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]}}
        objects.append(node(f"n{number}", *chance.choice(SIZES), **(tainted if number % 5 == 4 else {})))
    for number in range(36):
        cpu, memory = chance.choice(("250m", "1", "2")), chance.choice(("256Mi", "2Gi", "6Gi"))
        volumes = [{"name": "v", "image": {"reference": "model:1"}}] if chance.random() < 0.2 else []
        objects.append(pod(f"p-{number}", cpu, memory, priority=chance.choice((0, 0, 100)), volumes=volumes))
    objects[0]["status"]["images"] = [{"names": ["model:1"], "sizeBytes": 900 << 20}]
    return inputs_of(objects, seed)


def inputs_of(objects: list[dict[str, Any]], seed: int = 0) -> RunInputs:
    result = load_manifests(objects)
    assert not result.errors
    return RunInputs(objects=result.objects, seed=seed, policies=Policies(draw="smallest"))


def recorded(inputs: RunInputs) -> RecordingReader:
    session = RunSession.start(inputs)
    store = MemoryStore(session.initial_keyframe())
    is_over = False
    while not is_over:
        is_over = session.advance(max_cycles=50)
        store.add(session.cut_chunk())
    return RecordingReader(store)
