"""A cluster with pods of many templates in ten kinds, which between them keep every default filter and score busy.

Nodes have a hostname, one of three zones, a rack of 20 nodes and one of eight pools, two of which are tainted. Pods
that are there at the start are of all templates too, spread over the nodes by a seed.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from tests.bench.blueprints import Blueprint, Manifest, PodPlan, namespace, node, node_name

ZONE, HOSTNAME, RACK, POOL = "topology.kubernetes.io/zone", "kubernetes.io/hostname", "example.com/rack", "pool"
NODES_PER_RACK, POOLS, ZONES = 20, 8, 3
AMOUNTS = {"cpu": "16", "memory": "64Gi", "pods": "110"}
TAINTED = {6: "PreferNoSchedule", 7: "NoSchedule"}
NAMESPACE = "team"
SEED = 7
_REQUIRED, _PREFERRED = (f"{how}DuringSchedulingIgnoredDuringExecution" for how in ("required", "preferred"))


class Mix(NamedTuple):
    """How many templates, how many pods on each node at the start, how many pods of a template in a row."""

    templates: int = 20
    pods_per_node: int = 10
    burst: int = 1


def blueprint_of_mix(mix: Mix, n_nodes: int, n_measured: int) -> Blueprint:
    """Nodes, services, pods that are bound and pods to be scheduled."""
    random, n_bound = Random(SEED), mix.pods_per_node * n_nodes
    pods = [PodPlan(random.randrange(mix.templates), f"old-{i}", node_name(i % n_nodes)) for i in range(n_bound)]
    pods += [PodPlan(i // mix.burst % mix.templates, f"measured-{i:06d}") for i in range(n_measured)]
    services = [_service(i) for i in range(mix.templates) if i % 10 in (0, 1)]
    others = [namespace(NAMESPACE), *services, *map(_node, range(n_nodes))]
    return Blueprint(others, [_template(i) for i in range(mix.templates)], pods)


def _service(i: int) -> Manifest:
    """Makes its pods spread softly by default."""
    metadata = {"name": f"app-{i}", "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"selector": {"app": f"app-{i}"}}}


def _node(i: int) -> Manifest:
    pool = i % POOLS
    labels = {
        HOSTNAME: node_name(i),
        ZONE: f"zone-{i % ZONES}",
        RACK: f"rack-{i // NODES_PER_RACK}",
        POOL: f"pool-{pool}",
    }
    if pool not in TAINTED:
        return node(i, labels, AMOUNTS)
    return node(i, labels, AMOUNTS, taints=[{"key": "dedicated", "value": "batch", "effect": TAINTED[pool]}])


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
