"""Extended resources that devices serve: the claim that the scheduler makes for a pod, by node (KEP 5004).

Mirrors extendeddynamicresources.go. A node that offers the resource itself serves it, even when it is full; elsewhere
the claim has a request for each container and resource. Init containers that end use what later containers get, and one
request more for the largest rest.
"""

from __future__ import annotations

import msgspec

from scheduler_core.api.devices import EXACT_COUNT, ClaimSpec, DeviceClass, DeviceRequest, ServedResource
from scheduler_core.api.objects import Container, Node, OwnerReference, Pod, ResourceClaim
from scheduler_core.api.resources import pod_requests
from scheduler_core.framework.contracts.status import SUCCESS, Status, unresolvable
from scheduler_core.framework.plugin_helpers.device_classes import ClassResolver

IN_MEMORY = "<extended-resources>"
"""The name of the claim until it is written."""
_STALE = "cannot schedule extended resource claim"


class NodeRequests(msgspec.Struct, frozen=True, eq=False):
    """What pods of a class would need on a node: what their claim asks for (None: nothing), and what that serves."""

    status: Status = SUCCESS
    spec: ClaimSpec | None = None
    mappings: tuple[ServedResource, ...] = ()


class ExtendedWork:
    """The extended resources of a pod that classes serve. ``stale`` is a claim that an earlier attempt left; without
    one, the answers are the same for all pods of a class."""

    def __init__(self, pod: Pod, resolver: ClassResolver, stale: ResourceClaim | None) -> None:
        self.pod, self.stale = pod, stale
        self._resolver = resolver
        self._requests = {name: n for name, n in pod_requests(pod).items() if n and "/" in name}
        self._by_needed: dict[tuple[str, ...], NodeRequests] = {}

    @property
    def is_needed(self) -> bool:
        """Whether any class serves a resource of the pod."""
        return any(self._resolver.class_of(name) is not None for name in self._requests)

    def on(self, node: Node) -> NodeRequests:
        """What the node would need."""
        if self.stale is not None:
            return NodeRequests(unresolvable(_STALE))
        needed: list[str] = []
        for name in self._requests:
            if self._resolver.class_of(name) is not None and not node.allocatable.get(name, 0):
                needed.append(name)
            elif name not in node.allocatable:
                return NodeRequests(unresolvable("cannot fit resource"))
        if not needed and not self.pod.resource_claims:
            return NodeRequests()
        key = tuple(sorted(needed))
        if (answer := self._by_needed.get(key)) is None:
            requests, mappings = _requests(self.pod, list(key), self._resolver)
            answer = self._by_needed[key] = NodeRequests(SUCCESS, ClaimSpec(requests), mappings)
        return answer


def claim_of(pod: Pod, spec: ClaimSpec) -> ResourceClaim:
    """The claim for extended resources of a pod, before it has a name."""
    owner = OwnerReference("Pod", pod.name, pod.uid, True, "v1")
    return ResourceClaim(
        name=IN_MEMORY, namespace=pod.namespace, owner_references=(owner,), spec=spec, for_extended_resources=True
    )


def _requests(
    pod: Pod, resources: list[str], resolver: ClassResolver
) -> tuple[tuple[DeviceRequest, ...], tuple[ServedResource, ...]]:
    requests: list[DeviceRequest] = []
    mappings: list[ServedResource] = []
    for resource in resources:
        of = resolver.class_of(resource)
        assert of is not None
        _add_resource(pod, resource, of, requests, mappings)
    return tuple(sorted(requests, key=lambda request: request.name)), tuple(mappings)


def _add_resource(
    pod: Pod, resource: str, of: DeviceClass, requests: list[DeviceRequest], mappings: list[ServedResource]
) -> None:
    """Add the requests for one resource: of containers that stay, then the largest of init containers that end."""
    containers = (*pod.init_containers, *pod.containers)
    ends = [i < len(pod.init_containers) and containers[i].restart_policy != "Always" for i in range(len(containers))]
    staying: list[DeviceRequest | None] = [None] * len(containers)

    def make(i: int, reusable: list[DeviceRequest]) -> tuple[DeviceRequest | None, list[ServedResource]]:
        return _container_request(i, containers[i], resource, of.name, reusable)

    for i in range(len(containers)):
        if not ends[i]:
            staying[i], added = make(i, [])
            mappings += added
    largest: DeviceRequest | None = None
    ending: list[ServedResource] = []
    names = set()
    for i in range(len(containers)):
        if ends[i]:
            request, added = make(i, [one for one in staying[i:] if one is not None])
            ending += added
            if request is not None:
                names.add(request.name)
                largest = request if largest is None or largest.count < request.count else largest
    if largest is not None:
        requests.append(largest)
        replaced = names - {largest.name}
        ending = [
            msgspec.structs.replace(one, request=largest.name) if one.request in replaced else one for one in ending
        ]
    requests += [one for one in staying if one is not None]
    mappings += ending


def _container_request(
    i: int, container: Container, resource: str, class_name: str, reusable: list[DeviceRequest]
) -> tuple[DeviceRequest | None, list[ServedResource]]:
    requests, name = container.requests, container.name
    amount = requests.get(resource, 0)
    if not amount:
        return None, []
    mappings, n_reused = [], 0
    for one in reusable:
        n_reused += one.count
        mappings.append(ServedResource(name, resource, one.name))
        if n_reused >= amount:
            return None, mappings
    request_name = f"container-{i}-request-{sorted(requests).index(resource)}"
    mappings.append(ServedResource(name, resource, request_name))
    request = DeviceRequest(name=request_name, class_name=class_name, mode=EXACT_COUNT, count=amount - n_reused)
    return request, mappings
