"""What a pod counts for in a quota, and which pods a quota is for (pkg/quota/v1/evaluator/core/pods.go)."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_core.admission import amounts
from scheduler_core.api.objects import Pod, PodAffinityTerm, Resources
from scheduler_core.api.quotas import QuotaScope

_COMPUTE = ("cpu", "memory", "ephemeral-storage")
_MUST_BE_GIVEN = frozenset((
    "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory",
))  # fmt: skip
"""Each container must give what a quota counts of these."""
_HUGE_PAGES = "hugepages-"
_COUNTS = ("pods", "count/pods")
POD_AMOUNTS = frozenset((
    *_COUNTS, *_COMPUTE, *(f"requests.{name}" for name in _COMPUTE), *(f"limits.{name}" for name in _COMPUTE),
))  # fmt: skip


def counts_pods(name: str) -> bool:
    """Whether a quota's amount of this name is one of pods."""
    if name in POD_AMOUNTS or name.startswith((_HUGE_PAGES, f"requests.{_HUGE_PAGES}")):
        return True
    return name.startswith("requests.") and "/" in name and "kubernetes.io/" not in name


def usage_of(pod: Pod) -> dict[str, int]:
    """What the pod counts for under all names; one that has ended counts for nothing."""
    if pod.is_terminal:
        return {}
    used = _named(amounts.requests_of(pod), amounts.limits_of(pod))
    used.update(dict.fromkeys(_COUNTS, 1))
    return used


def not_given(pod: Pod, names: Iterable[str]) -> str:
    """Which of the amounts that a quota counts are given neither by the pod nor by each container, such as
    "must specify limits.cpu for: main; requests.cpu for: main"."""
    missing: dict[str, set[str]] = {}
    needed = _MUST_BE_GIVEN.intersection(names).difference(_named(pod.pod_requests or {}, pod.pod_limits or {}))
    for container in (*pod.containers, *pod.init_containers) if needed else ():
        for name in needed.difference(_named(container.requests, container.limits)):
            missing.setdefault(name, set()).add(container.name)
    said = [f"{name} for: {','.join(sorted(containers))}" for name, containers in sorted(missing.items())]
    return f"must specify {'; '.join(said)}" if said else ""


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


def _named(requests: Resources, limits: Resources) -> dict[str, int]:
    """Requests and limits under the names that quotas have for them."""
    used: dict[str, int] = {}
    for name, value in requests.items():
        if name in _COMPUTE or name.startswith(_HUGE_PAGES):
            used[name] = used[f"requests.{name}"] = value
        elif "/" in name:
            used[f"requests.{name}"] = value
    for name in _COMPUTE:
        if name in limits:
            used[f"limits.{name}"] = limits[name]
    return used


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
