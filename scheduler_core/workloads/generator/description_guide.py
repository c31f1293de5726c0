"""What each field of a description is, as editors offer it: in the form of the guide of objects."""

from __future__ import annotations

from functools import cache

import msgspec

from scheduler_core.manifests.field_guide.guide import FieldGuide, field_guide
from scheduler_core.manifests.field_guide.model import (
    RESOURCES,
    GuideField,
    Part,
    amounts,
    choice,
    flag,
    labels,
    many,
    one,
    text,
    whole,
)
from scheduler_core.workloads.generator.description import MAX_NODES, MAX_PODS
from scheduler_core.workloads.generator.fields import PROCESSES
from scheduler_core.workloads.generator.ready_lists import SHAPES, SIZE_LISTS

DESCRIPTION = "Description"
_SIZES = (
    "A ready list, or for each resource an amount: 500m, {from: 1, to: 4}, {median: 2, sigma: 0.8}, "
    "{choices: {0: 70, 1: 30}} or {perCpu: 4Gi}."
)


def _time(says: str, default: str = "", *ideas: str) -> GuideField:
    return GuideField(says, "time such as 30s, 10m or 2h", default=default, ideas=ideas)


FIELDS: Part = {
    "seed": whole("The same description and seed give the same objects.", "0"),
    "namespace": text("The namespace of workloads that name none.", "default"),
    "pools": many("DescribedPool", f"The nodes: at most {MAX_NODES:,} in all."),
    "workloads": many("DescribedWorkload", f"The pods: at most {MAX_PODS:,} in all."),
    "arrivals": one("DescribedArrivals", "When pods arrive, for workloads without their own; at-once without it."),
    "lifetime": one("DescribedLifetime", "How long pods stay, for workloads without their own: 10m, forever or drawn."),
}

PARTS: dict[str, Part] = {
    "DescribedPool": {
        "name": text("Nodes are named NAME-0, NAME-1 and so on, and have the label node-pool: NAME."),
        "nodes": whole("How many nodes."),
        "shape": GuideField("A ready shape, instead of resources.", "text", tuple(SHAPES)),
        "resources": amounts("The capacity of each node, instead of a shape; pods is 110 unless it is written."),
        "reserved": amounts("What of the capacity is not allocatable."),
        "zones": GuideField("How many zones, or a list of their names; nodes get them in turn.", "number or list"),
        "labels": labels("Labels of each node."),
        "taints": many("Taint", "What keeps pods away that do not tolerate it."),
        "unschedulable": flag("The nodes are cordoned."),
    },
    "DescribedWorkload": {
        "name": text("Pods are named NAME-0, NAME-1 and so on, and have the label app: NAME."),
        "pods": whole("How many pods."),
        "replicas": whole("The pods are made by Deployments of this many each; without it they have no owner."),
        "namespace": text("The namespace of the pods."),
        "labels": labels("Labels of each pod."),
        "sizes": GuideField(_SIZES, "ready list or mapping of resources to amounts", tuple(SIZE_LISTS), RESOURCES),
        "priority": one("DescribedPriority", "A number, for which a class priority-N is made, or a class of your own."),
        "nodeSelector": labels("Labels that a node has to have."),
        "tolerations": many("Toleration", "Taints that do not keep the pods away."),
        "affinity": one("Affinity", "Rules about nodes and about other pods, required or preferred."),
        "topologySpreadConstraints": many(
            "SpreadConstraint", "How evenly pods are spread; without labelSelector it counts the workload's pods."
        ),
        "apartBy": GuideField(
            "A node label: no two pods of the workload where its value is the same.",
            "text",
            (),
            (
                "kubernetes.io/hostname",
                "topology.kubernetes.io/zone",
            ),
        ),
        "variants": many("DescribedVariant", "A share of the pods, in percent, that has a node selector besides."),
        "arrivals": one("DescribedArrivals", "When pods of this workload arrive."),
        "lifetime": one("DescribedLifetime", "How long pods of this workload stay: 10m, forever or drawn."),
    },
    "DescribedPriority": {
        "name": text("The name of the PriorityClass."),
        "value": whole("Its value: the higher, the sooner its pods are tried."),
        "preemptionPolicy": choice(
            ("PreemptLowerPriority", "Never"), "May its pods evict others?", "PreemptLowerPriority"
        ),
    },
    "DescribedVariant": {
        "percent": GuideField("How many of 100 pods.", "number"),
        "nodeSelector": labels("Labels that a node has to have for them."),
    },
    "DescribedArrivals": {
        "process": choice(PROCESSES, "How arrivals are spread over time.", "at-once"),
        "at": _time("at-once: when; without it the pods are there at the start."),
        "over": _time("poisson, bursts, daily: how long pods arrive.", "", "30m", "24h"),
        "pods": whole("bursts: how many pods a burst has."),
        "every": _time("bursts: from one burst to the next.", "", "5m"),
        "within": _time("bursts: how long one takes.", "10s"),
        "period": _time("daily: from one peak to the next.", "24h"),
        "peak": _time("daily: when most pods arrive; half the period without it."),
        "trough": GuideField("daily: the lowest rate, as a share of the highest.", "number from 0 to 1", default="0.2"),
        "times": many("DescribedTime", "list: a time for each pod, such as [0s, 10s, {at: 1m, pods: 20}]."),
    },
    "DescribedTime": {
        "at": _time("When they arrive."),
        "pods": whole("How many pods arrive then.", "1"),
    },
    "DescribedLifetime": {
        "fixed": _time("All pods stay so long."),
        "exponential": _time("Drawn from an exponential distribution with this mean.", "", "10m"),
        "lognormal": _time("Drawn from a lognormal distribution with this median.", "", "8m"),
        "sigma": GuideField("lognormal: the standard deviation of the natural logarithm.", "number", default="1"),
    },
}


@cache
def description_guide() -> FieldGuide:
    """The field guide of descriptions, with the parts of Kubernetes objects in them."""
    whole_guide = field_guide()
    return FieldGuide({}, {DESCRIPTION: FIELDS}, {**whole_guide.parts, **PARTS}, ())


def description_guide_json() -> bytes:
    """The guide as JSON: fields without what is empty."""
    return msgspec.json.encode(description_guide())
