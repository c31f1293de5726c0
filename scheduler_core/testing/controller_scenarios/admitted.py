"""Pods after admission, and the status of quotas, in the form of a history's snapshots."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scheduler_core.admission import amounts
from scheduler_core.admission.ledger import Book
from scheduler_core.admission.limit_ranges import ANNOTATION
from scheduler_core.admission.usage import is_best_effort
from scheduler_core.api.objects import Pod
from scheduler_core.manifests.writing.objects import to_body

Raw = dict[str, Any]
_KEPT = ("priority", "preemptionPolicy", "priorityClassName", "runtimeClassName", "nodeSelector", "overhead")
_OF_EVERY_POD = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_COMPUTE = ("cpu", "memory")


def admitted_pod(pod: Pod) -> Raw:
    """The fields of a pod that admission fills in or looks at."""
    spec = to_body(pod)["spec"]
    fields: Raw = {name: spec[name] for name in (*_KEPT, "affinity", "resources") if spec.get(name)}
    fields["priority"] = pod.priority
    for name in ("containers", "initContainers"):
        if spec.get(name):
            fields[name] = [{"name": one["name"], "resources": one.get("resources", {})} for one in spec[name]]
    fields["tolerations"] = [one for one in spec.get("tolerations", ()) if not _is_usual(one)]
    fields["qosClass"] = _qos_class(pod)
    if said := pod.annotations.get(ANNOTATION):
        fields["annotations"] = {ANNOTATION: said}
    return fields


def quotas(books: Iterable[Book]) -> Raw:
    """What each quota allows and counts, by name."""
    return {
        book.quota.name: {"hard": _texts(book.quota.hard), "used": _texts({n: book.used[n] for n in book.quota.hard})}
        for book in books
    }


def _texts(given: Any) -> dict[str, str]:
    return {name: amounts.text(name, value) for name, value in given.items()}


def _is_usual(toleration: Raw) -> bool:
    return toleration.get("key") in _OF_EVERY_POD and toleration.get("tolerationSeconds") is not None


def _qos_class(pod: Pod) -> str:
    """The class by which the kubelet evicts (component-helpers qos.GetPodQOS)."""
    if is_best_effort(pod):
        return "BestEffort"
    if pod.pod_requests or pod.pod_limits:
        each = [(pod.pod_requests or {}, pod.pod_limits or {})]
    else:
        each = [(one.requests, one.limits) for one in (*pod.containers, *pod.init_containers)]
    is_equal = all(
        limits.get(name) and requests.get(name, limits[name]) == limits[name]
        for requests, limits in each
        for name in _COMPUTE
    )
    return "Guaranteed" if is_equal else "Burstable"
