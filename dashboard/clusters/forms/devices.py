"""The forms of devices: slices, classes, and what claims and their templates ask for (resource.k8s.io/v1)."""

from __future__ import annotations

from dashboard.clusters.forms.model import FormField, FormSection, KindForm, make_form, shown

EMPTY_SELECTOR = {"cel": {"expression": "true"}}


def _selectors(path: str) -> FormField:
    return shown(
        path,
        "Selectors",
        shown("cel.expression", "CEL expression", is_long=True),
        new=EMPTY_SELECTOR,
        noun="selector",
    )


def _exact(path: str) -> tuple[FormField, ...]:
    """Return the fields of an exact request, or of an alternative."""
    before = f"{path}." if path else ""
    tolerations = shown(
        f"{before}tolerations",
        "Tolerations",
        shown("key", "Key", is_long=True),
        shown("operator", "Operator"),
        shown("value", "Value"),
        shown("effect", "Effect", default="every effect"),
        new={"key": "", "operator": "Exists"},
        is_rare=True,
        noun="toleration",
    )
    return (
        shown(f"{before}deviceClassName", "Device class", is_long=True),
        shown(f"{before}count", "Count"),
        shown(f"{before}allocationMode", "Devices", is_rare=True),
        _selectors(f"{before}selectors"),
        tolerations,
        shown(f"{before}capacity.requests", "Capacity", new={"memory": "10Gi"}, is_rare=True),
    )


def _claim(path: str) -> tuple[FormSection, ...]:
    """Return the sections of what a claim asks for, whose requests are below a path."""
    requests = shown(
        f"{path}.requests",
        "Requests",
        shown("name", "Name"),
        *_exact("exactly"),
        shown("exactly.adminAccess", "Admin access", is_rare=True),
        shown(
            "firstAvailable",
            "First available of",
            shown("name", "Name"),
            *_exact(""),
            new={"name": "other", "deviceClassName": ""},
            is_rare=True,
            noun="alternative",
        ),
        new={"name": "device", "exactly": {"deviceClassName": ""}},
        noun="request",
    )
    constraints = shown(
        f"{path}.constraints",
        "Constraints",
        shown("matchAttribute", "Same attribute", is_long=True),
        shown("distinctAttribute", "Other attribute", is_long=True, is_rare=True),
        shown("requests", "Of requests"),
        new={"matchAttribute": "resource.kubernetes.io/pcieRoot"},
        noun="constraint",
    )
    return FormSection("Requests", (requests,)), FormSection("Constraints", (constraints,), is_rare=True)


def device_forms() -> tuple[KindForm, ...]:
    """Return the form of each kind."""
    users = shown(
        "status.reservedFor",
        "Used by",
        shown("resource", "What", is_rare=True),
        shown("name", "Name"),
        shown("uid", "UID", is_long=True),
        new={"resource": "pods", "name": "", "uid": ""},
        noun="user",
    )
    got = shown(
        "status.allocation.devices.results",
        "Devices",
        shown("request", "Request"),
        shown("driver", "Driver", is_long=True),
        shown("pool", "Pool"),
        shown("device", "Device"),
        new={"request": "", "driver": "", "pool": "", "device": ""},
        noun="device",
    )
    return (
        make_form("ResourceClaim", *_claim("spec.devices"), FormSection("What it has", (got, users), is_rare=True)),
        make_form("ResourceClaimTemplate", *_claim("spec.spec.devices")),
        make_form(
            "DeviceClass",
            FormSection(
                "Device class",
                (
                    _selectors("spec.selectors"),
                    shown("spec.extendedResourceName", "Extended resource", is_long=True, is_rare=True),
                ),
            ),
        ),
        make_form("ResourceSlice", *_slice()),
    )


def _slice() -> tuple[FormSection, ...]:
    taints = shown(
        "taints",
        "Taints",
        shown("key", "Key", is_long=True),
        shown("value", "Value"),
        shown("effect", "Effect"),
        new={"key": "", "effect": "NoSchedule"},
        is_rare=True,
        noun="taint",
    )
    devices = shown(
        "spec.devices",
        "Devices",
        shown("name", "Name"),
        shown("allowMultipleAllocations", "Shared", is_rare=True),
        taints,
        shown("nodeName", "On node", is_rare=True),
        new={"name": "device-0"},
        noun="device",
    )
    return (
        FormSection(
            "Pool",
            (
                shown("spec.driver", "Driver", is_long=True),
                shown("spec.pool.name", "Pool"),
                shown("spec.pool.generation", "Generation"),
                shown("spec.pool.resourceSliceCount", "Slices of the pool"),
            ),
        ),
        FormSection(
            "Reached from",
            (
                shown("spec.nodeName", "Node"),
                shown("spec.allNodes", "Every node", is_rare=True),
                shown("spec.perDeviceNodeSelection", "Each device says", is_rare=True),
            ),
        ),
        FormSection("Devices", (devices,)),
    )
