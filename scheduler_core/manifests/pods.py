"""Pods from raw values, with the API server's defaults and priority admission."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from scheduler_core.api.objects import (
    DEFAULT_SCHEDULER,
    Container,
    Pod,
    PriorityClass,
    Resources,
)
from scheduler_core.manifests.affinity import (
    merged_affinity,
    merged_constraints,
    read_affinity,
    read_constraints,
    read_tolerations,
)
from scheduler_core.manifests.check import At, Memo, name_problem
from scheduler_core.manifests.containers import (
    check_requests,
    effective_requests,
    on_host_network,
    pod_level_requests,
    read_container,
    read_resources,
    with_limits,
)
from scheduler_core.manifests.metadata import Metadata, read_metadata, read_time, suffix
from scheduler_core.manifests.model import quoted
from scheduler_core.manifests.volumes import read_volumes

POD_SPEC_FIELDS = frozenset((
    "volumes", "initContainers", "containers", "ephemeralContainers", "restartPolicy",
    "terminationGracePeriodSeconds", "activeDeadlineSeconds", "dnsPolicy", "nodeSelector", "serviceAccountName",
    "serviceAccount", "automountServiceAccountToken", "nodeName", "hostNetwork", "hostPID", "hostIPC",
    "shareProcessNamespace", "securityContext", "imagePullSecrets", "hostname", "subdomain", "affinity",
    "schedulerName", "tolerations", "hostAliases", "priorityClassName", "priority", "dnsConfig", "readinessGates",
    "runtimeClassName", "enableServiceLinks", "preemptionPolicy", "overhead", "topologySpreadConstraints",
    "setHostnameAsFQDN", "os", "hostUsers", "schedulingGates", "resourceClaims", "resources", "hostnameOverride",
    "workloadRef",
))  # fmt: skip
_PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
BUILT_IN_CLASSES = (
    PriorityClass(name="system-cluster-critical", value=2_000_000_000),
    PriorityClass(name="system-node-critical", value=2_000_001_000),
)


class AdmissionContext(msgspec.Struct):
    """What admission looks at: the priority classes by name (built-in ones always), the global default, the memo."""

    priority_classes: Mapping[str, PriorityClass] = msgspec.field(
        default_factory=lambda: {c.name: c for c in BUILT_IN_CLASSES}
    )
    global_default: PriorityClass | None = None
    memo: Memo = msgspec.field(default_factory=Memo)
    made_up: dict[str, int] = msgspec.field(default_factory=dict)

    def made_up_name(self, meta: Metadata) -> str:
        """A name for an object that gives only a prefix: another one each time, the same for the same order."""
        seed = f"{meta.namespace}/{meta.name}"
        self.made_up[seed] = number = self.made_up.get(seed, -1) + 1
        return meta.name + suffix(f"{seed}/{meta.uid}/{number}")

    @classmethod
    def of(cls, classes: list[PriorityClass], memo: Memo | None = None) -> AdmissionContext:
        """A context with these classes; of several global defaults the lowest value counts (admission/priority)."""
        defaults = sorted((c for c in classes if c.global_default), key=lambda c: c.value)
        return cls(
            {c.name: c for c in (*BUILT_IN_CLASSES, *classes)}, defaults[0] if defaults else None, memo or Memo()
        )


class _Priority(NamedTuple):
    value: int
    class_name: str
    preemption_policy: str


def read_pod(at: At, context: AdmissionContext) -> Pod:
    """The pod at ``at``; complaints go to its sink."""
    memo = context.memo
    meta = read_metadata(at, memo, namespaced=True)
    if not at.get("metadata").get("name").raw and meta.name:
        meta = meta._replace(name=context.made_up_name(meta))
    at.mapping(("apiVersion", "kind", "metadata", "spec", "status"))
    return build_pod(at, meta, context)


def build_pod(at: At, meta: Metadata, context: AdmissionContext) -> Pod:
    """The pod of the spec and status at ``at`` with this metadata."""
    memo = context.memo
    spec, status = at.get("spec"), at.get("status")
    spec.mapping(POD_SPEC_FIELDS)
    priority = _admitted(spec, context)
    containers, inits, pod_requests, pod_limits = _resources(spec, memo)
    affinity = memo.field("affinity", spec, "affinity", read_affinity)
    constraints = memo.field("constraints", spec, "topologySpreadConstraints", read_constraints)
    pod = Pod(
        name=meta.name,
        namespace=meta.namespace,
        uid=meta.uid,
        labels=meta.labels,
        annotations=meta.annotations,
        owner_references=meta.owners,
        creation_timestamp=meta.created,
        deletion_timestamp=meta.deleted,
        node_name=spec.word("nodeName"),
        scheduler_name=spec.word("schedulerName", DEFAULT_SCHEDULER),
        priority=priority.value,
        priority_class_name=priority.class_name,
        preemption_policy=priority.preemption_policy,
        node_selector=memo.field("labels", spec, "nodeSelector", At.labels),
        affinity=merged_affinity(affinity, meta.labels) if affinity else None,
        tolerations=memo.field("tolerations", spec, "tolerations", read_tolerations),
        topology_spread_constraints=merged_constraints(constraints, meta.labels),
        scheduling_gates=memo.field("gates", spec, "schedulingGates", _gates),
        containers=containers,
        init_containers=inits,
        overhead=memo.field("resources", spec, "overhead", read_resources),
        pod_requests=pod_requests,
        pod_limits=pod_limits,
        host_network=spec.get("hostNetwork").boolean(),
        volumes=memo.field("volumes", spec, "volumes", read_volumes),
        resource_claims=memo.field("claims", spec, "resourceClaims", _claims),
        termination_grace_period_seconds=spec.get("terminationGracePeriodSeconds").integer(30, -1, 1 << 40),
    )
    _check_pod(spec, pod)
    return _with_status(status, pod, memo) if status.present else pod


def _resources(
    spec: At, memo: Memo
) -> tuple[tuple[Container, ...], tuple[Container, ...], Resources | None, Resources | None]:
    """Containers, init containers, pod-level requests and limits, host ports filled in on the host network."""
    containers = memo.field("containers", spec, "containers", _containers)
    inits = memo.field("containers", spec, "initContainers", _containers)
    if spec.get("hostNetwork").raw is True:
        containers, inits = on_host_network(containers), on_host_network(inits)
    level = spec.get("resources")
    if not level.present:
        return containers, inits, None, None
    level.mapping(("limits", "requests", "claims"))
    requests, limits = read_resources(level.get("requests")), read_resources(level.get("limits"))
    requests = pod_level_requests(requests, limits, containers, inits)
    check_requests(level, requests, limits)
    return containers, inits, requests, limits


def _containers(at: At) -> tuple[Container, ...]:
    out: list[Container] = []
    seen: set[str] = set()
    for item in at.items():
        container = read_container(item)
        if container.name in seen and container.name:
            item.get("name").error(f"another container is named {quoted(container.name)}. Give each its own name")
        seen.add(container.name)
        out.append(container)
    return tuple(out)


def _gates(at: At) -> tuple[str, ...]:
    return tuple(item.get("name").text(required=True) for item in at.items())


def _claims(at: At) -> tuple[str, ...]:
    return tuple(item.get("name").text(required=True) for item in at.items())


def _admitted(spec: At, context: AdmissionContext) -> _Priority:
    """Priority, class and preemption policy after priority admission; an explicit priority stays."""
    name, given = spec.word("priorityClassName"), spec.get("priority")
    found = context.priority_classes.get(name) if name else context.global_default
    if name and found is None:
        what = "its priority stays" if given.present else "priority 0 is used"
        spec.get("priorityClassName").warn(
            f"there is no PriorityClass {quoted(name)} in the input: {what}. Add the class"
        )
    value = given.integer(found.value if found else 0)
    default_policy = found.preemption_policy if found else "PreemptLowerPriority"
    policy = spec.get("preemptionPolicy").text(default_policy, ("PreemptLowerPriority", "Never"))
    return _Priority(value, name or (found.name if found and not given.present else ""), policy)


def _check_pod(spec: At, pod: Pod) -> None:
    if not spec.present or (not pod.containers and not spec.get("containers").present):
        spec.get("containers").error("is missing. A pod needs at least one container")
    elif not pod.containers and spec.get("containers").raw == []:
        spec.get("containers").error("is empty. A pod needs at least one container")
    if pod.node_name and pod.scheduling_gates:
        spec.get("nodeName").error("a pod with schedulingGates cannot be bound. Remove one of the two")
    if pod.node_name and name_problem(pod.node_name):
        spec.get("nodeName").error(name_problem(pod.node_name))


def _with_status(status: At, pod: Pod, memo: Memo) -> Pod:
    status.mapping()
    phase = status.get("phase").text("Pending", _PHASES)
    start = read_time(status, "startTime")
    nominated = status.word("nominatedNodeName")
    return msgspec.structs.replace(
        pod,
        phase=phase,
        start_time=start,
        nominated_node_name=nominated,
        allocated_requests=_allocated(status, pod, memo),
        preempted=_is_preempted(status),
    )


def _is_preempted(status: At) -> bool:
    """Whether the pod's first DisruptionTarget condition says that a scheduler preempted it."""
    for condition in status.get("conditions").items():
        if condition.get("type").raw == "DisruptionTarget":
            return bool(
                condition.get("status").raw == "True" and condition.get("reason").raw == "PreemptionByScheduler"
            )
    return False


