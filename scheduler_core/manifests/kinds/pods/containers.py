"""Containers and resources from raw values, with the API server's defaults (core/v1 defaults.go)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scheduler_core.api.objects import Container, ContainerPort, Resources
from scheduler_core.manifests.checking.names import dns_label_problem, port_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.resource_lists import POD_LEVEL, container_resource_problem, read_requirements
from scheduler_core.manifests.model import quoted

CONTAINER_FIELDS = frozenset((
    "name", "image", "command", "args", "workingDir", "ports", "envFrom", "env", "resources", "resizePolicy",
    "restartPolicy", "restartPolicyRules", "volumeMounts", "volumeDevices", "livenessProbe", "readinessProbe",
    "startupProbe", "lifecycle", "terminationMessagePath", "terminationMessagePolicy", "imagePullPolicy",
    "securityContext", "stdin", "stdinOnce", "tty",
))  # fmt: skip
_READ = frozenset(("name", "image", "resources", "ports", "restartPolicy", "restartPolicyRules"))


def with_limits(requests: Resources, limits: Resources) -> Resources:
    """The requests with those that are absent taken from the limits."""
    if not limits:
        return requests
    return {**{name: amount for name, amount in limits.items() if name not in requests}, **requests}


def read_container(at: At, *, is_init: bool) -> Container:
    """A container or init container, requests defaulted from limits. One without an image is read: nothing that decides
    where a pod goes asks for one, and cases written by hand leave it out.
    """
    at.mapping(CONTAINER_FIELDS)
    resources = at.get("resources")
    resources.mapping(("limits", "requests", "claims"))
    requests, limits = read_requirements(resources, container_resource_problem)
    name, image, policy = at.get("name").text(required=True), at.get("image").text(), at.get("restartPolicy")
    problem = dns_label_problem(name) if name else ""
    if problem:
        at.get("name").refuse(problem)
    if image != image.strip():
        at.get("image").refuse("begins or ends with a blank. Remove it")
    if policy.present and not is_init:
        policy.refuse("is for init containers only, where Always makes a sidecar. Remove it")
    elif policy.present and policy.text() != "Always":
        policy.refuse(f"{quoted(policy.raw)} is not allowed. Write Always, which makes a sidecar, or remove it")
    return Container(
        name=name,
        image=image,
        requests=with_limits(requests, limits),
        limits=limits,
        ports=_ports(at.get("ports")),
        restart_policy=policy.text(),
    )


def read_containers(at: At) -> tuple[Container, ...]:
    """The containers of a pod; each with its own name, and no two with one host port (checkHostPortConflicts)."""
    containers = _read_all(at, is_init=False)
    _check_host_ports(at, enumerate(containers))
    return containers


def read_init_containers(at: At) -> tuple[Container, ...]:
    """The init containers of a pod; they may share host ports, as they run one after the other."""
    containers = _read_all(at, is_init=True)
    for entry in enumerate(containers):
        _check_host_ports(at, (entry,))
    return containers


def _read_all(at: At, *, is_init: bool) -> tuple[Container, ...]:
    out: list[Container] = []
    seen: set[str] = set()
    for item in at.items():
        container = read_container(item, is_init=is_init)
        if container.name in seen and container.name:
            item.get("name").error(f"another container is named {quoted(container.name)}. Give each its own name")
        seen.add(container.name)
        out.append(container)
    return tuple(out)


def _check_host_ports(at: At, containers: Iterable[tuple[int, Container]]) -> None:
    seen: set[tuple[str, str, int]] = set()
    for i, container in containers:
        for j, port in enumerate(container.ports):
            taken = (port.protocol, port.host_ip, port.host_port)
            if port.host_port and taken in seen:
                at.refuse(f"the pod takes the host port {port.host_port} twice", i, "ports", j, "hostPort")
            seen.add(taken)


def check_host_network(at: At, containers: tuple[Container, ...]) -> None:
    """Complains of host ports other than the container's own, which hostNetwork cannot have."""
    for i, container in enumerate(containers):
        for j, port in enumerate(container.ports):
            if port.host_port != port.container_port:
                text = f"must be the containerPort {port.container_port} with hostNetwork. Write that, or leave it out"
                at.refuse(text, i, "ports", j, "hostPort")


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


def _ports(at: At) -> tuple[ContainerPort, ...]:
    names: set[str] = set()
    for item in at.items():
        name = item.word("name")
        problem = port_problem(name) if name else ""
        if problem or name in names:
            item.get("name").refuse(problem or f"another port of the container is named {quoted(name)}. Rename one")
        names.update((name,) if name else ())
    return tuple(_port(item) for item in at.items())


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
    for name in POD_LEVEL:
        if name in together:
            out.setdefault(name, together[name])
    for name, amount in limits.items():
        if name in POD_LEVEL or name.startswith("hugepages-"):
            out.setdefault(name, amount)
    return out
