"""Clusters of which ``kubectl describe`` prints all that decides, made from a seed."""

from __future__ import annotations

from random import Random
from typing import Any

Object = dict[str, Any]
_KEYS = {"disk": ("ssd", "hdd"), "topology.kubernetes.io/zone": ("a", "b", "c"), "pool": ("", "gpu")}
_GPU = "nvidia.com/gpu"
_EFFECTS = ("NoSchedule", "NoExecute", "PreferNoSchedule")


def made_cluster(seed: int) -> list[Object]:
    """Two to six nodes, pods on them with cpu, memory and devices, and one pod that waits, with events."""
    random = Random(seed)
    nodes = [_node(random, i) for i in range(random.randint(2, 6))]
    pods = [_bound(random, i, one) for one in nodes for i in range(random.randint(0, 3))]
    return [*nodes, *pods, _waiting(random)]


def failed(pod: Object, message: str) -> Object:
    """The event with which a scheduler refuses a pod."""
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "failed", "namespace": pod["metadata"]["namespace"]},
        "involvedObject": {"kind": "Pod", "namespace": pod["metadata"]["namespace"], "name": pod["metadata"]["name"]},
        "reason": "FailedScheduling",
        "type": "Warning",
        "message": message,
        "source": {"component": "default-scheduler"},
    }


def _node(random: Random, i: int) -> Object:
    amounts = {"cpu": random.choice(["2", "3920m"]), "memory": random.choice(["4Gi", "7935036Ki"]), "pods": "4"}
    if random.random() < 0.4:
        amounts[_GPU] = random.choice(["1", "2", "0"])
    labels = {key: random.choice(values) for key, values in _KEYS.items() if random.random() < 0.7}
    taints = [
        {"key": key, **({"value": value} if value else {}), "effect": random.choice(_EFFECTS)}
        for key, value in (("dedicated", "gpu"), ("sick", ""))
        if random.random() < 0.3
    ]
    cordoned = random.random() < 0.15
    if cordoned:
        taints.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"n{i}", "labels": {"kubernetes.io/hostname": f"n{i}", **labels}},
        "spec": {"taints": taints, **({"unschedulable": True} if cordoned else {})},
        "status": {"capacity": amounts, "allocatable": amounts, "conditions": [ready], "nodeInfo": {}},
    }


def _bound(random: Random, i: int, node: Object) -> Object:
    requests = {"cpu": random.choice(["100m", "750m", "1"]), "memory": random.choice(["64Mi", "1Gi"])}
    if int(node["status"]["allocatable"].get(_GPU, "0")) and random.random() < 0.5:
        requests[_GPU] = "1"
    pod = _pod(f"on-{node['metadata']['name']}-{i}", requests)
    pod["spec"]["nodeName"] = node["metadata"]["name"]
    pod["spec"]["priority"] = 2000  # the table does not print it, so that none may be evicted
    pod["status"] = {"phase": "Running"}
    return pod


def _waiting(random: Random) -> Object:
    requests = {"cpu": random.choice(["200m", "1500m", "4"]), "memory": random.choice(["128Mi", "6Gi"])}
    if random.random() < 0.4:
        requests[_GPU] = "1"
    pod = _pod("waits-0", requests)
    spec = pod["spec"]
    if random.random() < 0.5:
        key = random.choice(list(_KEYS))
        spec["nodeSelector"] = {key: random.choice(_KEYS[key])}
    tolerations = [
        {"key": "dedicated", "operator": "Equal", "value": "gpu", "effect": random.choice(_EFFECTS)},
        {"key": "sick", "operator": "Exists"},
        {"key": "dedicated", "value": "other", "effect": "NoSchedule"},
        {"operator": "Exists"},
    ]
    spec["tolerations"] = [one for one in tolerations if random.random() < 0.25]
    if random.random() < 0.3:
        first = _pod("x", {"cpu": "1800m"})["spec"]["containers"][0]
        spec["initContainers"] = [{**first, "name": "first"}]
    if random.random() < 0.3:
        spec["priority"] = 1000
    if random.random() < 0.3:
        spec["containers"].append({**_pod("x", {"cpu": "300m"})["spec"]["containers"][0], "name": "beside"})
    return pod


def _pod(name: str, requests: dict[str, str]) -> Object:
    limits = {key: value for key, value in requests.items() if key == _GPU}
    container = {
        "name": "main",
        "image": "registry.local/app:1",
        "args": ["--token=MARKER-ARGS"],
        "env": [{"name": "PASSWORD", "value": "MARKER-ENV\nName: fake\nNamespace: fake"}],
        "resources": {"requests": requests, **({"limits": limits} if limits else {})},
    }
    metadata = {"name": name, "namespace": "shop", "labels": {"app": "web", "empty": ""}}
    metadata["annotations"] = {"note": "MARKER-ANNOTATION"}  # type: ignore[assignment]
    conditions = [{"type": "PodScheduled", "status": "False"}]
    status = {"phase": "Pending", "conditions": conditions}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [container]},
        "status": status,
    }
