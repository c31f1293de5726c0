"""ResourceSlices and DeviceClasses from raw values; devices of v1beta1 stand below ``basic``."""

from __future__ import annotations

import re

from scheduler_core.api.devices import (
    AttributeValue,
    Device,
    DeviceClass,
    DeviceTaint,
    ResourceSlice,
    VersionValue,
)
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import label_key_problem, label_value_problem, name_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.devices.capacities import read_capacities
from scheduler_core.manifests.kinds.devices.values import (
    MAX_CONFIGS,
    check_qualified_name,
    read_checked_config,
    read_counters,
    read_driver,
    read_label_name,
    read_node_selector,
    read_pool,
    read_selectors,
)
from scheduler_core.manifests.kinds.metadata import read_metadata
from scheduler_core.manifests.model import quoted

_INT64 = (-(1 << 63), (1 << 63) - 1)
_MAX_DEVICES = 128
_MAX_RICH_DEVICES = 64
_MAX_COUNTER_SETS = 8
_MAX_ATTRIBUTES = 32
_MAX_TAINTS = 16
_MAX_CONDITIONS = 4
_MAX_TEXT = 64
_LISTS = ("bools", "ints", "strings", "versions")
_NUMBER, _PART = r"(?:0|[1-9]\d*)", r"(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
_VERSION = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_PART}(?:\.{_PART})*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?", re.ASCII
)
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
        generation=pool.get("generation").integer(0, 0, _INT64[1]),
        slice_count=count,
        node_name=_node_name(spec.get("nodeName")),
        all_nodes=spec.get("allNodes").boolean(),
        node_selector=read_node_selector(spec.get("nodeSelector")),
        per_device_nodes=spec.get("perDeviceNodeSelection").boolean(),
        devices=_devices(spec.get("devices")),
        shared_counters=tuple(read_counters(item, "name") for item in spec.get("sharedCounters").items()),
    )
    _check_nodes(spec, read)
    _check_counters(spec, read)
    limit = _MAX_DEVICES if not any(one.taints or one.consumes for one in read.devices) else _MAX_RICH_DEVICES
    if limit < len(read.devices) <= _MAX_DEVICES:
        spec.get("devices").warn(
            f"{len(read.devices)} devices are given, some with taints or counters: Kubernetes 1.35 takes {limit} then"
        )
    return read


def _check_nodes(spec: At, read: ResourceSlice) -> None:
    """The slice, or else each of its devices, says which nodes can reach it."""
    places = (read.node_name, read.all_nodes, read.node_selector, read.per_device_nodes)
    if sum(bool(place) for place in places) != 1:
        spec.refuse("needs one of nodeName, nodeSelector, allNodes and perDeviceNodeSelection")
    for flag in ("allNodes", "perDeviceNodeSelection"):
        if spec.get(flag).raw is False:
            spec.get(flag).refuse("is true where it is given. Remove it")
    if read.node_selector is not None and len(read.node_selector.terms) != 1:
        spec.get("nodeSelector").refuse("needs exactly one term", "nodeSelectorTerms")
    for item, device in zip(spec.get("devices").items(), read.devices, strict=False):
        body = item.get("basic") if item.get("basic").present else item
        n_places = sum(bool(one) for one in (device.node_name, device.node_selector, device.all_nodes))
        if read.per_device_nodes and n_places != 1:
            body.refuse("needs one of nodeName, nodeSelector and allNodes, as perDeviceNodeSelection is true")
        elif n_places and not read.per_device_nodes:
            body.refuse("says its own nodes, which needs perDeviceNodeSelection: true in the spec of the slice")


def _check_counters(spec: At, read: ResourceSlice) -> None:
    """Sets of counters; a set of the same slice must have what its devices take (of other slices of the pool, the input
    as a whole tells)."""
    sets = spec.get("sharedCounters")
    if read.shared_counters and read.devices:
        spec.warn("has both sharedCounters and devices. From Kubernetes 1.35 on counters are a slice of their own")
    if len(read.shared_counters) > _MAX_COUNTER_SETS:
        sets.warn(f"{len(read.shared_counters)} sets are given. Kubernetes 1.35 takes {_MAX_COUNTER_SETS}")
    names: set[str] = set()
    for item, one in zip(sets.items(), read.shared_counters, strict=True):
        if one.name in names:
            item.get("name").refuse(f"another set is named {quoted(one.name)}. Rename one of them")
        names.add(one.name)
    for item, device in zip(spec.get("devices").items(), read.devices, strict=False):
        body = item.get("basic") if item.get("basic").present else item
        taken = [one.name for one in device.consumes]
        if len(set(taken)) < len(taken):
            body.get("consumesCounters").refuse("names a set twice. Write its counters together")


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
    at.mapping((*_DEVICE_FIELDS, "basic"))
    if basic.present:
        basic.mapping(_DEVICE_FIELDS[1:])
    device = Device(
        name=read_label_name(name),
        attributes=_attributes(body.get("attributes")),
        capacity=read_capacities(body.get("capacity"), shared=body.get("allowMultipleAllocations").raw is True),
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
    at.mapping(("bool", "int", "string", "version", *_LISTS))
    given = [key for key in ("bool", "int", "string", "version") if at.get(key).present]
    if not given and any(at.get(key).present for key in _LISTS):
        at.warn("is a list of values, which is not played: selectors do not see it")
    elif len(given) != 1:
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
            version = _short_text(value)
            if version and not _VERSION.fullmatch(version):
                value.refuse(f"{quoted(version)} is no semantic version. Write one such as 1.2.3")
            return VersionValue(version)
        case "string":
            return _short_text(value)
    return None


def _short_text(at: At) -> str:
    text = at.text()
    if len(text.encode()) > _MAX_TEXT:
        at.refuse(f"has more than {_MAX_TEXT} bytes")
    return text


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
        config=tuple(read_checked_config(item) for item in config),
        extended_resource_name=resource,
        creation_timestamp=meta.created,
    )
