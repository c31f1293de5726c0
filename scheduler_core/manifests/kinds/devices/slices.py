"""ResourceSlices and DeviceClasses from raw values; devices of v1beta1 stand below ``basic``."""

from __future__ import annotations

from scheduler_core.api.devices import (
    AttributeValue,
    CapacityPolicy,
    Device,
    DeviceCapacity,
    DeviceClass,
    DeviceTaint,
    ResourceSlice,
    VersionValue,
)
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import label_key_problem, label_value_problem, name_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.devices.values import (
    MAX_CONFIGS,
    check_qualified_name,
    read_config,
    read_counters,
    read_driver,
    read_label_name,
    read_node_selector,
    read_pool,
    read_quantity,
    read_selectors,
)
from scheduler_core.manifests.kinds.metadata import read_metadata
from scheduler_core.manifests.model import quoted

_INT64 = (-(1 << 63), (1 << 63) - 1)
_MAX_DEVICES = 128
_MAX_ATTRIBUTES = 32
_MAX_TAINTS = 16
_MAX_CONDITIONS = 4
_MAX_TEXT = 64
_SLICE_FIELDS = (
    "driver", "pool", "nodeName", "nodeSelector", "allNodes", "devices", "perDeviceNodeSelection", "sharedCounters",
)  # fmt: skip
_DEVICE_FIELDS = (
    "name", "attributes", "capacity", "taints", "consumesCounters", "nodeName", "nodeSelector", "allNodes",
    "allowMultipleAllocations", "bindsToNode", "bindingConditions", "bindingFailureConditions",
)  # fmt: skip


def read_resource_slice(at: At, memo: Memo) -> ResourceSlice:
    """The ResourceSlice."""
    meta, spec = read_metadata(at, memo, namespaced=False), at.get("spec")
    spec.mapping(_SLICE_FIELDS)
    pool = spec.get("pool")
    pool.mapping(("name", "generation", "resourceSliceCount"))
    count = pool.get("resourceSliceCount").integer(1, *_INT64)
    if count < 1:
        pool.get("resourceSliceCount").refuse("is not positive. Write how many slices the pool has")
    read = ResourceSlice(
        name=meta.name,
        driver=read_driver(spec.get("driver")),
        pool=read_pool(pool.get("name")),
        generation=pool.get("generation").integer(0, *_INT64),
        slice_count=count,
        node_name=_node_name(spec.get("nodeName")),
        all_nodes=spec.get("allNodes").boolean(),
        node_selector=read_node_selector(spec.get("nodeSelector")),
        per_device_nodes=spec.get("perDeviceNodeSelection").boolean(),
        devices=_devices(spec.get("devices")),
        shared_counters=tuple(read_counters(item, "name") for item in spec.get("sharedCounters").items()),
    )
    places = (read.node_name, read.all_nodes, read.node_selector, read.per_device_nodes)
    if sum(bool(place) for place in places) != 1:
        spec.refuse("needs one of nodeName, nodeSelector, allNodes and perDeviceNodeSelection")
    return read


def _node_name(at: At) -> str:
    name = at.text()
    if name and name_problem(name):
        at.refuse(name_problem(name))
    return name


def _devices(at: At) -> tuple[Device, ...]:
    items = at.items()
    if len(items) > _MAX_DEVICES:
        at.refuse(f"{len(items)} devices are given. A slice has at most {_MAX_DEVICES}")
    names: set[str] = set()
    devices = []
    for item in items:
        device = _device(item)
        if device.name in names:
            item.get("name").refuse(f"another device of the slice is named {quoted(device.name)}")
        names.add(device.name)
        devices.append(device)
    return tuple(devices)


