"""Devices as drivers publish them and as claims ask for and get them (resource.k8s.io/v1).

Quantities are texts as they were written, since results repeat them; ``api.quantity`` reads them. What a driver's
configuration holds is opaque: it is canonical JSON here. Where a field may be absent, None or an empty value says so.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from scheduler_core.api.labels import NodeSelector

ALL, EXACT_COUNT = "All", "ExactCount"


class VersionValue(msgspec.Struct, frozen=True, gc=False):
    """An attribute that is a semantic version."""

    text: str


AttributeValue = bool | int | str | VersionValue


class CapacityPolicy(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """How much of a shared device's capacity a request may take: ``values``, or ``min`` to ``max`` in steps."""

    default: str | None = None
    values: tuple[str, ...] = ()
    min: str | None = None
    max: str | None = None
    step: str | None = None

    @property
    def has_range(self) -> bool:
        """Whether a range is given."""
        return self.min is not None or self.max is not None or self.step is not None


class DeviceCapacity(msgspec.Struct, frozen=True, gc=False):
    """A capacity of a device, with the rule for parts of it."""

    value: str
    policy: CapacityPolicy | None = None


class CounterSet(msgspec.Struct, frozen=True, gc=False):
    """Counters of a pool by name, or what a device takes from such a set."""

    name: str
    counters: Mapping[str, str] = msgspec.field(default_factory=dict)


class DeviceTaint(msgspec.Struct, frozen=True, gc=False):
    """A taint of a device; effect is NoSchedule, NoExecute or None."""

    key: str
    value: str = ""
    effect: str = ""


class DeviceToleration(msgspec.Struct, frozen=True, gc=False):
    """A toleration of a request; an empty ``key`` (with Exists) and an empty ``effect`` stand for all."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    seconds: int | None = None


class Device(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A device of a slice. ``shared``: several claims may have it at once, each a part of its capacity."""

    name: str
    attributes: Mapping[str, AttributeValue] = msgspec.field(default_factory=dict)
    capacity: Mapping[str, DeviceCapacity] = msgspec.field(default_factory=dict)
    taints: tuple[DeviceTaint, ...] = ()
    consumes: tuple[CounterSet, ...] = ()
    node_name: str = ""
    all_nodes: bool = False
    node_selector: NodeSelector | None = None
    shared: bool = False
    binds_to_node: bool = False
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()


class ResourceSlice(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A part of a pool of devices of one driver, and the nodes that can reach it.

    ``slice_count`` is how many slices the pool has in this generation.
    """

    name: str
    driver: str = ""
    pool: str = ""
    generation: int = 0
    slice_count: int = 1
    node_name: str = ""
    all_nodes: bool = False
    node_selector: NodeSelector | None = None
    per_device_nodes: bool = False
    devices: tuple[Device, ...] = ()
    shared_counters: tuple[CounterSet, ...] = ()


class DeviceClass(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Which devices are of a class. ``selectors`` are CEL expressions, "" for a selector of an unknown type."""

    name: str
    selectors: tuple[str, ...] = ()
    config: tuple[str, ...] = ()
    extended_resource_name: str = ""
    creation_timestamp: float | None = None


class DeviceRequest(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A request for devices, exact or with ``alternatives`` in order of preference (firstAvailable).

    ``is_known`` is False where neither of the two is given.
    """

    name: str
    class_name: str = ""
    selectors: tuple[str, ...] = ()
    mode: str = EXACT_COUNT
    count: int = 1
    admin_access: bool = False
    tolerations: tuple[DeviceToleration, ...] = ()
    capacity: Mapping[str, str] = msgspec.field(default_factory=dict)
    alternatives: tuple[DeviceRequest, ...] = ()
    is_known: bool = True


class DeviceConstraint(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What the devices of these requests (none: of all) must have in common, or must not; names are qualified."""

    requests: tuple[str, ...] = ()
    match_attribute: str = ""
    distinct_attribute: str = ""


class ClaimConfig(msgspec.Struct, frozen=True, gc=False):
    """Configuration for these requests (none: for all)."""

    config: str
    requests: tuple[str, ...] = ()


class ClaimSpec(msgspec.Struct, frozen=True, gc=False):
    """What a claim asks for."""

    requests: tuple[DeviceRequest, ...] = ()
    constraints: tuple[DeviceConstraint, ...] = ()
    config: tuple[ClaimConfig, ...] = ()


class DeviceResult(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A device that a claim has. ``request`` is "request" or "request/alternative"."""

    request: str
    driver: str
    pool: str
    device: str
    admin_access: bool = False
    tolerations: tuple[DeviceToleration, ...] = ()
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()
    share_id: str = ""
    consumed: Mapping[str, str] = msgspec.field(default_factory=dict)

    @property
    def device_key(self) -> tuple[str, str, str]:
        """(driver, pool, device)."""
        return self.driver, self.pool, self.device


class AllocationConfig(msgspec.Struct, frozen=True, gc=False):
    """Configuration that an allocation hands to drivers; ``source`` is FromClass or FromClaim."""

    source: str
    config: str
    requests: tuple[str, ...] = ()


class Allocation(msgspec.Struct, frozen=True, gc=False):
    """What a claim got. ``node_selector`` None: it can be used on every node; ``allocated_at`` in seconds since the
    Unix epoch, where binding conditions are waited for."""

    devices: tuple[DeviceResult, ...] = ()
    config: tuple[AllocationConfig, ...] = ()
    node_selector: NodeSelector | None = None
    allocated_at: float | None = None


class Consumer(msgspec.Struct, frozen=True, gc=False):
    """Who reserved a claim: a pod, unless ``resource`` or ``api_group`` say otherwise."""

    name: str
    uid: str = ""
    resource: str = "pods"
    api_group: str = ""


class DeviceCondition(msgspec.Struct, frozen=True, gc=False):
    """A condition that a driver reports of a device of a claim."""

    type: str
    status: str = ""
    reason: str = ""
    message: str = ""


class DeviceStatus(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What a driver reports of a device of a claim; ``rest`` is the other fields as canonical JSON."""

    driver: str
    pool: str
    device: str
    conditions: tuple[DeviceCondition, ...] = ()
    rest: str = ""


class ServedResource(msgspec.Struct, frozen=True, gc=False):
    """Which request of the claim that the scheduler made serves an extended resource of a container."""

    container: str
    resource: str
    request: str


class ResourceClaimTemplate(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What claims are generated from for pods."""

    name: str
    namespace: str = "default"
    spec: ClaimSpec = ClaimSpec()
    labels: Mapping[str, str] = msgspec.field(default_factory=dict)
    annotations: Mapping[str, str] = msgspec.field(default_factory=dict)

    @property
    def key(self) -> str:
        """namespace/name."""
        return f"{self.namespace}/{self.name}"
