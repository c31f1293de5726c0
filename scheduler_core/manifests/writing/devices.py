"""Slices, device classes, claims and what pods say of theirs in the form of manifests of resource.k8s.io/v1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from scheduler_core.api import devices as d
from scheduler_core.manifests.writing.values import Raw, given, moment, node_selector

_decode = msgspec.json.decode


def each(write: Callable[[Any], Raw]) -> Callable[[Any, Any, Any], list[Raw] | None]:
    """A list whose entries are written from scratch."""
    return lambda raw, old, new: [write(one) for one in new] or None


def selector(expression: str) -> Raw:
    """A CEL selector."""
    return {"cel": {"expression": expression}}


def config(text: str) -> Raw:
    """What configures drivers, of its canonical JSON."""
    made: Raw = _decode(text)
    return made


def claim_spec(raw: Any, old: Any, new: d.ClaimSpec) -> Raw | None:
    """The spec of a claim; a controller that is named in it stays."""
    own = {"controller": raw["controller"]} if isinstance(raw, dict) and "controller" in raw else {}
    devices = given(
        requests=[_request(one) for one in new.requests],
        constraints=[_constraint(one) for one in new.constraints],
        config=[{**config(one.config), **given(requests=list(one.requests))} for one in new.config],
    )
    return ({"devices": devices} if devices else {}) | own or None


def _request(one: d.DeviceRequest) -> Raw:
    if one.alternatives:
        return {"name": one.name, "firstAvailable": [{"name": a.name, **_exact(a)} for a in one.alternatives]}
    return {"name": one.name, "exactly": _exact(one)}


def _exact(one: d.DeviceRequest) -> Raw:
    made = given(
        deviceClassName=one.class_name,
        selectors=[selector(text) for text in one.selectors],
        allocationMode=one.mode if one.mode != d.EXACT_COUNT else "",
        tolerations=[toleration(t) for t in one.tolerations],
        capacity=given(requests=dict(one.capacity)),
    )
    if one.mode == d.EXACT_COUNT and one.count != 1:
        made["count"] = one.count
    return made | ({"adminAccess": True} if one.admin_access else {})


def toleration(one: d.DeviceToleration) -> Raw:
    """A toleration of taints of devices."""
    made = given(key=one.key, operator=one.operator, value=one.value, effect=one.effect)
    return made if one.seconds is None else made | {"tolerationSeconds": one.seconds}


def _constraint(one: d.DeviceConstraint) -> Raw:
    return given(
        requests=list(one.requests), matchAttribute=one.match_attribute, distinctAttribute=one.distinct_attribute
    )


def allocation(raw: Any, old: Any, new: d.Allocation | None) -> Raw | None:
    """What a claim got."""
    if new is None:
        return None
    configs = ({"source": one.source, **config(one.config), **given(requests=list(one.requests))} for one in new.config)
    return given(
        devices=given(results=[_result(one) for one in new.devices], config=list(configs)),
        nodeSelector=node_selector(None, None, new.node_selector),
        allocationTimestamp=moment(None, None, new.allocated_at),
    )


def _result(one: d.DeviceResult) -> Raw:
    made = given(
        request=one.request,
        driver=one.driver,
        pool=one.pool,
        device=one.device,
        tolerations=[toleration(t) for t in one.tolerations],
        bindingConditions=list(one.binding_conditions),
        bindingFailureConditions=list(one.binding_failure_conditions),
        shareID=one.share_id,
        consumedCapacity=dict(one.consumed),
    )
    return made | ({"adminAccess": True} if one.admin_access else {})


def consumer(one: d.Consumer) -> Raw:
    """Who reserved a claim."""
    return given(apiGroup=one.api_group, resource=one.resource, name=one.name, uid=one.uid)


def device_status(one: d.DeviceStatus) -> Raw:
    """What a driver reports of a device of a claim."""
    conditions = [given(type=c.type, status=c.status, reason=c.reason, message=c.message) for c in one.conditions]
    rest = _decode(one.rest) if one.rest else {}
    return {**rest, **given(driver=one.driver, pool=one.pool, device=one.device, conditions=conditions)}


def for_extended_resources(raw: Any, old: Any, new: bool) -> str | None:
    """The annotation of a claim that the scheduler made."""
    return "true" if new else None


def device(one: d.Device) -> Raw:
    """A device of a slice."""
    made = given(
        attributes={name: _attribute(value) for name, value in one.attributes.items()},
        capacity={name: _capacity(value) for name, value in one.capacity.items()},
        taints=[given(key=t.key, value=t.value, effect=t.effect) for t in one.taints],
        consumesCounters=[_counters(c, "counterSet") for c in one.consumes],
        nodeName=one.node_name,
        nodeSelector=node_selector(None, None, one.node_selector),
        bindingConditions=list(one.binding_conditions),
        bindingFailureConditions=list(one.binding_failure_conditions),
    )
    flags = (("allNodes", one.all_nodes), ("allowMultipleAllocations", one.shared), ("bindsToNode", one.binds_to_node))
    return {"name": one.name} | made | {name: True for name, value in flags if value}


def _attribute(value: d.AttributeValue) -> Raw:
    if isinstance(value, d.VersionValue):
        return {"version": value.text}
    word = "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "string"
    return {word: value}


def _capacity(one: d.DeviceCapacity) -> Raw:
    if one.policy is None:
        return {"value": one.value}
    limits = given(min=one.policy.min, max=one.policy.max, step=one.policy.step)
    policy = given(default=one.policy.default, validValues=list(one.policy.values), validRange=limits)
    return {"value": one.value, "requestPolicy": policy}


def counters(one: d.CounterSet) -> Raw:
    """A set of shared counters."""
    return _counters(one, "name")


def _counters(one: d.CounterSet, name: str) -> Raw:
    return {name: one.name, "counters": {key: {"value": value} for key, value in one.counters.items()}}


def pod_claim_statuses(entries: Any) -> list[Raw]:
    """What a pod's status says of the claims that were generated for its entries."""
    return [
        {"name": one.name, **given(resourceClaimName=one.generated)} for one in entries if one.generated is not None
    ]


def extended_claim(name: str, served: Any) -> Raw | None:
    """What a pod's status says of the claim that the scheduler made for its extended resources."""
    mappings = [
        {"containerName": one.container, "resourceName": one.resource, "requestName": one.request} for one in served
    ]
    return {"resourceClaimName": name, "requestMappings": mappings} if name else None


def without_claims_of_containers(spec: Raw, names: Mapping[str, Any]) -> None:
    """Take the claims of containers away whose entries the pod no longer has."""
    for field in ("containers", "initContainers", "ephemeralContainers"):
        for one in spec.get(field) or ():
            resources = one.get("resources") if isinstance(one, dict) else None
            if not isinstance(resources, dict) or not isinstance(resources.get("claims"), list):
                continue
            resources["claims"] = [one for one in resources["claims"] if one.get("name") in names]
            if not resources["claims"]:
                del resources["claims"]
