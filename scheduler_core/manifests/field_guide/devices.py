"""The kinds of devices, read by the modules of ``kinds/devices`` and ``kinds/resource_claims``."""

from __future__ import annotations

from scheduler_core.manifests.field_guide.model import (
    GuideField,
    Part,
    amount,
    amounts,
    choice,
    flag,
    keyed,
    many,
    one,
    text,
    texts,
    unread,
    whole,
)

_META = one("Metadata", "Name, namespace and labels.")
_NODE = text("The node that can reach it, where only one can.")
_SELECTOR = one("NodeSelector", "Which nodes can reach it.")
_EVERYWHERE = flag("Whether every node can reach it.")
_COUNTERS = keyed("Counter", "Amounts by name.", ("memory",))
_OPAQUE = "What the driver gets, in its own form: apiVersion, kind and more."
_NAMED = {
    "driver": text("The driver of the device."),
    "pool": text("The pool of the device."),
    "device": text("The name of the device in its pool."),
}
_CONDITIONS = {
    "bindingConditions": texts("Conditions that must be true before a pod is bound."),
    "bindingFailureConditions": texts("Conditions that say that the device cannot be made ready."),
}
_EXACT: Part = {
    "deviceClassName": text("The DeviceClass."),
    "selectors": many("DeviceSelector", "CEL expressions; all must be true of a device."),
    "allocationMode": choice(("ExactCount", "All"), "A number of devices, or all that fit.", "ExactCount"),
    "count": whole("How many devices.", "1"),
    "adminAccess": flag("Whether devices that others have may be taken too."),
    "tolerations": many("DeviceToleration", "Taints of devices that do no harm."),
    "capacity": one("CapacityRequests", "How much of a shared device is wanted."),
}

_DEVICE: Part = {
    "attributes": keyed("DeviceAttribute", "What the device is like; a name without a domain is the driver's."),
    "capacity": keyed("DeviceCapacity", "How much of what the device has.", ("memory",)),
    "taints": many("DeviceTaint", "What keeps claims away that do not tolerate it."),
    "consumesCounters": many("ConsumedCounters", "What it takes from shared counters."),
    "nodeName": _NODE,
    "nodeSelector": _SELECTOR,
    "allNodes": _EVERYWHERE,
    "allowMultipleAllocations": flag("Whether several claims may have the device at once."),
    "bindsToNode": flag("Whether it belongs to the node once it is allocated."),
    **_CONDITIONS,
}

KINDS: dict[str, Part] = {
    "ResourceSlice": {"metadata": _META, "spec": one("ResourceSliceSpec", "Devices, and who can reach them.")},
    "DeviceClass": {"metadata": _META, "spec": one("DeviceClassSpec", "Which devices are of the class.")},
    "ResourceClaim": {
        "metadata": _META,
        "spec": one("ResourceClaimSpec", "What is asked for."),
        "status": one("ResourceClaimStatus", "What the claim got, and who uses it."),
    },
    "ResourceClaimTemplate": {
        "metadata": _META,
        "spec": one("ClaimTemplateSpec", "What claims are made of for pods."),
    },
}

