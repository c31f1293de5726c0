"""Edited versions of pods and nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import msgspec

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, Container, Node, Pod
from scheduler_core.api.resources import pod_requests
from scheduler_core.api.taints import Taint, Toleration
from scheduler_core.framework.plugin_helpers.node_conditions import CORDON, mended
from scheduler_core.framework.plugin_helpers.volume_claims import claim_uses

HOSTNAME = "kubernetes.io/hostname"
replace = msgspec.structs.replace


def asking_for(pod: Pod, resource: str, amount: int) -> Pod | None:
    """The pod with its request of a resource lowered to exactly this amount, first containers keeping theirs.

    None where lowering containers does not give the amount: overhead, pod-level requests or a resize in place hold it.
    """
    left = amount - pod.overhead.get(resource, 0)
    if left < 0:
        return None
    containers = []
    for container in pod.containers:
        own = min(container.requests.get(resource, 0), left)
        left -= own
        containers.append(_requesting(container, resource, own))
    most = amount - pod.overhead.get(resource, 0)
    inits = [_requesting(c, resource, min(c.requests.get(resource, 0), most)) for c in pod.init_containers]
    edited = replace(pod, containers=tuple(containers), init_containers=tuple(inits))
    return edited if pod_requests(edited).get(resource, 0) == amount else None


def asking_for_more(pod: Pod, resource: str, amount: int) -> Pod | None:
    """The pod with its request of a resource raised to exactly this amount, all more in its first container.

    None where that does not give the amount: the pod asks for more already, or something else decides on it.
    """
    more = amount - pod_requests(pod).get(resource, 0)
    if more < 0 or not pod.containers:
        return None
    first, *others = pod.containers
    raised = _requesting(first, resource, first.requests.get(resource, 0) + more)
    edited = replace(pod, containers=(raised, *others))
    return edited if pod_requests(edited).get(resource, 0) == amount else None


def _requesting(container: Container, resource: str, amount: int) -> Container:
    if container.requests.get(resource, 0) == amount:
        return container
    return replace(container, requests={**container.requests, resource: amount})


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with as many "-more" after it as it takes for it to be none of those ``taken``."""
    while name in taken:
        name += "-more"
    return name


def tolerating(pod: Pod, taints: Iterable[Taint]) -> Pod:
    """The pod with a toleration for each of the taints."""
    more = [Toleration(taint.key, "Equal" if taint.value else "Exists", taint.value, taint.effect) for taint in taints]
    return replace(pod, tolerations=(*pod.tolerations, *more))


def without_selector_keys(pod: Pod, keys: Iterable[str]) -> Pod:
    """The pod with these keys of its nodeSelector dropped."""
    dropped = set(keys)
    return replace(pod, node_selector={key: value for key, value in pod.node_selector.items() if key not in dropped})


def without_required_nodes(pod: Pod) -> Pod:
    """The pod without its required node affinity."""
    return replace(pod, affinity=replace(pod.affinity or Affinity(), node_required=None))


def selecting(pod: Pod, key: str, values: tuple[str, ...]) -> Pod:
    """The pod with a key of its nodeSelector as a required node affinity that takes these values."""
    affinity, one = pod.affinity or Affinity(), Requirement(key, "In", values)
    terms = affinity.node_required.terms if affinity.node_required is not None else (NodeSelectorTerm(),)
    required = NodeSelector(tuple(replace(term, match_expressions=(*term.match_expressions, one)) for term in terms))
    return replace(without_selector_keys(pod, (key,)), affinity=replace(affinity, node_required=required))


def with_value(pod: Pod, term: int, position: int, value: str) -> Pod:
    """The pod whose required node affinity takes one more value, in this requirement of this term."""
    affinity = pod.affinity or Affinity()
    assert affinity.node_required is not None
    terms = list(affinity.node_required.terms)
    several = list(terms[term].match_expressions)
    several[position] = replace(several[position], values=(*several[position].values, value))
    terms[term] = replace(terms[term], match_expressions=tuple(several))
    return replace(pod, affinity=replace(affinity, node_required=replace(affinity.node_required, terms=tuple(terms))))


def without_term(pod: Pod, field: str, position: int) -> Pod:
    """The pod without one of its required terms; ``field``: "pod_required" or "anti_required" of Affinity."""
    affinity = pod.affinity or Affinity()
    terms = getattr(affinity, field)
    return replace(pod, affinity=replace(affinity, **{field: terms[:position] + terms[position + 1 :]}))


def with_constraint(pod: Pod, position: int, **fields: Any) -> Pod:
    """The pod with these fields of one of its spread constraints changed."""
    constraints = list(pod.topology_spread_constraints)
    constraints[position] = replace(constraints[position], **fields)
    return replace(pod, topology_spread_constraints=tuple(constraints))


def without_constraint(pod: Pod, position: int) -> Pod:
    """The pod without one of its spread constraints."""
    constraints = pod.topology_spread_constraints
    return replace(pod, topology_spread_constraints=constraints[:position] + constraints[position + 1 :])


def without_claim(pod: Pod, key: str) -> Pod:
    """The pod without the volumes of a claim (namespace/name)."""
    names = {use.name for use in claim_uses(pod) if use.key == key}
    volumes = tuple(v for v in pod.volumes if (f"{pod.name}-{v.name}" if v.ephemeral else v.claim_name) not in names)
    return replace(pod, volumes=volumes)


def without_volume(pod: Pod, name: str) -> Pod:
    """The pod without one of its volumes."""
    return replace(pod, volumes=tuple(volume for volume in pod.volumes if volume.name != name))


def without_device_claim(pod: Pod, entry: str) -> Pod:
    """The pod without one of its entries for resource claims."""
    return replace(pod, resource_claims=tuple(one for one in pod.resource_claims if one.name != entry))


def without_gates(pod: Pod) -> Pod:
    """The pod with its scheduling gates taken off."""
    return replace(pod, scheduling_gates=())


def without_host_ports(pod: Pod) -> Pod:
    """The pod with its host ports given up; on the host's network, where every port is one, without these ports."""

    def freed(container: Container) -> Container:
        ports = [port for port in container.ports if not pod.host_network or not port.host_port]
        return replace(container, ports=tuple(replace(port, host_port=0, host_ip="") for port in ports))

    return replace(
        pod, containers=tuple(map(freed, pod.containers)), init_containers=tuple(map(freed, pod.init_containers))
    )


def enlarged(node: Node, more: dict[str, int]) -> Node:
    """The node with more to allocate of these resources, and as much more capacity."""
    allocatable = {**node.allocatable, **{name: node.allocatable.get(name, 0) + by for name, by in more.items()}}
    capacity = {**node.capacity, **{name: node.capacity.get(name, 0) + by for name, by in more.items()}}
    return replace(node, allocatable=allocatable, capacity=capacity)


def another(node: Node, name: str) -> Node:
    """One more node like this one: healthy, without uid or cordon, and with a host name of its own where it has one."""
    labels = {**node.labels, HOSTNAME: name} if HOSTNAME in node.labels else node.labels
    return replace(mended(node), name=name, uid="", labels=labels, unschedulable=False)


def uncordoned(node: Node) -> Node:
    """The node without its cordon, nor the taint that Kubernetes adds for it and takes off again."""
    return replace(node, unschedulable=False, taints=tuple(one for one in node.taints if one.key != CORDON))


def untainted(node: Node, taints: Iterable[Taint]) -> Node:
    """The node without these taints."""
    off = set(taints)
    return replace(node, taints=tuple(taint for taint in node.taints if taint not in off))
