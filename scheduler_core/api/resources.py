"""What a pod asks for, as the scheduler counts it (component-helpers resource/helpers.go)."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_core.api.objects import Pod, Resources
from scheduler_core.api.quantity import INT64_MAX

CPU, MEMORY, EPHEMERAL_STORAGE, PODS = "cpu", "memory", "ephemeral-storage", "pods"
DEFAULT_MILLI_CPU_REQUEST = 100
DEFAULT_MEMORY_REQUEST = 200 * 1024 * 1024
NON_MISSING: Resources = {CPU: DEFAULT_MILLI_CPU_REQUEST, MEMORY: DEFAULT_MEMORY_REQUEST}
"""Requests assumed for scoring where a container names none; an explicit zero stays zero."""


def is_pod_level_resource(name: str) -> bool:
    """Whether pod-level resources may name this resource."""
    return name in (CPU, MEMORY) or name.startswith("hugepages-")


def pod_requests(pod: Pod, non_missing: Resources | None = None) -> dict[str, int]:
    """The pod's total requests: containers, init containers and sidecars, pod level, overhead; none above INT64_MAX.

    ``non_missing`` fills in what a container does not request.
    """
    total = exact_pod_requests(pod, non_missing)
    if max(total.values(), default=0) > INT64_MAX:
        return {name: min(value, INT64_MAX) for name, value in total.items()}
    return total


def exact_pod_requests(pod: Pod, non_missing: Resources | None = None) -> dict[str, int]:
    """The same as exact integers, which may be above INT64_MAX: manifests with such sums are refused."""
    counted = pod.allocated_requests
    has_more = pod.init_containers or pod.pod_requests or pod.overhead or non_missing
    if counted is None and len(pod.containers) == 1 and not has_more:  # Most pods.
        return dict(pod.containers[0].requests)
    if counted is None:
        counted = tuple([container.requests for container in (*pod.containers, *pod.init_containers)])
    if non_missing:
        counted = tuple([{**non_missing, **requests} for requests in counted])
    n_containers, total = len(pod.containers), dict[str, int]()
    for requests in counted[:n_containers]:
        _add(total, requests)
    inits = zip(counted[n_containers:], pod.init_containers, strict=True)
    _raise_to(total, _init_requests([(requests, c.restart_policy == "Always") for requests, c in inits], total))
    for name, value in (pod.pod_requests or {}).items():
        if is_pod_level_resource(name):
            total[name] = value
    _add(total, pod.overhead)
    return total


def shares_requests(pod: Pod, other: Pod) -> bool:
    """Whether all that ``pod_requests`` reads of two pods are the same objects, as in two versions of one pod that
    differ in something else; False says nothing."""
    return (
        pod.containers is other.containers
        and pod.init_containers is other.init_containers
        and pod.allocated_requests is other.allocated_requests
        and pod.pod_requests is other.pod_requests
        and pod.overhead is other.overhead
    )


def has_pod_level_requests(pod: Pod) -> bool:
    """Whether pod-level requests name a resource that counts."""
    return any(is_pod_level_resource(name) for name in pod.pod_requests or {})


def non_zero_requests(pod: Pod) -> tuple[int, int]:
    """(cpu in thousandths, memory in bytes) with defaults where containers name none (framework/types.go)."""
    defaults = NON_MISSING
    if has_pod_level_requests(pod):
        named = pod_requests(pod)
        defaults = {name: value for name, value in NON_MISSING.items() if name not in named}
    requests = pod_requests(pod, defaults)
    return requests.get(CPU, 0), requests.get(MEMORY, 0)


def _init_requests(inits: Iterable[tuple[Resources, bool]], total: dict[str, int]) -> dict[str, int]:
    """The largest need while initialising, of (requests, is sidecar); sidecars are added to ``total`` as they keep
    running."""
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    for requests, sidecar in inits:
        if sidecar:
            _add(total, requests)
            _add(sidecars, requests)
            _raise_to(peak, sidecars)
        else:
            need = dict(requests)
            _add(need, sidecars)
            _raise_to(peak, need)
    return peak


def _add(total: dict[str, int], more: Resources) -> None:
    for name, value in more.items():
        total[name] = total.get(name, 0) + value


def _raise_to(total: dict[str, int], floor: Resources) -> None:
    for name, value in floor.items():
        if name not in total or total[name] < value:
            total[name] = value