def _device(at: At) -> Device:
    name, basic = at.get("name"), at.get("basic")
    body = basic if basic.present else at
    body.mapping(_DEVICE_FIELDS if basic.present else (*_DEVICE_FIELDS, "basic"))
    device = Device(
        name=read_label_name(name),
        attributes=_attributes(body.get("attributes")),
        capacity=_capacities(body.get("capacity")),
        taints=tuple(_taint(item) for item in body.get("taints").items()),
        consumes=tuple(read_counters(item, "counterSet") for item in body.get("consumesCounters").items()),
        node_name=_node_name(body.get("nodeName")),
        all_nodes=body.get("allNodes").boolean(),
        node_selector=read_node_selector(body.get("nodeSelector")),
        shared=body.get("allowMultipleAllocations").boolean(),
        binds_to_node=body.get("bindsToNode").boolean(),
        binding_conditions=body.get("bindingConditions").texts(),
        binding_failure_conditions=body.get("bindingFailureConditions").texts(),
    )
    if len(device.attributes) + len(device.capacity) > _MAX_ATTRIBUTES:
        body.refuse(f"has more than {_MAX_ATTRIBUTES} attributes and capacities")
    if len(device.taints) > _MAX_TAINTS:
        body.get("taints").refuse(f"has more than {_MAX_TAINTS} taints")
    for field in ("bindingConditions", "bindingFailureConditions"):
        if len(body.get(field).items()) > _MAX_CONDITIONS:
            body.get(field).refuse(f"has more than {_MAX_CONDITIONS} conditions")
    return device


def _attributes(at: At) -> dict[str, AttributeValue]:
    attributes: dict[str, AttributeValue] = {}
    for name in at.mapping():
        item = at.get(name)
        check_qualified_name(item, name)
        value = _attribute(item)
        if value is not None:
            attributes[name] = value
    return attributes


def _attribute(at: At) -> AttributeValue | None:
    given = [key for key in ("bool", "int", "string", "version") if at.get(key).present]
    if len(given) != 1:
        at.refuse("needs one of bool, int, string and version")
    if not given:
        return None
    value = at.get(given[0])
    match given[0]:
        case "bool":
            return value.boolean()
        case "int":
            return value.integer(0, *_INT64)
        case "version":
            return VersionValue(_short_text(value))
        case "string":
            return _short_text(value)
    return None


def _short_text(at: At) -> str:
    text = at.text()
    if len(text.encode()) > _MAX_TEXT:
        at.refuse(f"has more than {_MAX_TEXT} bytes")
    return text


def _capacities(at: At) -> dict[str, DeviceCapacity]:
    capacities = {}
    for name, raw in at.mapping().items():
        item = at.get(name)
        check_qualified_name(item, name)
        if raw.__class__ is not dict:  # v1alpha3 had the quantity itself
            capacities[name] = DeviceCapacity(read_quantity(item))
            continue
        policy = item.get("requestPolicy")
        capacities[name] = DeviceCapacity(read_quantity(item.get("value")), _policy(policy) if policy.present else None)
    return capacities


def _policy(at: At) -> CapacityPolicy:
    at.mapping(("default", "validValues", "validRange"))
    limits = at.get("validRange")
    limits.mapping(("min", "max", "step"))
    low, high, step = (
        read_quantity(limits.get(key)) if limits.get(key).present else None for key in ("min", "max", "step")
    )
    return CapacityPolicy(
        default=read_quantity(at.get("default")) if at.get("default").present else None,
        values=tuple(read_quantity(item) for item in at.get("validValues").items()),
        min=low,
        max=high,
        step=step,
    )


def _taint(at: At) -> DeviceTaint:
    at.mapping(("key", "value", "effect", "timeAdded"))
    key, value = at.get("key").text(required=True), at.word("value")
    if key and label_key_problem(key):
        at.get("key").refuse(label_key_problem(key))
    if label_value_problem(value):
        at.get("value").refuse(label_value_problem(value))
    return DeviceTaint(key, value, at.get("effect").text("", ("None", "NoSchedule", "NoExecute"), required=True))


def read_device_class(at: At, memo: Memo) -> DeviceClass:
    """The DeviceClass."""
    meta, spec = read_metadata(at, memo, namespaced=False), at.get("spec")
    spec.mapping(("selectors", "config", "extendedResourceName", "suitableNodes"))
    resource = spec.get("extendedResourceName").text()
    if resource and ("/" not in resource or label_key_problem(resource)):
        spec.get("extendedResourceName").refuse(f"{quoted(resource)} is no extended resource, such as example.com/gpu")
    config = spec.get("config").items()
    if len(config) > MAX_CONFIGS:
        spec.get("config").refuse(f"has more than {MAX_CONFIGS} entries")
    return DeviceClass(
        name=meta.name,
        selectors=read_selectors(spec.get("selectors")),
        config=tuple(read_config(item) for item in config),
        extended_resource_name=resource,
        creation_timestamp=meta.created,
    )
