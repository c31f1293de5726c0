"""Entries of a description: a pool or a workload each, read with complaints at their paths."""

from __future__ import annotations

from scheduler_core.manifests.checking.names import (
    dns_label_problem,
    label_key_problem,
    label_value_problem,
    namespace_problem,
)
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.model import Fix, quoted
from scheduler_core.workloads.generator import description as d
from scheduler_core.workloads.generator import fields
from scheduler_core.workloads.generator.ready_lists import PODS, PODS_OF_A_NODE, SHAPES, ReadyShape

_POOL = ("name", "nodes", "shape", "resources", "reserved", "zones", "labels", "taints", "unschedulable")
CONSTRAINTS = ("nodeSelector", "tolerations", "affinity", "topologySpreadConstraints")
_WORKLOAD = (
    "name", "pods", "replicas", "namespace", "labels", "sizes", "priority", *CONSTRAINTS, "apartBy", "variants",
    "arrivals", "lifetime",
)  # fmt: skip
_MAX_NAME = 40


def entries(at: At, most: int) -> list[At]:
    items = at.items()
    if len(items) > most:
        at.error(f"has {len(items):,} entries. At most {most} are allowed")
    return items[:most]


def read_namespace(at: At, default: str) -> str:
    name = at.text(default)
    problem = namespace_problem(name)
    if problem:
        at.error(problem)
    return default if problem else name


def _name(at: At) -> str:
    """A name that the names of nodes and pods begin with."""
    name = at.text(required=True)
    problem = dns_label_problem(name) if name else ""
    if not problem and len(name) > _MAX_NAME:
        problem = f"the name has {len(name)} characters. At most {_MAX_NAME} are allowed"
    if problem:
        at.error(problem)
    return name


def _count(at: At, most: int) -> int:
    if not at.present:
        at.error("is missing. Write how many there are")
    return at.integer(0, 0, most)


# ---------------------------------------------------------------- pools


def pool(at: At) -> d.NodePool:
    raw = fields.only(at, _POOL)
    shape = _shape(at.get("shape"))
    if ("shape" in raw) == ("resources" in raw):
        at.error("write either shape or resources", "shape" if "shape" in raw else "resources")
    own = fields.resources(at.get("resources"))
    if "resources" in raw:
        own.setdefault(PODS, PODS_OF_A_NODE)
    capacity = dict(shape.resources) if shape else own
    reserved = fields.resources(at.get("reserved"))
    for name, value in reserved.items():
        if value > capacity.get(name, 0):
            at.error("is more than a node of the pool has", "reserved", name)
    return d.NodePool(
        name=_name(at.get("name")),
        nodes=_count(at.get("nodes"), d.MAX_NODES),
        resources=capacity,
        reserved=reserved,
        shape=shape.name if shape else "",
        zones=_zones(at.get("zones")),
        labels=(shape.labels if shape else {}) | at.get("labels").labels(),
        taints=tuple(_mappings(at.get("taints"))),
        unschedulable=at.get("unschedulable").boolean(),
    )


def _shape(at: At) -> ReadyShape | None:
    name = at.text()
    if name and name not in SHAPES:
        near = at.sink.budget.near(name, SHAPES)
        hint = f". Did you mean {near}?" if near else ". docs/generator.md lists them"
        at.error(f"{quoted(name)} is no ready shape{hint}", fix=Fix("value", near) if near else None)
    return SHAPES.get(name)


def _zones(at: At) -> tuple[str, ...]:
    """A list of names, or how many zones there are: 3 is zone-a, zone-b, zone-c."""
    if not isinstance(at.raw, list):
        return tuple(zone_name(i) for i in range(at.integer(0, 0, d.MAX_ZONES)))
    names = []
    for item in at.items()[: d.MAX_ZONES]:
        name = item.text(required=True)
        problem = label_value_problem(name)
        if problem:
            item.error(problem)
        names.append(name)
    if len(at.raw) > d.MAX_ZONES:
        at.error(f"has more than {d.MAX_ZONES} zones")
    return tuple(names)


def zone_name(index: int) -> str:
    """The name of the zone of this index, of at most 702."""
    letters = chr(97 + index % 26)
    return f"zone-{chr(96 + index // 26)}{letters}" if index >= 26 else f"zone-{letters}"


def _mappings(at: At) -> list[d.Raw]:
    return [raw for item in at.items() if (raw := item.mapping())]


# ---------------------------------------------------------------- workloads


def workload(at: At, namespace: str) -> d.WorkloadOfPods:
    raw = fields.only(at, _WORKLOAD)
    return d.WorkloadOfPods(
        name=_name(at.get("name")),
        pods=_count(at.get("pods"), d.MAX_PODS),
        replicas=at.get("replicas").integer(0, 0, d.MAX_PODS),
        namespace=read_namespace(at.get("namespace"), namespace),
        labels=at.get("labels").labels(),
        sizes=fields.sizes(at.get("sizes")),
        priority=_priority(at.get("priority")),
        constraints={field: raw[field] for field in CONSTRAINTS if raw.get(field) is not None},
        apart_by=_label_key(at.get("apartBy")),
        variants=_variants(at.get("variants")),
        arrivals=fields.arrivals(at.get("arrivals")),
        lifetime=fields.lifetime(at.get("lifetime")),
    )


def _label_key(at: At) -> str:
    key = at.text()
    problem = label_key_problem(key) if key else ""
    if problem:
        at.error(problem)
    return "" if problem else key


def _priority(at: At) -> d.PriorityOfWorkload | None:
    """A number, or a class with its name; 0 needs none."""
    if not isinstance(at.raw, dict):
        value = at.integer(0, -1_000_000_000, 1_000_000_000)
        return d.PriorityOfWorkload(f"priority-{'minus-' if value < 0 else ''}{abs(value)}", value) if value else None
    fields.only(at, ("name", "value", "preemptionPolicy"))
    return d.PriorityOfWorkload(
        _name(at.get("name")),
        at.get("value").integer(0, -1_000_000_000, 1_000_000_000),
        at.get("preemptionPolicy").text("PreemptLowerPriority", ("PreemptLowerPriority", "Never")),
    )


def _variants(at: At) -> tuple[d.PodVariant, ...]:
    """Node selectors of a part of the pods each: ``[{percent: 60, nodeSelector: {...}}]``, 100 % at most in all."""
    variants = []
    for item in entries(at, d.MAX_VARIANTS):
        fields.only(item, ("percent", "nodeSelector"))
        if not item.get("percent").present:
            item.error("is missing. Write how many of 100 pods have it", "percent")
        share = fields.number(item.get("percent"), 0.0, 0.0, 100.0) / 100
        variants.append(d.PodVariant(share, item.get("nodeSelector").labels()))
    if sum(variant.share for variant in variants) > 1.000001:
        at.error("is more than 100 % in all")
    return tuple(variants)
