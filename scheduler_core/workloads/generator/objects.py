"""Nodes, pods and what they need as manifests, from pools and workloads."""

from __future__ import annotations

import copy
from collections.abc import Iterable

from scheduler_core.api.quantity import format_quantity
from scheduler_core.workloads.generator.description import NodePool, PodVariant, Raw, WorkloadOfPods
from scheduler_core.workloads.generator.ready_lists import SizeList

IMAGE = "registry.k8s.io/pause:3.10"
POOL_LABEL = "node-pool"
APP_LABEL = "app"
INSTANCE_LABEL = "app.kubernetes.io/instance"
HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"


def node_name(pool: NodePool, index: int) -> str:
    """The name of the node of this index, from 0."""
    return f"{pool.name}-{index:0{len(str(max(0, pool.nodes - 1)))}d}"


def node_labels(pool: NodePool, index: int) -> dict[str, str]:
    """The labels of the node of this index."""
    labels = {HOSTNAME: node_name(pool, index), POOL_LABEL: pool.name}
    if pool.zones:
        labels[ZONE] = pool.zones[index % len(pool.zones)]
    return labels | pool.labels


def node(pool: NodePool, index: int) -> Raw:
    """The node of this index as a manifest."""
    spec: Raw = {}
    if pool.taints:
        spec["taints"] = copy.deepcopy(list(pool.taints))
    if pool.unschedulable:
        spec["unschedulable"] = True
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": node_name(pool, index), "labels": node_labels(pool, index)},
        **({"spec": spec} if spec else {}),
        "status": {"capacity": _texts(pool.resources), "allocatable": _texts(pool.allocatable)},
    }


def _texts(resources: dict[str, int]) -> dict[str, str]:
    return {name: format_quantity(name, value) for name, value in resources.items()}


def namespaces_and_priorities(workloads: Iterable[WorkloadOfPods]) -> list[Raw]:
    """The namespaces and priority classes of workloads, each once, in the order in which they are first used."""
    workloads = list(workloads)
    namespaces = dict.fromkeys(one.namespace for one in workloads if one.namespace != "default")
    classes = dict.fromkeys(
        (one.priority.name, one.priority.value, one.priority.preemption_policy)
        for one in workloads
        if one.priority is not None
    )
    return [
        *({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in namespaces),
        *(
            {
                "apiVersion": "scheduling.k8s.io/v1",
                "kind": "PriorityClass",
                "metadata": {"name": name},
                "value": value,
                **({"preemptionPolicy": policy} if policy != "PreemptLowerPriority" else {}),
            }
            for name, value, policy in classes
        ),
    ]


def pod_name(workload: WorkloadOfPods, index: int) -> str:
    """The name of the pod of this index, from 0."""
    return f"{workload.name}-{index:0{len(str(max(0, workload.pods - 1)))}d}"


def pod(workload: WorkloadOfPods, index: int, requests: dict[str, int], constraints: Raw) -> Raw:
    """The pod of this index as a manifest, which shares ``constraints``; requests in canonical integers."""
    texts = {name: format_quantity(name, value) for name, value in requests.items() if value}
    # What cannot be overcommitted is limited to what is requested.
    limits = {name: text for name, text in texts.items() if "/" in name or name.startswith("hugepages-")}
    resources: Raw = {"requests": texts, **({"limits": limits} if limits else {})}
    spec: Raw = {
        "containers": [{"name": "main", "image": IMAGE, **({"resources": resources} if texts else {})}],
        **constraints,
    }
    if workload.priority is not None:
        spec["priorityClassName"] = workload.priority.name
    name = pod_name(workload, index)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": workload.namespace, "labels": pod_labels(workload)},
        "spec": spec,
    }


def deployment_name(workload: WorkloadOfPods, unit: int) -> str:
    """The name of the Deployment of this index; that of the workload where it is the only one."""
    return workload.name if workload.units == 1 else f"{workload.name}-{unit:0{len(str(workload.units - 1))}d}"


def deployment(workload: WorkloadOfPods, unit: int, replicas: int, requests: dict[str, int], constraints: Raw) -> Raw:
    """The Deployment of this index as a manifest, its pods like ``pod``."""
    one, name = pod(workload, 0, requests, constraints), deployment_name(workload, unit)
    labels = pod_labels(workload) | {INSTANCE_LABEL: name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": workload.namespace, "labels": pod_labels(workload)},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {INSTANCE_LABEL: name}},
            "template": {"metadata": {"labels": labels}, "spec": one["spec"]},
        },
    }


def pod_labels(workload: WorkloadOfPods) -> dict[str, str]:
    """The labels of each pod of a workload."""
    return {APP_LABEL: workload.name} | workload.labels


def sample_pod(workload: WorkloadOfPods) -> Raw:
    """A pod that has each field which pods of the workload may have, with one unit of each resource."""
    names = workload.sizes.sizes[0].resources if isinstance(workload.sizes, SizeList) else workload.sizes
    selectors = {key: value for variant in workload.variants for key, value in variant.node_selector.items()}
    return pod(workload, 0, dict.fromkeys(names, 1), placement_fields(workload, PodVariant(1.0, selectors)))


def deletion(manifest: Raw) -> Raw:
    """What names the object in a timeline's entry that deletes it."""
    metadata = {key: manifest["metadata"][key] for key in ("name", "namespace") if key in manifest["metadata"]}
    return {"apiVersion": manifest["apiVersion"], "kind": manifest["kind"], "metadata": metadata}


def placement_fields(workload: WorkloadOfPods, variant: PodVariant | None) -> Raw:
    """The fields of a pod's spec that say where it may go; selectors that are left out select the workload's pods."""
    out: Raw = copy.deepcopy(workload.constraints)
    own = {"matchLabels": {APP_LABEL: pod_labels(workload)[APP_LABEL]}}
    if variant is not None and variant.node_selector:
        selector = out.get("nodeSelector")
        out["nodeSelector"] = (selector if isinstance(selector, dict) else {}) | variant.node_selector
    spread = out.get("topologySpreadConstraints")
    for constraint in spread if isinstance(spread, list) else []:
        if isinstance(constraint, dict):
            constraint.setdefault("labelSelector", own)
    if workload.apart_by:
        term = {"labelSelector": own, "topologyKey": workload.apart_by}
        terms = out
        for field in ("affinity", "podAntiAffinity"):
            terms = terms.setdefault(field, {})
            if not isinstance(terms, dict):
                return out  # wrong as written, which reading the sample says
        required = terms.setdefault("requiredDuringSchedulingIgnoredDuringExecution", [])
        if isinstance(required, list):
            required.append(term)
    return out
