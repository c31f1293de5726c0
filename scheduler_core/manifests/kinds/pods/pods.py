"""Pods from raw values, with the API server's defaults and priority admission."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from scheduler_core.api.objects import Container, Pod, Resources
from scheduler_core.api.resources import exact_pod_requests
from scheduler_core.manifests.checking.names import name_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.metadata import Metadata, read_metadata, read_time
from scheduler_core.manifests.kinds.pods.affinity import merged_affinity, merged_constraints
from scheduler_core.manifests.kinds.pods.pod_specs import AdmissionContext, shared_spec
from scheduler_core.manifests.kinds.resource_claims import read_extended_claim, with_generated_claims
from scheduler_core.manifests.kinds.resource_lists import check_sums, read_resources
from scheduler_core.manifests.kinds.storage.volumes import read_volumes

_PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
RESTART_POLICIES = ("Always", "OnFailure", "Never")
_POD_FIELDS = frozenset(("apiVersion", "kind", "metadata", "spec", "status"))
_REPORTED = ("containerStatuses", "initContainerStatuses")


class _PodStatus(NamedTuple):
    """What the status of a pod says; ``allocated`` is what the containers count with where it reports that."""

    phase: str = "Pending"
    start_time: float | None = None
    nominated_node_name: str = ""
    allocated: tuple[Resources, ...] | None = None
    preempted: bool = False


_NO_STATUS = _PodStatus()


def read_pod(at: At, context: AdmissionContext) -> Pod:
    """The pod at ``at``; complaints go to its sink."""
    memo = context.memo
    meta = read_metadata(at, memo, namespaced=True)
    if meta.is_prefix:
        meta = meta._replace(name=context.made_up_name(meta))
    at.mapping(_POD_FIELDS)
    return build_pod(at, meta, context)


def build_pod(at: At, meta: Metadata, context: AdmissionContext) -> Pod:
    """The pod of the spec and status at ``at`` with this metadata."""
    spec = at.get("spec")
    node_name = spec.word("nodeName")
    shared = shared_spec(spec, context)
    volumes = read_volumes(spec.get("volumes"), context.memo)
    _check_node(spec, node_name, shared.pod)
    spec.choice("restartPolicy", "Always", RESTART_POLICIES)
    reported, claims = at.get("status"), shared.pod.resource_claims
    status = _read_status(reported, shared.pod)
    extended, served = read_extended_claim(reported)
    return replace(
        shared.pod,
        name=meta.name,
        namespace=meta.namespace,
        uid=meta.uid,
        labels=meta.labels,
        annotations=meta.annotations,
        owner_references=meta.owners,
        creation_timestamp=meta.created,
        deletion_timestamp=meta.deleted,
        node_name=node_name,
        affinity=merged_affinity(shared.affinity, meta.labels) if shared.affinity else None,
        topology_spread_constraints=merged_constraints(shared.constraints, meta.labels) if shared.constraints else (),
        volumes=volumes,
        resource_claims=with_generated_claims(claims, reported) if claims else (),
        phase=status.phase,
        start_time=status.start_time,
        nominated_node_name=status.nominated_node_name,
        allocated_requests=status.allocated,
        preempted=status.preempted,
        extended_claim=extended,
        extended_requests=served,
    )


def _check_node(spec: At, node_name: str, pod: Pod) -> None:
    if node_name and pod.scheduling_gates:
        spec.get("nodeName").error("a pod with schedulingGates cannot be bound. Remove one of the two")
    problem = _node_name_problem(node_name) if node_name else ""
    if problem:
        spec.get("nodeName").error(problem)


_node_name_problem = lru_cache(maxsize=4096)(name_problem)
"""A node has many pods."""


def _read_status(status: At, pod: Pod) -> _PodStatus:
    if not status.present:
        return _NO_STATUS
    raw = status.mapping()
    return _PodStatus(
        phase=status.choice("phase", "Pending", _PHASES),
        start_time=read_time(status, "startTime"),
        nominated_node_name=status.word("nominatedNodeName"),
        allocated=_allocated(status, pod),
        preempted="conditions" in raw and _is_preempted(status),
    )


def _is_preempted(status: At) -> bool:
    """Whether the pod's first DisruptionTarget condition says that a scheduler preempted it."""
    raws = status.raw.get("conditions") if status.raw.__class__ is dict else None
    if raws.__class__ is not list:
        raws = [item.raw for item in status.get("conditions").items()]
    for raw in raws:
        if raw.__class__ is dict and raw.get("type") == "DisruptionTarget":
            return bool(raw.get("status") == "True" and raw.get("reason") == "PreemptionByScheduler")
    return False


def _allocated(status: At, pod: Pod) -> tuple[Resources, ...] | None:
    """What the containers and init containers of a pod count with on its node, where its status reports resources: for
    containers and sidecars the largest of the spec, the allocated and the actual requests; without the spec while a
    resize is infeasible (component-helpers resource/helpers.go, determineContainerReqs)."""
    by_name = _status_requests(status)
    if not by_name:
        return None
    infeasible = any(
        c.get("type").raw == "PodResizePending" and c.get("reason").raw == "Infeasible"
        for c in status.get("conditions").items()
    )

    def counted(container: Container) -> Resources:
        reported = by_name.get(container.name)
        if reported is None:
            return container.requests
        return reported if infeasible else _largest(container.requests, reported)

    allocated = (
        *(counted(c) for c in pod.containers),
        *(counted(c) if c.restart_policy == "Always" else c.requests for c in pod.init_containers),
    )
    check_sums(status.get("containerStatuses"), exact_pod_requests(replace(pod, allocated_requests=allocated)))
    return allocated


def _largest(one: Resources, other: Resources) -> Resources:
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in {**one, **other}}


def _status_requests(status: At) -> dict[str, Resources]:
    """The larger of allocated and actual requests by container name. Upstream looks at a container's status only where
    it has ``resources``, be they empty: ``allocatedResources`` alone count for nothing."""
    out: dict[str, Resources] = {}
    for field in _REPORTED:
        for item in _with_resources(status, field):
            requests = read_resources(item.get("resources").get("requests"))
            out[item.get("name").text()] = _largest(requests, read_resources(item.get("allocatedResources")))
    return out


def _with_resources(status: At, field: str) -> list[At]:
    """The entries of a list that have ``resources``: few have, so the others cost no more than a look."""
    raws = status.raw.get(field) if status.raw.__class__ is dict else None
    if not raws:
        return []
    if raws.__class__ is not list:
        return status.get(field).items()
    for raw in raws:
        if raw.__class__ is dict and "resources" in raw:
            break
    else:
        return []
    return [
        item
        for item in status.get(field).items()
        if item.raw.__class__ is dict and item.raw.get("resources") is not None
    ]
