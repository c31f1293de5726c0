"""Runs of any shape in which quotas, ranges of limits and classes decide which pods are made."""

from __future__ import annotations

from random import Random
from typing import Any

from msgspec.structs import replace

from scheduler_core.api.objects import ClusterObjects, Container, JobSpec, Pod, Workload
from scheduler_core.api.quotas import LimitRange, LimitRangeItem, QuotaScope, ResourceQuota, RuntimeClass
from scheduler_core.controllers.templates import owner_reference
from scheduler_core.simulate import Policies, RunInputs, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod

SECOND = 1_000_000
NAMESPACES = ("a", "b")
PLAYED = Policies(quotas="play", limit_ranges="play", job_running_us=20 * SECOND)


def quota(name: str = "q", namespace: str = "a", scopes: tuple[QuotaScope, ...] = (), **hard: int) -> ResourceQuota:
    """A quota; "requests_cpu" is requests.cpu."""
    amounts = {key.replace("_", "."): value for key, value in hard.items()}
    return ResourceQuota(name=name, namespace=namespace, hard=amounts, scopes=scopes)


def replicas(name: str, count: int, namespace: str = "a", kind: str = "ReplicaSet", **fields: Any) -> Workload:
    """A workload whose pods request 500m of cpu unless ``fields`` of the template say otherwise."""
    fields.setdefault("containers", (Container("main", requests={"cpu": 500}),))
    job = JobSpec(completions=count, parallelism=2) if kind == "Job" else None
    template = Pod(name="", namespace=namespace, labels={"app": name}, **fields)
    return Workload(kind=kind, name=name, namespace=namespace, replicas=count, template=template, job=job)


def made_up(workload: Workload) -> list[Pod]:
    """The pods that the loader makes up for a workload that has none."""
    owner = owner_reference(workload)
    names = [f"{workload.name}-{i}" for i in range(workload.replicas)]
    return [replace(workload.template, name=name, owner_references=(owner,)) for name in names]


def range_of(namespace: str = "a", name: str = "r", **item: dict[str, int]) -> LimitRange:
    """A range of containers' limits."""
    return LimitRange(name=name, namespace=namespace, limits=(LimitRangeItem(type="Container", **item),))


def history(seed: int) -> RunInputs:
    """Workloads in two namespaces under quotas that are raised, lowered, made and deleted while pods come and go."""
    draw = Random(seed)
    kinds = ("ReplicaSet", "StatefulSet", "Job", "DaemonSet")
    fields: list[dict[str, Any]] = [
        {}, {"runtime_class_name": "kata"}, {"active_deadline_seconds": 60}, {"containers": (Container("main"),)},
    ]  # fmt: skip
    workloads = [
        replicas(f"w{i}", draw.randint(1, 5), draw.choice(NAMESPACES), draw.choice(kinds), **draw.choice(fields))
        for i in range(draw.randint(2, 5))
    ]
    bare = [
        make_pod(f"bare{i}", namespace=draw.choice(NAMESPACES), uid=draw.choice(["", f"u{i}"]), cpu="300m")
        for i in range(4)
    ]
    objects = ClusterObjects(
        nodes=[make_node(f"n{i}", cpu="3") for i in range(3)],
        pods=[*bare, *(pod for one in workloads if one.kind != "DaemonSet" for pod in made_up(one))],
        workloads=workloads,
        resource_quotas=[_quota(draw, one) for one in NAMESPACES if draw.random() < 0.8],
        limit_ranges=[_range(draw, one) for one in NAMESPACES if draw.random() < 0.5],
        runtime_classes=[RuntimeClass(name="kata", overhead={"cpu": 100})] if draw.random() < 0.7 else [],
    )
    entries = [_entry(draw, objects) for _ in range(draw.randint(4, 14))]
    return RunInputs(objects=objects, timeline=Timeline.of(entries), schedule="timeline", policies=PLAYED, seed=seed)


def _quota(draw: Random, namespace: str) -> ResourceQuota:
    scopes = draw.choice([(), (), (), (QuotaScope("NotTerminating"),), (QuotaScope("BestEffort"),)])
    if scopes and scopes[0].name == "BestEffort":
        return quota("q", namespace, scopes, pods=draw.randint(0, 3))
    return quota("q", namespace, scopes, pods=draw.randint(0, 6), requests_cpu=draw.randint(0, 8) * 500)


def _range(draw: Random, namespace: str) -> LimitRange:
    least = draw.choice([{}, {"cpu": 100}, {"cpu": 600}])
    return range_of(namespace, default={"cpu": 700}, default_request={"cpu": draw.choice([200, 900])}, min=least)


def _entry(draw: Random, objects: ClusterObjects) -> TimelineEntry:
    at, namespace = draw.randint(1, 90) * SECOND, draw.choice(NAMESPACES)
    what = draw.randrange(7)
    if what == 0:
        return TimelineEntry(at, draw.choice(["put", "put", "put", "delete"]), _quota(draw, namespace))
    if what == 1:
        return TimelineEntry(at, draw.choice(["put", "delete"]), _range(draw, namespace))
    if what == 2:
        return TimelineEntry(at, "put", RuntimeClass(name="kata", overhead={"cpu": 200}))
    if what == 3:
        return TimelineEntry(at, draw.choice(["put", "delete"]), make_node(f"n{draw.randrange(4)}", cpu="3"))
    if what == 4:
        return TimelineEntry(at, "delete", draw.choice(objects.pods))
    pod = make_pod(f"late{draw.randrange(4)}", namespace=namespace, uid="", cpu="400m")
    return TimelineEntry(at, "put", pod)
