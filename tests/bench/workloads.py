"""What is measured: the nine workloads of the reference's throughput recording, and mixes of templates.

Nodes: cpu 4, memory 32Gi, 110 pods, hostname and one of three zones. Pods ask 100m cpu and 500Mi unless said otherwise.
Initial pods are bound round robin; measured pods are alike and all in the queue from the start.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from scheduler_core.simulate import Policies
from tests.bench.blueprints import Blueprint, Manifest, PodPlan, namespace, node, node_name
from tests.bench.device_load import CLAIMS, COUNTED, SERVED, blueprint_of_devices
from tests.bench.mixes import HOSTNAME, ZONE, ZONES, Mix, blueprint_of_mix

if TYPE_CHECKING:
    from collections.abc import Callable

    from scheduler_core.api.objects import ClusterObjects

NAMESPACES = ["sched-0", "sched-1"]
AMOUNTS = {"cpu": "4", "memory": "32Gi", "pods": "110"}


class Workload(NamedTuple):
    """Kinds of initial pods with their numbers, the kind measured, how many pods; or a mix of templates."""

    initial: tuple[tuple[str, int], ...]
    measured: str
    cycles: int
    policies: Policies = Policies()
    mix: Mix | None = None
    sizes: int = 0
    """How many pods in a row are of one of 20 kinds that differ little but in size; 0: all are of the kind measured."""
    devices: str = ""
    """How pods ask for devices (device_load.py); "": they ask for none."""
    nodes: int = 5_000


def _pod(labels: Manifest | None = None, cpu: str = "100m", memory: str = "500Mi", **spec: Any) -> Manifest:
    resources = {"requests": {"cpu": cpu, "memory": memory}}
    container = {
        "name": "c",
        "image": "registry.k8s.io/pause:3.10",
        "resources": resources,
        "ports": [{"containerPort": 80}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "pod", "labels": labels or {}},
        "spec": {"containers": [container], **spec},
    }


def _spread(key: str, skew: int, when: str, color: str = "blue") -> Manifest:
    selector = {"matchLabels": {"color": color}}
    return {"topologyKey": key, "maxSkew": skew, "whenUnsatisfiable": when, "labelSelector": selector}


def _term(key: str, color: str) -> Manifest:
    return {"topologyKey": key, "labelSelector": {"matchLabels": {"color": color}}, "namespaces": NAMESPACES}


def _anti(color: str, *, required: bool) -> Manifest:
    term = _term(HOSTNAME, color)
    if required:
        return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    weighted = {"weight": 1, "podAffinityTerm": term}
    return {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [weighted]}}


def _zone_preference() -> Manifest:
    expressions = [{"key": ZONE, "operator": "In", "values": ["zone-0"]}]
    preferred = {"weight": 1, "preference": {"matchExpressions": expressions}}
    return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [preferred]}}


KINDS: dict[str, Callable[[], Manifest]] = {
    "default": _pod,
    "spread-hard": lambda: _pod(
        {"color": "blue"},
        topologySpreadConstraints=[_spread(ZONE, 1, "DoNotSchedule"), _spread(HOSTNAME, 1, "DoNotSchedule")],
    ),
    "spread-soft": lambda: _pod(
        {"color": "blue"},
        topologySpreadConstraints=[_spread(ZONE, 5, "ScheduleAnyway"), _spread(HOSTNAME, 1, "ScheduleAnyway")],
    ),
    "preferred-anti": lambda: _pod({"color": "yellow"}, affinity=_anti("yellow", required=False)),
    "required-anti": lambda: _pod({"color": "green"}, affinity=_anti("green", required=True)),
    "required-aff": lambda: _pod(
        {"color": "red"},
        affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [_term(ZONE, "red")]}},
    ),
    "preferred-node": lambda: _pod(affinity=_zone_preference()),
    "low": lambda: _pod(cpu="900m", priority=0),
    "high": lambda: _pod(cpu="3", priority=10),
}


def _size(i: int) -> Manifest:
    """One of 20 kinds: every fourth spreads softly, every fourth prefers a zone, all differ in size."""
    spec: Manifest = {}
    if i % 4 == 0:
        selector = {"matchLabels": {"app": f"app-{i}"}}
        spec["topologySpreadConstraints"] = [{**_spread(ZONE, 5, "ScheduleAnyway"), "labelSelector": selector}]
    elif i % 4 == 1:
        spec["affinity"] = _zone_preference()
    return _pod({"app": f"app-{i}"}, cpu=f"{50 + 10 * i}m", memory=f"{100 + 20 * i}Mi", **spec)


KINDS |= {f"size-{i}": partial(_size, i) for i in range(20)}
_MIXED = tuple(
    (kind, 1000) for kind in ("default", "required-aff", "required-anti", "preferred-anti", "preferred-node")
)
AT_ONCE = Policies(victims="at_once", attempt_order="listed")
"""As the reference was measured: victims leave without a grace period, and the pod is tried again at once."""
WITH_DEVICES = Policies(kubernetes="1.36")
WORKLOADS = {
    "basic": Workload((("default", 1000),), "default", 10_000),
    "spread-hard": Workload((("default", 1000),), "spread-hard", 3_000),
    "spread-soft": Workload((("default", 1000),), "spread-soft", 3_000),
    "preferred-anti-affinity": Workload((("preferred-anti", 1000),), "preferred-anti", 2_000),
    "required-anti-affinity": Workload((("required-anti", 1000),), "required-anti", 2_000),
    "required-affinity": Workload((("required-aff", 1000),), "required-aff", 2_000),
    "preferred-node-affinity": Workload((("default", 1000),), "preferred-node", 5_000),
    "mixed": Workload(_MIXED, "default", 2_000),
    "preemption": Workload((("low", 20_000),), "high", 1_000, policies=AT_ONCE),
    "preemption-grace": Workload((("low", 20_000),), "high", 1_000),
    "mix": Workload((), "", 5_000, mix=Mix()),
    "burst": Workload((), "", 5_000, mix=Mix(burst=100)),
    "mix-sizes": Workload((("default", 1000),), "", 5_000, sizes=1),
    "burst-sizes": Workload((("default", 1000),), "", 5_000, sizes=100),
    "devices": Workload((), "", 5_000, policies=WITH_DEVICES, devices=CLAIMS, nodes=1_000),
    "devices-counted": Workload((), "", 5_000, policies=WITH_DEVICES, devices=COUNTED, nodes=1_000),
    "devices-served": Workload((), "", 5_000, policies=WITH_DEVICES, devices=SERVED, nodes=1_000),
}


def blueprint_of(workload: Workload, n_nodes: int, n_measured: int) -> Blueprint:
    """The cluster of a workload, to be made as objects or as manifests."""
    if workload.devices:
        return blueprint_of_devices(workload.devices, n_nodes, n_measured)
    if workload.mix is not None:
        return blueprint_of_mix(workload.mix, n_nodes, n_measured)
    initial = [(kind, i) for kind, count in workload.initial for i in range(count)]
    measured = [f"size-{i}" for i in range(20)] if workload.sizes else [workload.measured]
    kinds = [kind for kind, _ in workload.initial]
    templates = [_named(kind, NAMESPACES[0]) for kind in kinds] + [_named(kind, NAMESPACES[1]) for kind in measured]
    pods = [PodPlan(kinds.index(kind), f"{kind}-{i}", node_name(i % n_nodes)) for kind, i in initial]
    pods += [
        PodPlan(len(kinds) + i // (workload.sizes or 1) % len(measured), f"measured-{i:06d}") for i in range(n_measured)
    ]
    nodes = [node(i, {HOSTNAME: node_name(i), ZONE: f"zone-{i % ZONES}"}, AMOUNTS) for i in range(n_nodes)]
    return Blueprint([*map(namespace, NAMESPACES), *nodes], templates, pods)


def objects_of(workload: Workload, n_nodes: int, n_measured: int) -> ClusterObjects:
    """The cluster of a workload as parsed objects."""
    return blueprint_of(workload, n_nodes, n_measured).objects()


def manifests_of(workload: Workload, n_nodes: int, n_measured: int) -> list[Manifest]:
    """The cluster of a workload as manifests."""
    return blueprint_of(workload, n_nodes, n_measured).manifests()


def _named(kind: str, in_namespace: str) -> Manifest:
    manifest = KINDS[kind]()
    manifest["metadata"] |= {"name": kind, "namespace": in_namespace}
    return manifest
