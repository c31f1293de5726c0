"""The facts of filters counted anew from the objects alone: no plugin, no column and no view is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scheduler_core.api import objects as k8s
from tests.scheduler_core.explain.facts.generated_runs import Cluster

SHARED_ADDRESS = "0.0.0.0"


def requests_of(pod: k8s.Pod) -> dict[str, int]:
    """What the pod requests; generated pods have plain containers only."""
    total: dict[str, int] = {}
    for container in pod.containers:
        for name, amount in container.requests.items():
            total[name] = total.get(name, 0) + amount
    return total


def resources(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> dict[str, Any]:
    """{resource: (asked, allocatable, requested, promised, {holder: amount}, refuses)} with nominated pods counted."""
    there, coming = cluster.pods[node.name], cluster.nominated.get(node.name, [])
    asked = {"pods": 1, **{name: amount for name, amount in requests_of(pod).items() if amount}}
    found = {}
    for name, amount in asked.items():
        holders = {one.key: 1 if name == "pods" else requests_of(one).get(name, 0) for one in (*there, *coming)}
        promised = sum(holders[one.key] for one in coming)
        whole, used = node.allocatable.get(name, 0), sum(holders.values())
        found[name] = (amount, whole, used, promised, {k: v for k, v in holders.items() if v}, amount > whole - used)
    return found


def untolerated(pod: k8s.Pod, node: k8s.Node, effects: Iterable[str]) -> list[tuple[str, str, str]]:
    """Taints with these effects that no toleration covers."""
    found = []
    for taint in node.taints:
        covered = any(
            one.effect in ("", taint.effect)
            and one.key in ("", taint.key)
            and (one.operator == "Exists" or one.value == taint.value)
            for one in pod.tolerations
        )
        if taint.effect in effects and not covered:
            found.append((taint.key, taint.value, taint.effect))
    return found


def labels(pod: k8s.Pod, node: k8s.Node) -> list[tuple[str, str, str, tuple[str, ...], str | None, bool, int]]:
    """(source, key, operator, values, the node's value, met, term) of nodeSelector and required node affinity."""
    found: list[Any] = [
        ("nodeSelector", key, "In", (value,), node.labels.get(key), node.labels.get(key) == value, 0)
        for key, value in pod.node_selector.items()
    ]
    required = pod.affinity.node_required if pod.affinity else None
    for i, term in enumerate(required.terms if required else ()):
        for one in term.match_expressions:
            value = node.labels.get(one.key)
            found.append(("required node affinity", one.key, one.operator, one.values, value, _met(one, value), i))
        for one in term.match_fields:
            met = _met(one, node.name)
            found.append(("required node affinity", one.key, one.operator, one.values, node.name, met, i))
    return found


def _met(requirement: Any, value: str | None) -> bool:
    if requirement.operator == "In":
        return value in requirement.values
    if requirement.operator == "NotIn":
        return value not in requirement.values
    if value is None:
        return False
    bound = int(requirement.values[0])
    return int(value) > bound if requirement.operator == "Gt" else int(value) < bound


def ports(pod: k8s.Pod, node: k8s.Node, cluster: Cluster) -> dict[tuple[int, str], set[str]]:
    """{(port, address): the pods on the node that hold it}, nominated ones too."""
    found: dict[tuple[int, str], set[str]] = {}
    for port, address in _ports(pod):
        holders = found[port, address] = set()
        for other in (*cluster.pods[node.name], *cluster.nominated.get(node.name, [])):
            for held, at in _ports(other):
                if held == port and (at == address or SHARED_ADDRESS in (at, address)):
                    holders.add(other.key)
    return found


def _ports(pod: k8s.Pod) -> list[tuple[int, str]]:
    return [(p.host_port, p.host_ip or SHARED_ADDRESS) for c in pod.containers for p in c.ports if p.host_port]
