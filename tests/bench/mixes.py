"""A cluster with pods of many templates in ten kinds, which between them keep every default filter and score busy.

Nodes have a hostname, one of three zones, a rack of 20 nodes and one of eight pools, two of which are tainted. Pods
that are there at the start are of all templates too, spread over the nodes by a seed.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

import msgspec

from scheduler_core.api.objects import ClusterObjects, Node, Pod
from scheduler_core.manifests import load_manifests

Manifest = dict[str, Any]
ZONE, HOSTNAME, RACK, POOL = "topology.kubernetes.io/zone", "kubernetes.io/hostname", "example.com/rack", "pool"
NODES_PER_RACK, POOLS, ZONES = 20, 8, 3
NAMESPACE = "team"
START = 1_735_689_600.0
SEED = 7
_REQUIRED, _PREFERRED = (f"{how}DuringSchedulingIgnoredDuringExecution" for how in ("required", "preferred"))


class Mix(NamedTuple):
    """How many templates, how many pods on each node at the start, how many pods of a template in a row."""

    templates: int = 20
    pods_per_node: int = 10
    burst: int = 1


def objects_of_mix(mix: Mix, n_nodes: int, n_measured: int) -> ClusterObjects:
    """Nodes, services, pods that are bound and pods to be scheduled."""
    services = [_service(i) for i in range(mix.templates) if i % 10 in (0, 1)]
    result = load_manifests([_namespace(), *services, *map(_template, range(mix.templates))])
    if result.errors:
        raise ValueError(result.errors[0].text())
    objects, random = result.objects, Random(SEED)
    templates = sorted(objects.pods, key=lambda pod: int(pod.name.removeprefix("t-")))
    objects.nodes = _nodes(n_nodes)
    objects.pods = [
        _renamed(random.choice(templates), f"old-{i}", node_name=f"node-{i % n_nodes:05d}", start_time=START + i)
        for i in range(mix.pods_per_node * n_nodes)
    ]
    objects.pods += [
        _renamed(templates[i // mix.burst % mix.templates], f"measured-{i:06d}") for i in range(n_measured)
    ]
    return objects


def _renamed(pod: Pod, name: str, **facts: Any) -> Pod:
    return msgspec.structs.replace(pod, name=name, uid=name, **facts)


def _namespace() -> Manifest:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}


def _service(i: int) -> Manifest:
    """Makes its pods spread softly by default."""
    metadata = {"name": f"app-{i}", "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"selector": {"app": f"app-{i}"}}}


def _nodes(n: int) -> list[Node]:
    """Parsed once, then told apart by name and labels."""
    amounts = {"cpu": "16", "memory": "64Gi", "pods": "110"}
    taints = {6: "PreferNoSchedule", 7: "NoSchedule"}
    examples = []
    for pool in range(POOLS):
        spec = {"taints": [{"key": "dedicated", "value": "batch", "effect": taints[pool]}]} if pool in taints else {}
        status = {"capacity": amounts, "allocatable": amounts}
        examples.append(
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n-{pool}"}, "spec": spec, "status": status}
        )
    parsed = {node.name: node for node in load_manifests(examples).objects.nodes}
    return [_node(parsed[f"n-{i % POOLS}"], i) for i in range(n)]


def _node(example: Node, i: int) -> Node:
    name = f"node-{i:05d}"
    labels = {HOSTNAME: name, ZONE: f"zone-{i % ZONES}", RACK: f"rack-{i // NODES_PER_RACK}", POOL: f"pool-{i % POOLS}"}
    return msgspec.structs.replace(example, name=name, labels=labels)


# --- templates -------------------------------------------------------------------------------------------------------
def _template(i: int) -> Manifest:
    """The i-th template; its kind is i modulo 10, and all differ in size and label."""
    requests = {} if i % 10 == 8 else {"cpu": f"{50 + 10 * (i % 20)}m", "memory": f"{100 + 20 * (i % 50)}Mi"}
    container: Manifest = {"name": "c", "image": "registry.k8s.io/pause:3.10", "resources": {"requests": requests}}
    if i % 10 == 9:
        container["ports"] = [{"containerPort": 80, "hostPort": 8000 + i}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"t-{i}", "namespace": NAMESPACE, "labels": {"app": f"app-{i}"}},
        "spec": {"containers": [container], **_constraints(i)},
    }


def _constraints(i: int) -> Manifest:
    """0, 1 and 8, 9 have none of their own (a service, nothing at all, a host port)."""
    kind = i % 10
    if kind == 2:
        return _pools(i)
    if kind == 3:
        return {"topologySpreadConstraints": [_spread(i, ZONE, 1)]}
    if kind == 4:
        return {"topologySpreadConstraints": [_spread(i, ZONE, 2), _spread(i, RACK, 2)]}
    if kind == 5:
        return {
            "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [_term(i, HOSTNAME)]}}
        }
    if kind == 6:
        toward = [{"weight": 20, "podAffinityTerm": _term(i - 1, ZONE)}]
        apart = [{"weight": 80, "podAffinityTerm": _term(i, HOSTNAME)}]
        return {"affinity": {"podAffinity": {_PREFERRED: toward}, "podAntiAffinity": {_PREFERRED: apart}}}
    if kind == 7:
        return {"affinity": {"podAffinity": {_REQUIRED: [_term(i, ZONE)]}}}
    return {}


def _pools(i: int) -> Manifest:
    """Only on tainted pools, rather in one zone."""
    zone = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": [f"zone-{i % ZONES}"]}]}
    pools = {"matchExpressions": [{"key": POOL, "operator": "In", "values": ["pool-5", "pool-6", "pool-7"]}]}
    return {
        "tolerations": [{"key": "dedicated", "operator": "Exists"}],
        "affinity": {
            "nodeAffinity": {
                _REQUIRED: {"nodeSelectorTerms": [pools]},
                _PREFERRED: [{"weight": 10, "preference": zone}],
            }
        },
    }


def _spread(i: int, key: str, skew: int) -> Manifest:
    return {"topologyKey": key, "maxSkew": skew, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": _selector(i)}


def _term(i: int, key: str) -> Manifest:
    return {"topologyKey": key, "labelSelector": _selector(i)}


def _selector(i: int) -> Manifest:
    return {"matchLabels": {"app": f"app-{i}"}}
