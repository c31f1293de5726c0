"""What a pod counts for in a quota, and which pods a quota is for (pkg/quota/v1/evaluator/core/pods.go)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scheduler_core.admission import amounts
from scheduler_core.api.objects import Pod, PodAffinityTerm
from scheduler_core.api.quotas import QuotaScope

_COMPUTE = frozenset(("cpu", "memory", "ephemeral-storage"))
_MUST_BE_GIVEN = frozenset((
    "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory",
))  # fmt: skip
"""Each container must give what a quota counts of these."""
_HUGE_PAGES = "hugepages-"
_COUNTS = ("pods", "count/pods")


class PodAmount(NamedTuple):
    """What a quota's name counts of pods: the pods (``resource`` ""), or a resource of their requests or limits."""

    name: str
    resource: str = ""
    is_limit: bool = False

    @property
    def must_be_given(self) -> bool:
        """Whether each container has to give it."""
        return self.name in _MUST_BE_GIVEN


def pod_amount(name: str) -> PodAmount | None:
    """What the name counts of pods; None where it counts other objects."""
    if name in _COUNTS:
        return PodAmount(name)
    bare = name.removeprefix("requests.")
    if name in _COMPUTE or name.startswith(_HUGE_PAGES):
        return PodAmount(name, name)
    if bare != name and (bare in _COMPUTE or bare.startswith(_HUGE_PAGES) or _is_extended(bare)):
        return PodAmount(name, bare)
    limited = name.removeprefix("limits.")
    return PodAmount(name, limited, is_limit=True) if limited != name and limited in _COMPUTE else None


def _is_extended(name: str) -> bool:
    return "/" in name and "kubernetes.io/" not in name


def counted(pod: Pod, names: Sequence[PodAmount]) -> dict[str, int]:
    """What the pod counts for under these names, without zeros; one that has ended counts for nothing."""
    if pod.is_terminal:
        return {}
    requests = limits = None
    amounts_of_pod: dict[str, int] = {}
    for name, resource, is_limit in names:
        if not resource:
            amounts_of_pod[name] = 1
            continue
        if is_limit:
            limits = amounts.limits_of(pod) if limits is None else limits
            value = limits.get(resource)
        else:
            requests = amounts.requests_of(pod) if requests is None else requests
            value = requests.get(resource)
        if value:
            amounts_of_pod[name] = value
    return amounts_of_pod


def not_given(pod: Pod, names: Iterable[PodAmount]) -> str:
    """Which of these amounts are given neither by the pod nor by each container, such as
    "must specify limits.cpu for: main; requests.cpu for: main"."""
    missing: dict[str, set[str]] = {}
    for name, resource, is_limit in names:
        if resource in ((pod.pod_limits if is_limit else pod.pod_requests) or ()):
            continue
        for containers in (pod.containers, pod.init_containers):
            for container in containers:
                if resource not in (container.limits if is_limit else container.requests):
                    missing.setdefault(name, set()).add(container.name)
    if not missing:
        return ""
    said = [f"{name} for: {','.join(sorted(containers))}" for name, containers in sorted(missing.items())]
    return f"must specify {'; '.join(said)}"


def matches(pod: Pod, scope: QuotaScope) -> bool:
    """Whether the pod is of the scope."""
    if scope.name in ("Terminating", "NotTerminating"):
        return (pod.active_deadline_seconds is not None) == (scope.name == "Terminating")
    if scope.name in ("BestEffort", "NotBestEffort"):
        return is_best_effort(pod) == (scope.name == "BestEffort")
    if scope.name == "PriorityClass":
        return _of_class(pod.priority_class_name, scope)
    return scope.name == "CrossNamespacePodAffinity" and _looks_at_other_namespaces(pod)


def is_best_effort(pod: Pod) -> bool:
    """Whether nothing of cpu and memory is requested or limited (component-helpers qos)."""
    each = (pod.pod_requests or {}, pod.pod_limits or {}) if pod.pod_requests or pod.pod_limits else (
        amounts for c in (*pod.containers, *pod.init_containers) for amounts in (c.requests, c.limits)
    )  # fmt: skip
    return not any(one.get("cpu") or one.get("memory") for one in each)


def _of_class(name: str, scope: QuotaScope) -> bool:
    if scope.operator == "In":
        return name in scope.values
    if scope.operator == "NotIn":
        return name not in scope.values
    return bool(name) == (scope.operator == "Exists")


def _looks_at_other_namespaces(pod: Pod) -> bool:
    affinity = pod.affinity
    if affinity is None:
        return False
    weighted = (one.term for one in (*affinity.pod_preferred, *affinity.anti_preferred))
    terms: Iterable[PodAffinityTerm] = (*affinity.pod_required, *affinity.anti_required, *weighted)
    return any(term.namespaces or term.namespace_selector is not None for term in terms)
