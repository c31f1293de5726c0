"""A cluster on which pods wait for many reasons at once, drawn from a seed: for figures of answers.

Nodes have zones, racks, pools, taints, conditions, cordons, few of them a device; each holds pods of many sizes. Pods
that wait select, tolerate, spread, keep apart, want ports and volumes, and ask for more than most nodes have free.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import msgspec

from scheduler_core.manifests import load_cluster
from scheduler_core.manifests.model import ManifestSource
from scheduler_core.simulate import RunInputs

if TYPE_CHECKING:
    from collections.abc import Iterator

ZONE, HOSTNAME, GPU = "topology.kubernetes.io/zone", "kubernetes.io/hostname", "example.com/gpu"
Manifest = dict[str, Any]
_TAINTS = ("dedicated", "batch", "gpu", "node.kubernetes.io/disk-pressure", "node-role.kubernetes.io/control-plane")


def pending_mix(n_nodes: int, n_pods: int, seed: int = 7) -> RunInputs:
    """The inputs: nodes with their pods, and ``n_pods`` named wait-0 and on that have none."""
    random = Random(seed)
    items = [*_nodes(random, n_nodes), *_placed(random, n_nodes), *(_waiting(random, i) for i in range(n_pods))]
    items += [_claim(zone) for zone in "abc"] + [_volume(zone) for zone in "abc"]
    text = msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": items})
    return RunInputs(objects=load_cluster([ManifestSource("mix.json", text)]).objects, seed=seed)


def _nodes(random: Random, n_nodes: int) -> Iterator[Manifest]:
    for i in range(n_nodes):
        labels = {HOSTNAME: f"n{i}", ZONE: "abc"[i % 3], "pool": f"pool-{i % 8}", "rack": f"rack-{i // 20}"}
        amounts = {"cpu": str(random.choice((8, 16, 32))), "memory": "64Gi", "pods": "110"}
        if not i % 10:
            amounts[GPU] = "8"
        keys = random.sample(_TAINTS, random.choice((0, 0, 0, 1, 1, 2)))
        spec: Manifest = {"taints": [{"key": key, "value": "", "effect": "NoSchedule"} for key in keys]}
        if random.random() < 0.1:
            spec["unschedulable"] = True
        yield {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"n{i}", "labels": labels},
            "spec": spec,
            "status": {"capacity": amounts, "allocatable": amounts},
        }


def _placed(random: Random, n_nodes: int) -> Iterator[Manifest]:
    for i in range(n_nodes * 6):
        asked = {"cpu": f"{random.randrange(1, 4) * 500}m", "memory": f"{random.randrange(1, 6)}Gi"}
        ports = [{"containerPort": 80, "hostPort": 8080}] if random.random() < 0.1 else []
        pod = _pod(f"old-{i}", {"app": f"app-{i % 12}"}, asked, ports)
        pod["spec"]["nodeName"] = f"n{i % n_nodes}"
        if random.random() < 0.2:
            pod["spec"]["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
        yield pod


def _waiting(random: Random, i: int) -> Manifest:
    asked = {"cpu": str(random.choice((1, 4, 20, 40))), "memory": f"{random.choice((1, 16, 80))}Gi"}
    if random.random() < 0.2:
        asked[GPU] = str(random.choice((1, 16)))
    ports = [{"containerPort": 80, "hostPort": 8080}] if random.random() < 0.3 else []
    labels = {"app": f"app-{i % 12}"}
    pod = _pod(f"wait-{i}", labels, asked, ports)
    spec = pod["spec"]
    if random.random() < 0.6:
        spec["nodeSelector"] = {"pool": random.choice(("pool-1", "pool-2", "pol-3", "none"))}
    if random.random() < 0.3:
        spec["tolerations"] = [{"key": "batch", "operator": "Exists", "effect": "PreferNoSchedule"}]
    if random.random() < 0.4:
        key = random.choice((ZONE, HOSTNAME, "rack", "missing"))
        constraint = {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule"}
        spec["topologySpreadConstraints"] = [{**constraint, "labelSelector": {"matchLabels": labels}}]
    if random.random() < 0.4:
        kind = random.choice(("podAffinity", "podAntiAffinity"))
        selector = {"matchLabels": {"app": f"app-{i % 5}"}}
        term = {"topologyKey": random.choice((ZONE, HOSTNAME)), "labelSelector": selector}
        spec["affinity"] = {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    if random.random() < 0.2:
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": f"data-{random.choice('abc')}"}}]
    return pod


def _pod(name: str, labels: Manifest, requests: Manifest, ports: list[Manifest]) -> Manifest:
    limits = {name: value for name, value in requests.items() if "/" in name}
    resources = {"requests": requests, "limits": limits}
    container = {"name": "main", "image": "app", "resources": resources, "ports": ports}
    metadata = {"name": name, "namespace": "default", "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}


def _claim(zone: str) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": f"data-{zone}",
            "namespace": "default",
            "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "volumeName": f"pv-{zone}",
            "storageClassName": "",
            "resources": {"requests": {"storage": "1Gi"}},
        },
        "status": {"phase": "Bound"},
    }


def _volume(zone: str) -> Manifest:
    terms = [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"pv-{zone}"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1Gi"},
            "storageClassName": "",
            "claimRef": {"namespace": "default", "name": f"data-{zone}"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
            "hostPath": {"path": "/data"},
        },
        "status": {"phase": "Bound"},
    }