def _allocated(status: At, pod: Pod, memo: Memo) -> Resources | None:
    """What a pod counts with on its node where its status reports resources: per container the largest of the spec,
    the allocated and the actual requests; without the spec while a resize is infeasible (resource/helpers.go)."""
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

    total: dict[str, int] = effective_requests(
        (counted(c) for c in pod.containers),
        ((counted(c), True) if c.restart_policy == "Always" else (c.requests, False) for c in pod.init_containers),
    )
    total.update(pod.pod_requests or {})
    for name, amount in pod.overhead.items():
        total[name] = total.get(name, 0) + amount
    return total


def _largest(one: Resources, other: Resources) -> Resources:
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in {**one, **other}}


def _status_requests(status: At) -> dict[str, Resources]:
    """The larger of allocated and actual requests by container name, where the status reports any."""
    out: dict[str, Resources] = {}
    raw: Any = status.raw if isinstance(status.raw, dict) else {}
    for field in ("containerStatuses", "initContainerStatuses"):
        for item in status.get(field).items() if raw.get(field) else ():
            if not isinstance(item.raw, dict) or not ("resources" in item.raw or "allocatedResources" in item.raw):
                continue
            resources, allocated = item.get("resources").get("requests"), item.get("allocatedResources")
            if resources.present or allocated.present:
                out[item.get("name").text()] = _largest(read_resources(resources), read_resources(allocated))
    return out


__all__ = ["BUILT_IN_CLASSES", "AdmissionContext", "build_pod", "read_pod", "with_limits"]
