"""Objects written as the manifests that they would be read from, so that a proof goes by way of the inputs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from scheduler_core.manifests import load_cluster
from scheduler_core.manifests.model import ManifestSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scheduler_core.api import objects as k8s

Manifest = dict[str, Any]


def reread(objects: k8s.ClusterObjects) -> k8s.ClusterObjects:
    """The objects as the loader reads them from their manifests. AssertionError where it finds an error in one."""
    text = msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": list(manifests(objects))})
    loaded = load_cluster([ManifestSource("cluster.json", text)])
    assert not [one for one in loaded.findings if one.severity == "error"], loaded.findings
    return loaded.objects


def manifests(objects: k8s.ClusterObjects) -> Iterator[Manifest]:
    """Every object of the kinds that generated clusters have."""
    yield from map(_namespace, objects.namespaces)
    yield from map(_storage_class, objects.storage_classes)
    yield from map(_node, objects.nodes)
    yield from map(_volume, objects.persistent_volumes)
    yield from map(_claim, objects.persistent_volume_claims)
    yield from map(_csi_node, objects.csi_nodes)
    yield from map(_service, objects.workload_selectors)
    yield from map(_budget, objects.pod_disruption_budgets)
    yield from map(_device_claim, objects.resource_claims)
    yield from map(_pod, objects.pods)


def _object(api: str, kind: str, meta: Manifest, **parts: Any) -> Manifest:
    return {"apiVersion": api, "kind": kind, "metadata": _set(meta), **_set(parts)}


def _set(fields: Manifest) -> Manifest:
    """The fields without those that are not set."""
    return {key: value for key, value in fields.items() if value not in (None, "", (), [], {})}


def _namespace(one: k8s.Namespace) -> Manifest:
    return _object("v1", "Namespace", {"name": one.name, "labels": dict(one.labels)})


def _storage_class(one: k8s.StorageClass) -> Manifest:
    mode = {"provisioner": one.provisioner, "volumeBindingMode": one.volume_binding_mode}
    return _object("storage.k8s.io/v1", "StorageClass", {"name": one.name}, **mode)


def _amounts(resources: k8s.Resources) -> dict[str, str]:
    return {name: f"{value}m" if name == "cpu" else str(value) for name, value in resources.items()}


def _node(one: k8s.Node) -> Manifest:
    meta = {"name": one.name, "uid": one.uid, "labels": dict(one.labels), "annotations": dict(one.annotations)}
    taints = [_set({"key": t.key, "value": t.value, "effect": t.effect}) for t in one.taints]
    images = [{"names": list(image.names), "sizeBytes": image.size_bytes} for image in one.images]
    status = {"allocatable": _amounts(one.allocatable), "capacity": _amounts(one.capacity), "images": images}
    spec = _set({"taints": taints, "unschedulable": one.unschedulable or None})
    return _object("v1", "Node", meta, spec=spec, status=_set(status))


def _volume(one: k8s.PersistentVolume) -> Manifest:
    meta = {"name": one.name, "labels": dict(one.labels), "annotations": dict(one.annotations)}
    ref = dict(zip(("namespace", "name", "uid"), one.claim_ref, strict=True)) if one.claim_ref else None
    spec = {
        "capacity": {"storage": str(one.capacity_bytes)},
        "accessModes": list(one.access_modes),
        "storageClassName": one.storage_class_name,
        "claimRef": ref and _set({"kind": "PersistentVolumeClaim", **ref}),
        "nodeAffinity": one.node_affinity and {"required": _node_selector(one.node_affinity)},
        one.source: dict(one.attributes),
    }
    return _object("v1", "PersistentVolume", meta, spec=_set(spec), status={"phase": one.phase})


def _claim(one: k8s.PersistentVolumeClaim) -> Manifest:
    meta = {"name": one.name, "namespace": one.namespace, "uid": one.uid, "annotations": dict(one.annotations)}
    spec = {
        "accessModes": list(one.access_modes),
        "resources": {"requests": {"storage": str(one.requested_bytes)}},
        "volumeName": one.volume_name,
    }
    written = _set(spec) | ({} if one.storage_class_name is None else {"storageClassName": one.storage_class_name})
    return _object("v1", "PersistentVolumeClaim", meta, spec=written, status={"phase": one.phase})


def _csi_node(one: k8s.CSINode) -> Manifest:
    drivers = [
        _set({
            "name": driver.name,
            "nodeID": driver.node_id,
            "topologyKeys": list(driver.topology_keys),
            "allocatable": None if driver.count is None else {"count": driver.count},
        })
        for driver in one.drivers
    ]  # fmt: skip
    return _object("storage.k8s.io/v1", "CSINode", {"name": one.name}, spec={"drivers": drivers})


def _service(one: k8s.WorkloadSelector) -> Manifest:
    assert one.kind == "Service"
    assert one.selector is not None
    labels = {requirement.key: requirement.values[0] for requirement in one.selector.requirements}
    ports = [{"port": 80}]
    return _object(
        "v1", "Service", {"name": one.name, "namespace": one.namespace}, spec={"selector": labels, "ports": ports}
    )


def _budget(one: k8s.PodDisruptionBudget) -> Manifest:
    meta, spec = (
        {"name": one.name, "namespace": one.namespace},
        {"selector": _selector(one.selector), "minAvailable": 0},
    )
    status = {} if one.disruptions_allowed is None else {"disruptionsAllowed": one.disruptions_allowed}
    return _object("policy/v1", "PodDisruptionBudget", meta, spec=spec, status=status)


def _device_claim(one: k8s.ResourceClaim) -> Manifest:
    meta = {"name": one.name, "namespace": one.namespace, "uid": one.uid}
    return _object("resource.k8s.io/v1", "ResourceClaim", meta, spec={"devices": {}})


# --- pods ------------------------------------------------------------------------------------------------------------
def _pod(one: k8s.Pod) -> Manifest:
    leaves = {} if one.deletion_timestamp is None else {"deletionTimestamp": _time(one.deletion_timestamp)}
    meta = {
        "name": one.name,
        "namespace": one.namespace,
        "uid": one.uid,
        "labels": dict(one.labels),
        "creationTimestamp": None if one.creation_timestamp is None else _time(one.creation_timestamp),
        **leaves,
    }
    victim = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    status = {
        "phase": one.phase,
        "conditions": [victim] if one.preempted else [],
        "nominatedNodeName": one.nominated_node_name,
        "startTime": None if one.start_time is None else _time(one.start_time),
    }
    return _object("v1", "Pod", meta, spec=_pod_spec(one), status=_set(status))


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _pod_spec(one: k8s.Pod) -> Manifest:
    spec = {
        "nodeName": one.node_name,
        "schedulerName": one.scheduler_name,
        "preemptionPolicy": one.preemption_policy,
        "nodeSelector": dict(one.node_selector),
        "affinity": _affinity(one.affinity) if one.affinity is not None else None,
        "tolerations": [
            _set({"key": t.key, "operator": t.operator, "value": t.value, "effect": t.effect}) for t in one.tolerations
        ],
        "topologySpreadConstraints": [_constraint(c) for c in one.topology_spread_constraints],
        "schedulingGates": [{"name": gate} for gate in one.scheduling_gates],
        "containers": [_container(c) for c in one.containers],
        "volumes": [_pod_volume(v) for v in one.volumes],
        "resourceClaims": [_set({"name": c.name, "resourceClaimName": c.claim_name}) for c in one.resource_claims],
    }
    grace = {"terminationGracePeriodSeconds": one.termination_grace_period_seconds}
    return _set(spec) | {"priority": one.priority} | grace


def _container(one: k8s.Container) -> Manifest:
    extended = {name: value for name, value in one.requests.items() if "/" in name}
    resources = {"requests": _amounts(one.requests), "limits": _amounts(extended)}
    ports = [
        _set({"containerPort": p.container_port or p.host_port or 80, "hostPort": p.host_port, "hostIP": p.host_ip})
        for p in one.ports
    ]
    return _set({"name": one.name, "image": one.image or "x", "resources": _set(resources), "ports": ports})


def _pod_volume(one: k8s.Volume) -> Manifest:
    if one.claim_name:
        return {"name": one.name, "persistentVolumeClaim": {"claimName": one.claim_name}}
    plain = {key: {"true": True, "false": False}.get(value, value) for key, value in one.attributes.items()}
    return {"name": one.name, one.source: plain}


def _constraint(one: k8s.TopologySpreadConstraint) -> Manifest:
    hard_only = {"minDomains": one.min_domains} if one.when_unsatisfiable == "DoNotSchedule" else {}
    return _set({
        "topologyKey": one.topology_key,
        "maxSkew": one.max_skew,
        "whenUnsatisfiable": one.when_unsatisfiable,
        "labelSelector": _selector(one.label_selector),
        "nodeAffinityPolicy": one.node_affinity_policy,
        "nodeTaintsPolicy": one.node_taints_policy,
        **hard_only,
    })  # fmt: skip


def _affinity(one: k8s.Affinity) -> Manifest:
    required, preferred = (
        "requiredDuringSchedulingIgnoredDuringExecution",
        "preferredDuringSchedulingIgnoredDuringExecution",
    )
    on_nodes = {
        required: _node_selector(one.node_required) if one.node_required is not None else None,
        preferred: [{"weight": p.weight, "preference": _node_term(p.preference)} for p in one.node_preferred],
    }
    with_pods = {required: list(map(_term, one.pod_required)), preferred: _weighted(one.pod_preferred)}
    apart = {required: list(map(_term, one.anti_required)), preferred: _weighted(one.anti_preferred)}
    return _set({"nodeAffinity": _set(on_nodes), "podAffinity": _set(with_pods), "podAntiAffinity": _set(apart)})


def _weighted(several: Iterable[k8s.WeightedPodAffinityTerm]) -> list[Manifest]:
    return [{"weight": one.weight, "podAffinityTerm": _term(one.term)} for one in several]


def _term(one: k8s.PodAffinityTerm) -> Manifest:
    return _set({
        "topologyKey": one.topology_key,
        "labelSelector": _selector(one.label_selector),
        "namespaces": list(one.namespaces),
    })  # fmt: skip


# --- selectors -------------------------------------------------------------------------------------------------------
def _selector(one: Any) -> Manifest | None:
    return None if one is None else {"matchExpressions": list(map(_requirement, one.requirements))}


def _requirement(one: Any) -> Manifest:
    return _set({"key": one.key, "operator": one.operator, "values": list(one.values)})


def _node_selector(one: Any) -> Manifest:
    return {"nodeSelectorTerms": list(map(_node_term, one.terms))}


def _node_term(one: Any) -> Manifest:
    return _set({
        "matchExpressions": list(map(_requirement, one.match_expressions)),
        "matchFields": list(map(_requirement, one.match_fields)),
    })  # fmt: skip
