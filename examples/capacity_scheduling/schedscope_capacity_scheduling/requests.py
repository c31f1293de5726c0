"""Amounts of resources as elastic quotas compare them."""

from __future__ import annotations

from collections.abc import Mapping

from scheduler_core.api.objects import Pod, Resources

STANDARD = ("cpu", "memory", "ephemeral-storage")
"""Resources that are always compared; others only where they are asked for."""


def request_of(pod: Pod) -> dict[str, int]:
    """What a pod counts with: its containers together, or one init container where that asks for more, and overhead.

    Unlike the count of NodeResourcesFit, sidecars are not added to the containers, and neither requests of the whole
    pod nor what a resized container was allocated is looked at.
    """
    total: dict[str, int] = {}
    for container in pod.containers:
        add(total, container.requests)
    for container in pod.init_containers:
        for name, amount in container.requests.items():
            total[name] = max(total.get(name, 0), amount)
    add(total, pod.overhead)
    return total


def add(total: dict[str, int], amounts: Mapping[str, int], times: int = 1) -> None:
    """Add amounts to a total, or take them away with ``times`` -1."""
    for name, amount in amounts.items():
        total[name] = total.get(name, 0) + times * amount


def summed(*lists: Mapping[str, int]) -> dict[str, int]:
    """The lists added up."""
    total: dict[str, int] = {}
    for amounts in lists:
        add(total, amounts)
    return total


def compared(request: Mapping[str, int]) -> tuple[str, ...]:
    """The resources that are compared for a request."""
    return (*STANDARD, *(name for name in request if name not in STANDARD))


def limit_of(bound: Resources | None, name: str, *, is_max: bool) -> int | None:
    """What a min or max allows of a resource, None for no limit.

    A list that is there allows nothing of a standard resource that it does not name. Of others, a max allows any amount
    and a min guarantees none. Without a list there is no max, and nothing is guaranteed.
    """
    if bound is None:
        return None if is_max else 0
    return bound.get(name, 0 if name in STANDARD or not is_max else None)


def exceeded(
    request: Mapping[str, int], used: Mapping[str, int], bound: Resources | None, *, is_max: bool
) -> list[str]:
    """The resources of which the request and what is used are together more than the min or max allows."""
    over = []
    for name in compared(request):
        limit = limit_of(bound, name, is_max=is_max)
        if limit is not None and request.get(name, 0) + used.get(name, 0) > limit:
            over.append(name)
    return over
