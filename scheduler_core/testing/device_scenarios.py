"""Devices in recorded scenarios: claims after each step, objects that others change in between, drivers that report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.api.devices import Allocation, DeviceCondition, DeviceRequest, DeviceResult, DeviceStatus
from scheduler_core.api.labels import NodeSelector, Requirement
from scheduler_core.api.objects import PodResourceClaim, ResourceClaim
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.world import World

Step = dict[str, Any]
_KINDS = frozenset(("ResourceClaim", "ResourceSlice", "DeviceClass", "ResourceClaimTemplate"))
_PRE_BIND = 'running PreBind plugin "DynamicResources": '


class DeviceSteps:
    """What a file with devices records besides; ``in_use`` is False for files without any."""

    def __init__(self, scenario: Mapping[str, Any], simulation: Simulation) -> None:
        self._simulation = simulation
        kinds = {raw.get("kind") for raw in scenario["objects"]}
        kinds |= {entry["apply"].get("kind") for entry in scenario["pods"] if "apply" in entry}
        self.in_use = bool(kinds & _KINDS)
        self._after: list[dict[str, ResourceClaim]] = []
        self._driver: Sequence[Mapping[str, Any]] = scenario.get("driver", ())
        if self._driver:
            self._drive(simulation.world)

    @property
    def _claims(self) -> dict[str, ResourceClaim]:
        return self._simulation.context.cluster.listers.resource_claims

    def _drive(self, world: World) -> None:
        """Have the driver report conditions as soon as a claim got its device."""
        write = world.write

        def reported(obj: Any) -> None:
            before = self._claims.get(obj.key) if isinstance(obj, ResourceClaim) else None
            write(obj)
            if before is not None and before.allocation is None and obj.allocation is not None:
                status = tuple(self._reports(obj.allocation))
                if status:
                    write(msgspec.structs.replace(obj, device_status=status))

        self._simulation.context.write = reported

    def _reports(self, allocation: Allocation) -> Iterator[DeviceStatus]:
        for device in allocation.devices:
            conditions = tuple(
                DeviceCondition(raw["type"], raw["status"], raw.get("reason", ""), raw.get("message", ""))
                for raw in self._driver
                if raw["device"] == device.device and device.binding_conditions
            )
            if conditions:
                yield DeviceStatus(driver=device.driver, pool=device.pool, device=device.device, conditions=conditions)

    def begin(self) -> None:
        """Attempts of a pod begin."""
        self._after = []

    def note(self, n_attempts: int) -> None:
        """Keep the claims as they are: after the last of ``n_attempts`` attempts, as far as that went."""
        del self._after[max(n_attempts - 1, 0) :]
        self._after.append(dict(self._claims))

    def finish(self, steps: list[Step]) -> list[Step]:
        """The steps of these attempts with the claims after each."""
        for i, step in enumerate(steps):
            if self.in_use and step["result"] not in ("gone", "ignored"):
                self._add_claims(step, self._after[i] if i < len(self._after) - 1 else self._claims)
        return steps

    def _add_claims(self, step: Step, claims: Mapping[str, ResourceClaim]) -> None:
        pod = self._simulation.world.pods.get(step["pod"])
        if pod is None:
            return
        if pod.resource_claims:
            step["claims"] = [_entry(claims, pod.namespace, entry) for entry in pod.resource_claims]
        if pod.extended_claim and step["result"] == "scheduled":
            claim = self._claims[f"{pod.namespace}/{pod.extended_claim}"]
            step["extendedResourceClaim"] = {
                "claim": claim.name,
                "mappings": [
                    {"container": one.container, "resource": one.resource, "request": one.request}
                    for one in pod.extended_requests
                ],
                "requests": [_request(request) for request in claim.spec.requests],
                **_state(claim),
            }

    def final(self) -> Step:
        """All claims at the end."""
        return {"claims": {key: _state(self._claims[key]) for key in sorted(self._claims)}} if self.in_use else {}


def _entry(claims: Mapping[str, ResourceClaim], namespace: str, of_pod: PodResourceClaim) -> Step:
    name = of_pod.claim_name or of_pod.generated
    entry: Step = {"name": of_pod.name, "claim": f"{namespace}/{name}" if name else None}
    if not name:
        return entry
    claim = claims.get(entry["claim"])
    return {**entry, "missing": True} if claim is None else {**entry, **_state(claim)}


def pre_bind_failure(message: str) -> str:
    """What this plugin's PreBind failed with, as the recordings have it; "" for another failure."""
    return message.removeprefix(_PRE_BIND) if message.startswith(_PRE_BIND) else ""


def _request(request: DeviceRequest) -> Step:
    exactly = {"allocationMode": request.mode, "count": request.count, "deviceClassName": request.class_name}
    return {"name": request.name, "exactly": exactly}


def _state(claim: ResourceClaim) -> Step:
    entry: Step = {"deleting": True} if claim.deletion_timestamp is not None else {}
    allocation = None if claim.allocation is None else _allocation(claim.allocation)
    return {**entry, "allocation": allocation, "reservedFor": [one.name for one in claim.reserved_for]}


def _allocation(allocation: Allocation) -> Step:
    entry: Step = {"devices": [_device(device) for device in allocation.devices]}
    if allocation.node_selector is not None:
        entry["nodeSelector"] = _node_selector(allocation.node_selector)
    if allocation.config:
        entry["config"] = [
            {"source": one.source, **_requests(one.requests), **msgspec.json.decode(one.config)}
            for one in allocation.config
        ]
    return entry


def _requests(names: Sequence[str]) -> Step:
    return {"requests": list(names)} if names else {}


def _device(device: DeviceResult) -> Step:
    entry: Step = {"request": device.request, "driver": device.driver, "pool": device.pool, "device": device.device}
    if device.admin_access:
        entry["adminAccess"] = True
    if device.tolerations:
        entry["tolerations"] = [
            {
                key: value
                for key, value in (
                    ("key", one.key), ("operator", one.operator), ("value", one.value), ("effect", one.effect),
                    ("tolerationSeconds", one.seconds),
                )
                if value not in ("", None)
            }
            for one in device.tolerations
        ]  # fmt: skip
    for key, conditions in (
        ("bindingConditions", device.binding_conditions),
        ("bindingFailureConditions", device.binding_failure_conditions),
    ):
        if conditions:
            entry[key] = list(conditions)
    if device.consumed:
        entry["consumedCapacity"] = dict(device.consumed)
    if device.share_id:
        entry["shareID"] = "any"
    return entry


def _node_selector(selector: NodeSelector) -> Step:
    def requirement(one: Requirement) -> Step:
        values = {"values": list(one.values)} if one.values else {}
        return {"key": one.key, "operator": one.operator, **values}

    terms = []
    for term in selector.terms:
        parts = (("matchExpressions", term.match_expressions), ("matchFields", term.match_fields))
        terms.append({key: [requirement(one) for one in ones] for key, ones in parts if ones})
    return {"nodeSelectorTerms": terms}
