"""Conditions that drivers report of the devices of an allocated claim, which binding waits for (KEP 5007)."""

from __future__ import annotations

from scheduler_core.api.devices import DeviceCondition, DeviceResult
from scheduler_core.api.objects import ResourceClaim


def failure(claim: ResourceClaim) -> str:
    """What a driver says has failed, in kube-scheduler's words; "" where nothing has."""
    for device in _waited_for(claim):
        for condition in _true_conditions(claim, device):
            if condition.type in device.binding_failure_conditions:
                reason, message = condition.reason, condition.message.replace("\\", "\\\\").replace('"', '\\"')
                return f'device binding failed: claim={claim.name}, reason={reason}, message="{message}"'
    return ""


def is_ready(claim: ResourceClaim) -> bool:
    """Whether all conditions of all devices are met."""
    return all(
        set(device.binding_conditions) <= {condition.type for condition in _true_conditions(claim, device)}
        for device in _waited_for(claim)
    )


def _waited_for(claim: ResourceClaim) -> list[DeviceResult]:
    devices = () if claim.allocation is None else claim.allocation.devices
    return [device for device in devices if device.binding_conditions]


def _true_conditions(claim: ResourceClaim, device: DeviceResult) -> list[DeviceCondition]:
    return [
        condition
        for status in claim.device_status
        if (status.driver, status.pool, status.device) == device.device_key
        for condition in status.conditions
        if condition.status == "True"
    ]
