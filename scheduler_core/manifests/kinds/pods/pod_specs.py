"""The part of a pod's spec that all pods of a workload have in common, read once for all of them.

Pods of a workload differ in name, node and token volume; the rest of their specs is equal, or differs only in what
scheduling does not read. So that rest is taken out and remembered by its content.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from scheduler_core.api.objects import DEFAULT_SCHEDULER, Container, Pod, PriorityClass, Resources
from scheduler_core.api.resources import exact_pod_requests
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import label_key_problem, name_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.context import BUILT_IN_CLASSES
from scheduler_core.manifests.kinds.metadata import Metadata, suffix
from scheduler_core.manifests.kinds.pods.affinity import (
    RawAffinity,
    RawConstraint,
    read_affinity,
    read_constraints,
    read_tolerations,
)
from scheduler_core.manifests.kinds.pods.containers import (
    check_host_network,
    effective_requests,
    in_use,
    on_host_network,
    pod_level_requests,
    read_containers,
    read_init_containers,
)
from scheduler_core.manifests.kinds.pods.features import features_needed
from scheduler_core.manifests.kinds.resource_claims import check_container_claims, read_claim_entries
from scheduler_core.manifests.kinds.resource_lists import (
    check_overhead,
    check_pod_level,
    check_requests,
    check_sums,
    pod_resource_problem,
    read_requirements,
)
from scheduler_core.manifests.model import quoted

_READ = frozenset((
    "containers", "initContainers", "terminationGracePeriodSeconds", "nodeSelector", "hostNetwork", "affinity",
    "schedulerName", "tolerations", "priorityClassName", "priority", "preemptionPolicy", "overhead",
    "topologySpreadConstraints", "schedulingGates", "resourceClaims", "resources", "hostUsers",
))  # fmt: skip
_OTHER = frozenset((
    "volumes", "ephemeralContainers", "restartPolicy", "activeDeadlineSeconds", "dnsPolicy", "serviceAccountName",
    "serviceAccount", "automountServiceAccountToken", "nodeName", "hostPID", "hostIPC", "shareProcessNamespace",
    "securityContext", "imagePullSecrets", "hostname", "subdomain", "hostAliases", "dnsConfig", "readinessGates",
    "runtimeClassName", "enableServiceLinks", "setHostnameAsFQDN", "os", "hostnameOverride",
    "workloadRef",
))  # fmt: skip
POD_SPEC_FIELDS = _READ | _OTHER
_CONTAINERS = ("containers", "initContainers")
_LONGEST = 1 << 40
_BUILT_IN = {c.name: c for c in BUILT_IN_CLASSES}


class AdmissionContext(msgspec.Struct):
    """What admission looks at: the priority classes by name (built-in ones always), the global default, the memo.

    The memo holds what was read under these classes, so it is not for use with others.
    """

    priority_classes: Mapping[str, PriorityClass] = msgspec.field(default_factory=_BUILT_IN.copy)
    global_default: PriorityClass | None = None
    memo: Memo = msgspec.field(default_factory=Memo)
    made_up: dict[str, int] = msgspec.field(default_factory=dict)

    def admits_as_built_in(self, name: str) -> bool:
        """Whether a pod of this class ("" for none) is admitted as where there are the built-in classes only."""
        return self.global_default is None and self.priority_classes.get(name) == _BUILT_IN.get(name)

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


class SharedSpec(NamedTuple):
    """``pod`` has what a spec says but for node and volumes, and but for affinity and constraints: into these, label
    keys are not merged yet."""

    pod: Pod
    affinity: RawAffinity | None
    constraints: tuple[RawConstraint, ...]


def shared_spec(spec: At, context: AdmissionContext) -> SharedSpec:
    """The shared part of the spec at ``spec``; complaints go to its sink."""

    def read(at: At) -> SharedSpec:
        return _read(at, context)

    return read(spec) if spec.raw is None else context.memo.reduced("spec", spec, _in_common(spec.raw), read)


def _in_common(raw: Any) -> Any:
    """The spec without what differs from pod to pod and what nobody reads; keys that are not known stay."""
    if raw.__class__ is not dict:
        return raw
    out = {key: value for key, value in raw.items() if key in _READ}
    for key in _CONTAINERS:
        if key in out:
            out[key] = in_use(out[key])
    if not POD_SPEC_FIELDS.issuperset(raw):
        out.update((key, None) for key in raw if key not in POD_SPEC_FIELDS)
    return out


def _read(spec: At, context: AdmissionContext) -> SharedSpec:
    memo = context.memo
    spec.mapping(POD_SPEC_FIELDS)
    value, class_name, policy = _admitted(spec, context)
    containers, inits, pod_requests, pod_limits = _resources(spec, memo)
    affinity = memo.field("affinity", spec, "affinity", read_affinity)
    constraints = memo.field("constraints", spec, "topologySpreadConstraints", read_constraints)
    pod = Pod(
        name="",
        scheduler_name=spec.word("schedulerName", DEFAULT_SCHEDULER),
        priority=value,
        priority_class_name=class_name,
        preemption_policy=policy,
        node_selector=memo.field("labels", spec, "nodeSelector", At.labels),
        tolerations=memo.field("tolerations", spec, "tolerations", read_tolerations),
        scheduling_gates=memo.field("gates", spec, "schedulingGates", _gates),
        containers=containers,
        init_containers=inits,
        overhead=memo.field("overhead", spec, "overhead", check_overhead),
        pod_requests=pod_requests,
        pod_limits=pod_limits,
        host_network=spec.get("hostNetwork").boolean(),
        features=features_needed(spec.raw),
        resource_claims=memo.field("claims", spec, "resourceClaims", read_claim_entries),
        termination_grace_period_seconds=_grace_period(spec.get("terminationGracePeriodSeconds")),
    )
    _check_containers(spec, containers)
    for field in ("containers", "initContainers"):
        check_container_claims(spec.get(field), pod.resource_claims)
    check_sums(spec.get("containers"), exact_pod_requests(pod))
    return SharedSpec(pod, affinity, constraints)


def _admitted(spec: At, context: AdmissionContext) -> tuple[int, str, str]:
    """Priority, class and preemption policy after priority admission; an explicit priority stays."""
    name, given = spec.word("priorityClassName"), spec.get("priority")
    priority_class = context.priority_classes.get(name) if name else context.global_default
    problem = name_problem(name) if name else ""
    if problem:
        spec.get("priorityClassName").refuse(problem)
    if name and priority_class is None:
        what = "its priority stays" if given.present else "priority 0 is used"
        spec.get("priorityClassName").warn(
            f"there is no PriorityClass {quoted(name)} in the input: {what}. Dump priorityclasses too"
        )
    value = given.integer(priority_class.value if priority_class else 0)
    if name and priority_class and value != priority_class.value:
        spec.get("priority").warn(
            f"is not the {priority_class.value} of PriorityClass {quoted(name)}. {value} counts, but no new pod is "
            "admitted so: remove the priority, or correct one of the two"
        )
    default_policy = priority_class.preemption_policy if priority_class else "PreemptLowerPriority"
    policy = spec.get("preemptionPolicy").text(default_policy, ("PreemptLowerPriority", "Never"))
    return value, name or (priority_class.name if priority_class and not given.present else ""), policy


def _resources(
    spec: At, memo: Memo
) -> tuple[tuple[Container, ...], tuple[Container, ...], Resources | None, Resources | None]:
    """Containers, init containers, pod-level requests and limits, host ports filled in on the host network."""
    containers = memo.field("containers", spec, "containers", read_containers)
    inits = memo.field("init containers", spec, "initContainers", read_init_containers)
    names = {c.name for c in containers if c.name}
    for i, container in enumerate(inits):
        if container.name in names:
            text = f"another container is named {quoted(container.name)}. Give each its own name"
            spec.get("initContainers").refuse(text, i, "name")
    if spec.get("hostNetwork").raw is True:
        containers, inits = on_host_network(containers), on_host_network(inits)
        check_host_network(spec.get("containers"), containers)
    level = spec.get("resources")
    if not level.present:
        return containers, inits, None, None
    level.mapping(("limits", "requests", "claims"))
    if level.get("claims").present:
        level.get("claims").refuse("cannot be given for the whole pod. Give them to a container")
    requests, limits = read_requirements(level, pod_resource_problem)
    together = effective_requests(
        (c.requests for c in containers), ((c.requests, c.restart_policy == "Always") for c in inits)
    )
    check_pod_level(level, requests, limits, together, [c.limits for c in containers])
    whole = pod_level_requests(requests, limits, containers, inits)
    check_requests(level, {name: amount for name, amount in whole.items() if name not in requests}, limits)
    return containers, inits, whole, limits


def _gates(at: At) -> tuple[str, ...]:
    """The names of scheduling gates, each once (validateSchedulingGates)."""
    names: list[str] = []
    for item in at.items():
        name = item.get("name").text(required=True)
        problem = label_key_problem(name) if name else ""
        if problem or name in names:
            item.get("name").refuse(problem or f"the gate {quoted(name)} is given twice. Keep one of them")
        names.append(name)
    return tuple(names)


def _grace_period(at: At) -> int:
    """Seconds; what is below 0 counts as 1, as with the API server."""
    seconds = at.integer(30, -_LONGEST, _LONGEST)
    return seconds if seconds >= 0 else 1


def _check_containers(spec: At, containers: tuple[Container, ...]) -> None:
    if not spec.present or (not containers and not spec.get("containers").present):
        spec.get("containers").error("is missing. A pod needs at least one container")
    elif not containers and spec.get("containers").raw == []:
        spec.get("containers").error("is empty. A pod needs at least one container")
