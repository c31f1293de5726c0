"""Containers and resources from raw values, with the API server's defaults (core/v1 defaults.go)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scheduler_core.api.objects import Container, ContainerPort, Resources
from scheduler_core.api.quantity import INT64_MAX
from scheduler_core.manifests.check import At, label_key_problem, quantity_text
from scheduler_core.manifests.model import quoted

CONTAINER_FIELDS = frozenset((
    "name", "image", "command", "args", "workingDir", "ports", "envFrom", "env", "resources", "resizePolicy",
    "restartPolicy", "restartPolicyRules", "volumeMounts", "volumeDevices", "livenessProbe", "readinessProbe",
    "startupProbe", "lifecycle", "terminationMessagePath", "terminationMessagePolicy", "imagePullPolicy",
    "securityContext", "stdin", "stdinOnce", "tty",
))  # fmt: skip
_READ = frozenset(("name", "image", "resources", "ports", "restartPolicy"))
_NATIVE = ("cpu", "memory", "ephemeral-storage", "storage", "pods")
_POD_LEVEL = ("cpu", "memory")


def read_resources(at: At) -> Resources:
    """A resource list as canonical integers; null values count as not given."""
    out: dict[str, int] = {}
    for name in at.mapping():
        value = at.get(name)
        amount = value.quantity(name)
        if amount is not None:
            out[name] = amount
            _check_resource(value, name, amount)
        problem = label_key_problem(name)
        if problem:
            at.error(problem, name)
    return out


def _check_resource(at: At, name: str, amount: int) -> None:
    text = quantity_text(at.raw) or ""
    if name in ("memory", "ephemeral-storage", "storage") and text.endswith("m"):
        at.warn(
            f"{quoted(text)} means thousandths of a byte, that is {amount} bytes. Write {text[:-1]}Mi for mebibytes"
        )
    if is_extended(name) and text.endswith("m") and int(text[:-1] or 0) % 1000:
        at.error(f"{quoted(text)} is a fraction. {name} is counted in whole numbers")
    if text.isdecimal() and at.raw.__class__ is int and name == "cpu" and amount >= 10_000_000:
        at.warn(f"{text} whole cores are asked for. For thousandths write {text}m")


def is_extended(name: str) -> bool:
    """Whether the resource is an extended one: named by a domain other than kubernetes.io."""
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")


def with_limits(requests: Resources, limits: Resources) -> Resources:
    """The requests with those that are absent taken from the limits."""
    if not limits:
        return requests
    return {**{name: amount for name, amount in limits.items() if name not in requests}, **requests}


def read_container(at: At) -> Container:
    """A container or init container, requests defaulted from limits."""
    at.mapping(CONTAINER_FIELDS)
    resources = at.get("resources")
    resources.mapping(("limits", "requests", "claims"))
    requests, limits = read_resources(resources.get("requests")), read_resources(resources.get("limits"))
    check_requests(resources, requests, limits)
    return Container(
        name=at.get("name").text(required=True),
        image=at.get("image").text(),
        requests=with_limits(requests, limits),
        limits=limits,
        ports=tuple(_port(item) for item in at.get("ports").items()),
        restart_policy=at.get("restartPolicy").text(),
    )


def in_use(raws: Any) -> Any:
    """Containers with only what ``read_container`` reads of them, and the keys that are not known.

    A mount of the pod's own token volume would make containers differ that are otherwise equal.
    """
    if raws.__class__ is not list:
        return raws
    return [
        {key: value for key, value in raw.items() if key in _READ or key not in CONTAINER_FIELDS}
        if raw.__class__ is dict
        else raw
        for raw in raws
    ]


def check_requests(at: At, requests: Resources, limits: Resources) -> None:
    """Complains of requests above limits, and of extended resources whose two figures differ."""
    for name, amount in requests.items():
        limit = limits.get(name)
        if is_extended(name) or name.startswith("hugepages-"):
            if limit is not None and limit != amount:
                at.error(f"the request must equal the limit of {name}", "requests", name)
        elif limit is not None and amount > limit:
            at.error("the request is above the limit. Lower the request or raise the limit", "requests", name)


def check_sums(at: At, totals: Resources) -> None:
    """Complains of what a pod asks for in all where an int64 cannot hold it, which nothing counts with."""
    for name, total in totals.items():
        if total > INT64_MAX:
            at.error(f"the pod's requests of {name} add up to {total}, more than {INT64_MAX} (int64) holds. Lower them")


def _port(at: At) -> ContainerPort:
    at.mapping(("name", "containerPort", "hostPort", "hostIP", "protocol"))
    if not at.get("containerPort").present:
        at.get("containerPort").error("is missing. Write a port from 1 to 65535")
    return ContainerPort(
        container_port=at.get("containerPort").integer(0, 1, 65535),
        host_port=at.get("hostPort").integer(0, 0, 65535),
        host_ip=at.get("hostIP").text(),
        protocol=at.get("protocol").text("TCP", ("TCP", "UDP", "SCTP")),
    )


def on_host_network(containers: tuple[Container, ...]) -> tuple[Container, ...]:
    """The containers with absent host ports set to the container ports, as hostNetwork does."""
    return tuple(
        Container(
            c.name, c.image, c.requests, c.limits, tuple(_host_port(p) for p in c.ports), c.restart_policy
        ) if c.ports else c
        for c in containers
    )  # fmt: skip


def _host_port(port: ContainerPort) -> ContainerPort:
    return ContainerPort(port.container_port, port.host_port or port.container_port, port.host_ip, port.protocol)


def effective_requests(containers: Iterable[Resources], inits: Iterable[tuple[Resources, bool]]) -> dict[str, int]:
    """What the containers ask for together (component-helpers resource/helpers.go): the sum of containers and sidecars,
    or the largest init container on top of the sidecars started before it. ``inits`` are (requests, is sidecar)."""
    total: dict[str, int] = {}
    for requests in containers:
        _add(total, requests)
    sidecars: dict[str, int] = {}
    largest: dict[str, int] = {}
    for requests, sidecar in inits:
        if sidecar:
            _add(total, requests)
            _add(sidecars, requests)
            step = dict(sidecars)
        else:
            step = dict(sidecars)
            _add(step, requests)
        _raise(largest, step)
    _raise(total, largest)
    return total


def _add(total: dict[str, int], more: Resources) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount


def _raise(total: dict[str, int], other: Resources) -> None:
    for name, amount in other.items():
        if amount > total.get(name, -1):
            total[name] = amount


def pod_level_requests(
    requests: Resources, limits: Resources, containers: tuple[Container, ...], inits: tuple[Container, ...]
) -> Resources:
    """Pod-level requests with absent ones taken from the containers together, then from the pod's limits.

    Only where pod-level limits are given (core/v1 defaults.go, defaultPodRequests); huge pages always from the limit.
    """
    if not limits:
        return requests
    out = dict(requests)
    together = effective_requests(
        (c.requests for c in containers), ((c.requests, c.restart_policy == "Always") for c in inits)
    )
    for name in _POD_LEVEL:
        if name in together:
            out.setdefault(name, together[name])
    for name, amount in limits.items():
        if name in _POD_LEVEL or name.startswith("hugepages-"):
            out.setdefault(name, amount)
    return out
