"""The allocation in a claim's status, made of the devices that a search took."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_core.api.devices import Allocation, AllocationConfig, DeviceResult
from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Node, ResourceClaim
from scheduler_core.plugins.dynamic_resources.errors import AllocationError
from scheduler_core.plugins.dynamic_resources.requests import NodeDeviceRequests, PreparedRequest
from scheduler_core.plugins.dynamic_resources.search import TakenDevice
from scheduler_core.versions.behaviours import Behaviours

SHARED = "any"
"""The share ID of every share of a device: the reference draws one at random, and nothing depends on it."""


def allocation(requests: NodeDeviceRequests, c: int, taken: list[TakenDevice], behaviours: Behaviours) -> Allocation:
    """The allocation of the claim at place ``c``. Raises AllocationError."""
    claim = requests.claims[c]
    chosen = [_chosen(requests, c, r) for r in range(len(claim.spec.requests))]
    config = (*_class_config(chosen, behaviours), *_claim_config(claim, chosen))
    results = tuple(_result(one, behaviours) for one in taken)
    return Allocation(results, config, _node_selector(claim, taken, requests.node))


def _chosen(requests: NodeDeviceRequests, c: int, r: int) -> PreparedRequest:
    first = requests.prepared[c, r, 0]
    return requests.prepared[c, r, first.chosen]


def _result(taken: TakenDevice, behaviours: Behaviours) -> DeviceResult:
    driver, pool, name = taken.candidate.key
    device, request = taken.candidate.device, taken.prepared.request
    binds = behaviours.device_binding_conditions
    return DeviceResult(
        request=taken.prepared.result_name,
        driver=driver,
        pool=pool,
        device=name,
        admin_access=request.admin_access,
        tolerations=request.tolerations,
        binding_conditions=device.binding_conditions if binds else (),
        binding_failure_conditions=device.binding_failure_conditions if binds else (),
        share_id="" if taken.consumed is None else SHARED,
        consumed=taken.consumed or {},
    )


def _class_config(chosen: Iterable[PreparedRequest], behaviours: Behaviours) -> list[AllocationConfig]:
    """Once for each class with its requests; up to 1.34.1 once for each request, without saying for which."""
    if not behaviours.class_config_names_requests:
        return [AllocationConfig("FromClass", text) for one in chosen for text in one.device_class.config]
    by_class: dict[str, list[PreparedRequest]] = {}
    for one in chosen:
        by_class.setdefault(one.device_class.name, []).append(one)
    return [
        AllocationConfig("FromClass", text, tuple(one.result_name for one in requests))
        for requests in by_class.values()
        for text in requests[0].device_class.config
    ]


def _claim_config(claim: ResourceClaim, chosen: list[PreparedRequest]) -> list[AllocationConfig]:
    """What is for all requests, once; other entries once for each of their requests or chosen alternatives."""
    entries = []
    for config in claim.spec.config:
        n_times = 1
        if config.requests:
            names = [{one.parent or one.request.name, one.result_name} for one in chosen]
            n_times = sum(not one.isdisjoint(config.requests) for one in names)
        entries += [AllocationConfig("FromClaim", config.config, config.requests)] * n_times
    return entries


def _node_selector(claim: ResourceClaim, taken: list[TakenDevice], node: Node) -> NodeSelector | None:
    """Where the claim can be used: on the node where a device is local to it, else where all slices can be reached."""
    expressions: list[Requirement] = []
    fields: list[Requirement] = []
    for one in taken:
        where = one.candidate.device if one.candidate.slice.per_device_nodes else one.candidate.slice
        if where.node_name or one.candidate.device.binds_to_node:
            name = Requirement("metadata.name", "In", (node.name,))
            return NodeSelector((NodeSelectorTerm(match_fields=(name,)),))
        terms = where.node_selector.terms if where.node_selector is not None else ()
        if len(terms) > 1:
            text = f"unsupported ResourceSlice.NodeSelector with {len(terms)} terms"
            raise AllocationError(f"create NodeSelector for claim {claim.name}: {text}")
        for term in terms:
            _add_new(fields, term.match_fields)
            _add_new(expressions, term.match_expressions)
    if not expressions and not fields:
        return None
    return NodeSelector((NodeSelectorTerm(tuple(expressions), tuple(fields)),))


def _add_new(requirements_here: list[Requirement], requirements: Iterable[Requirement]) -> None:
    for new in requirements:
        same = (new.key, new.operator, set(new.values))
        if all((one.key, one.operator, set(one.values)) != same for one in requirements_here):
            requirements_here.append(new)
