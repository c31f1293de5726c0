"""Requests and limits of a pod as admission adds them up, and amounts in texts."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_core.api.objects import Container, Pod, Resources
from scheduler_core.api.quantity import shortest_quantity
from scheduler_core.api.resources import exact_pod_requests, is_pod_level_resource


def text(resource: str, value: int) -> str:
    """An amount as the API server writes it: the same as in the manifest, as far as the number says."""
    return shortest_quantity(resource, value)


def listed(amounts: Resources) -> str:
    """Amounts by name: "pods=1,requests.cpu=500m"."""
    return ",".join(f"{name}={text(name, value)}" for name, value in sorted(amounts.items()))


def requests_of(pod: Pod) -> dict[str, int]:
    """What a pod requests in all, overhead with it (component-helpers resource/helpers.go PodRequests)."""
    return exact_pod_requests(pod)


def limits_of(pod: Pod) -> dict[str, int]:
    """The limits of a pod in all; overhead is added to those that there are (PodLimits)."""
    if len(pod.containers) == 1 and not (pod.init_containers or pod.pod_limits or pod.overhead):  # most pods
        return dict(pod.containers[0].limits)
    total = summed(((c.limits for c in pod.containers)), pod.init_containers, (c.limits for c in pod.init_containers))
    total.update({name: value for name, value in (pod.pod_limits or {}).items() if is_pod_level_resource(name)})
    for name, value in pod.overhead.items():
        if total.get(name):
            total[name] += value
    return total


def without_overhead(pod: Pod) -> tuple[dict[str, int], dict[str, int]]:
    """(requests, limits) of a pod as LimitRanger adds them up (podRequests, podLimits)."""
    inits = pod.init_containers
    requests = summed((c.requests for c in pod.containers), inits, (c.requests for c in inits))
    limits = summed((c.limits for c in pod.containers), inits, (c.limits for c in inits))
    requests.update({n: v for n, v in (pod.pod_requests or {}).items() if is_pod_level_resource(n)})
    limits.update({n: v for n, v in (pod.pod_limits or {}).items() if is_pod_level_resource(n)})
    return requests, limits


def summed(main: Iterable[Resources], inits: tuple[Container, ...], of_inits: Iterable[Resources]) -> dict[str, int]:
    """The sum of containers and sidecars, or the largest init container on top of the sidecars before it."""
    total: dict[str, int] = {}
    for amounts in main:
        _add(total, amounts)
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    for container, amounts in zip(inits, of_inits, strict=True):
        need = dict(amounts)
        _add(need, sidecars)
        if container.restart_policy == "Always":
            _add(total, amounts)
            _add(sidecars, amounts)
        for name, value in need.items():
            peak[name] = max(value, peak.get(name, 0))
    for name, value in peak.items():
        total[name] = max(value, total.get(name, 0))
    return total


def _add(total: dict[str, int], more: Resources) -> None:
    for name, value in more.items():
        total[name] = total.get(name, 0) + value