PARTS: dict[str, Part] = {
    "ResourceSliceSpec": {
        "driver": text("The driver that publishes the slice."),
        "pool": one("DevicePool", "The pool that the slice is a part of."),
        "nodeName": _NODE,
        "nodeSelector": _SELECTOR,
        "allNodes": _EVERYWHERE,
        "perDeviceNodeSelection": flag("Whether each device says which nodes can reach it."),
        "devices": many("Device", "The devices."),
        "sharedCounters": many("SharedCounters", "What the devices of the pool take from together."),
    },
    "DevicePool": {
        "name": text("The name of the pool."),
        "generation": whole("The newest generation of a pool counts.", "0"),
        "resourceSliceCount": whole("How many slices the pool has.", "1"),
    },
    "Device": {
        "name": text("The name of the device in its pool."),
        **_DEVICE,
        "basic": one("BasicDevice", "The other fields, in v1beta1."),
    },
    "BasicDevice": _DEVICE,
    "DeviceAttribute": {
        "bool": flag("A truth value.", ""),
        "int": whole("A whole number."),
        "string": text("A text of at most 64 bytes."),
        "version": text("A semantic version such as 1.2.3."),
        **unread("bools", "ints", "strings", "versions"),
    },
    "DeviceCapacity": {
        "value": amount("How much there is."),
        "requestPolicy": one("CapacityPolicy", "How a request takes a part of a shared device."),
    },
    "CapacityPolicy": {
        "default": amount("What a request gets that does not say how much."),
        "validValues": texts("The amounts that a request can get; what is asked for is rounded up."),
        "validRange": one("CapacityRange", "From where to where, and by which steps, a request can get some."),
    },
    "CapacityRange": {
        "min": amount("The least that a request gets."),
        "max": amount("The most that a request gets; without it, all."),
        "step": amount("What is asked for is rounded up to whole steps above min."),
    },
    "Counter": {"value": amount("How much.")},
    "SharedCounters": {
        "name": text("The name of the set."),
        "counters": _COUNTERS,
    },
    "ConsumedCounters": {"counterSet": text("The set."), "counters": _COUNTERS},
    "DeviceTaint": {
        "key": text("The key."),
        "value": text("The value."),
        "effect": choice(("None", "NoSchedule", "NoExecute"), "What it does to claims and pods."),
        **unread("timeAdded"),
    },
    "DeviceToleration": {
        "key": text("The key; none with Exists tolerates every taint."),
        "operator": choice(("Equal", "Exists"), "Whether the value must be the same.", "Equal"),
        "value": text("The value."),
        "effect": choice(("NoSchedule", "NoExecute"), "The effect; without one, all."),
        "tolerationSeconds": whole("How long a taint with NoExecute is tolerated."),
    },
    "DeviceClassSpec": {
        "selectors": many("DeviceSelector", "CEL expressions; all must be true of a device."),
        "config": many("DeviceConfig", "Configuration for drivers."),
        "extendedResourceName": text("The extended resource that devices of the class serve."),
        **unread("suitableNodes"),
    },
    "DeviceSelector": {"cel": one("DeviceExpression", "An expression about a device.")},
    "DeviceExpression": {"expression": text('For example device.driver == "gpu.example.com".')},
    "DeviceConfig": {
        "requests": texts("For which requests; without any, for all."),
        "opaque": one("OpaqueConfig", "What a driver gets; no decision of the scheduler depends on it."),
    },
    "OpaqueConfig": {"driver": text("The driver that it is for."), "parameters": GuideField(_OPAQUE, "any value")},
    "ClaimTemplateSpec": {
        "metadata": one("Metadata", "Labels and annotations of the claims."),
        "spec": one("ResourceClaimSpec", "What is asked for."),
    },
    "ResourceClaimSpec": {"devices": one("DeviceClaim", "Requests for devices."), **unread("controller")},
    "DeviceClaim": {
        "requests": many("DeviceRequest", "Each asks for devices of a class."),
        "constraints": many("DeviceConstraint", "What devices must have in common."),
        "config": many("DeviceConfig", "Configuration for drivers."),
    },
    "DeviceRequest": {
        "name": text("The name of the request."),
        "exactly": one("ExactRequest", "What is asked for."),
        "firstAvailable": many("DeviceAlternative", "Alternatives, the best one first."),
        **_EXACT,
    },
    "ExactRequest": _EXACT,
    "DeviceAlternative": {
        "name": text("The name of the alternative."),
        **{name: field for name, field in _EXACT.items() if name != "adminAccess"},
    },
    "CapacityRequests": {"requests": amounts("How much of each capacity.", ())},
    "DeviceConstraint": {
        "requests": texts("For which requests; without any, for all."),
        "matchAttribute": text("An attribute that all devices must have in common, with its domain."),
        "distinctAttribute": text("An attribute that must differ, with its domain."),
    },
    "ResourceClaimStatus": {
        "allocation": one("DeviceAllocation", "What the claim got."),
        "reservedFor": many("ClaimConsumer", "Who uses the claim."),
        "devices": many("ReportedDevice", "What drivers report."),
        **unread("deallocationRequested"),
    },
    "DeviceAllocation": {
        "devices": one("AllocatedDevices", "The devices."),
        "nodeSelector": _SELECTOR,
        "allocationTimestamp": text("When it was allocated."),
        **unread("controller"),
    },
    "AllocatedDevices": {
        "results": many("AllocatedDevice", "One entry for each device."),
        "config": many("AllocatedConfig", "Configuration for drivers."),
    },
    "AllocatedDevice": {
        "request": text("The request, with the alternative after a slash."),
        **_NAMED,
        "adminAccess": flag("Whether others may have it too."),
        "tolerations": many("DeviceToleration", "Taints of devices that do no harm."),
        "shareID": text("Which share of the device it is."),
        "consumedCapacity": amounts("How much of it is taken.", ()),
        **_CONDITIONS,
    },
    "AllocatedConfig": {
        "source": choice(("FromClass", "FromClaim"), "Where it comes from."),
        "requests": texts("For which requests; without any, for all."),
        **unread("opaque"),
    },
    "ClaimConsumer": {
        "name": text("The name."),
        "uid": text("The uid."),
        "resource": text("The resource.", "pods"),
        "apiGroup": text("Its API group."),
    },
    "ReportedDevice": {
        **_NAMED,
        "conditions": many("DeviceCondition", "Conditions."),
        **unread("data", "networkData", "shareID"),
    },
    "DeviceCondition": {
        "type": text("Which condition."),
        "status": choice(("True", "False", "Unknown"), "Whether it holds."),
        "reason": text("Why."),
        "message": text("Why, in words."),
        **unread("lastTransitionTime", "observedGeneration"),
    },
}
