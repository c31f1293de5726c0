"""Why a behaviour decides nothing here: what it acts on is nowhere in the input."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from scheduler_core.api import devices, objects
from scheduler_core.engine.inputs import RunInputs

_Present = Callable[["_InputContents"], Iterator[object]]
_Kind = TypeVar("_Kind")
READ_WRITE_ONCE_POD = "ReadWriteOncePod"


class _InputContents:
    """The objects that a run begins with, gets by its timeline, or makes from templates."""

    def __init__(self, inputs: RunInputs) -> None:
        of = inputs.objects
        put = [entry.object for entry in inputs.timeline.entries] + [change.object for change in inputs.changes]
        workloads = [*of.workloads, *(one for one in put if isinstance(one, objects.Workload))]
        self.pods = [*of.pods, *_of(objects.Pod, put), *(workload.template for workload in workloads)]
        self.nodes = [*of.nodes, *_of(objects.Node, put)]
        self.volume_claims = [*of.persistent_volume_claims, *_of(objects.PersistentVolumeClaim, put)]
        self.classes = [*of.device_classes, *_of(devices.DeviceClass, put)]
        specs = [one.spec for one in (*of.resource_claims, *_of(objects.ResourceClaim, put))]
        specs += [one.spec for one in (*of.resource_claim_templates, *_of(devices.ResourceClaimTemplate, put))]
        self.requests = [request for spec in specs for request in spec.requests]
        slices = [*of.resource_slices, *_of(devices.ResourceSlice, put)]
        self.devices = [device for one in slices for device in one.devices]


def _of(kind: type[_Kind], things: list[object]) -> list[_Kind]:
    return [one for one in things if isinstance(one, kind)]


def _namespace_selectors(of: _InputContents) -> Iterator[object]:
    for affinity in (pod.affinity for pod in of.pods if pod.affinity is not None):
        preferred = (one.term for one in (*affinity.pod_preferred, *affinity.anti_preferred))
        terms = (*affinity.pod_required, *affinity.anti_required, *preferred)
        yield from (term for term in terms if term.namespace_selector is not None)


_NEEDS: dict[str, tuple[str, _Present]] = {
    "taint_is_named": ("No node has a taint", lambda of: (n for n in of.nodes if n.taints or n.unschedulable)),
    "merged_selector_stays": ("No affinity term has a namespaceSelector", _namespace_selectors),
    "image_volumes_count": (
        "No pod has an image volume",
        lambda of: (v for pod in of.pods for v in pod.volumes if v.source == "image"),
    ),
    "declared_features": ("No pod needs a feature of its node", lambda of: (p for p in of.pods if p.features)),
    "pod_level_resources": (
        "No pod requests resources as a whole",
        lambda of: (p for p in of.pods if p.pod_requests is not None or p.pod_limits is not None),
    ),
    "claim_conflict_says_same_name": (
        "No volume claim is ReadWriteOncePod",
        lambda of: (c for c in of.volume_claims if READ_WRITE_ONCE_POD in c.access_modes),
    ),
    "device_ranks_score": (
        "No claim for devices has alternatives",
        lambda of: (request for request in of.requests if request.alternatives),
    ),
    "all_in_later_alternatives": (
        "No alternative of a claim asks for all devices",
        lambda of: (one for request in of.requests for one in request.alternatives if one.mode == devices.ALL),
    ),
    "class_config_names_requests": (
        "No device class has a configuration",
        lambda of: (one for one in of.classes if one.config),
    ),
    "device_taints": ("No device has a taint", lambda of: (d for d in of.devices if d.taints)),
    "device_counters": ("No device takes from shared counters", lambda of: (d for d in of.devices if d.consumes)),
    "device_capacity": ("No device may be shared", lambda of: (d for d in of.devices if d.shared or d.capacity)),
    "device_extended_resources": ("There is no device class", lambda of: iter(of.classes)),
    "device_binding_conditions": (
        "No device has binding conditions",
        lambda of: (d for d in of.devices if d.binding_conditions),
    ),
    "pools_counted_whole": ("There is no device", lambda of: iter(of.devices)),
    "claims_get_devices": ("No pod has a resource claim", lambda of: (p for p in of.pods if p.resource_claims)),
}
"""{behaviour: (why it cannot act, the things that it acts on)}. The others act on what any cluster may come to."""


def absences(inputs: RunInputs, names: tuple[str, ...]) -> dict[str, str]:
    """{behaviour: why it cannot decide anything with this input}, for those of ``names`` where that is so."""
    contents = _InputContents(inputs)
    reasons = {name: _NEEDS[name] for name in names if name in _NEEDS}
    return {name: why for name, (why, present) in reasons.items() if next(present(contents), None) is None}
