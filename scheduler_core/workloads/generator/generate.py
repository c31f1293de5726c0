"""The cluster objects and the timeline of a description."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from scheduler_core.workloads.generator import objects
from scheduler_core.workloads.generator.description import Description, Raw, WorkloadOfPods
from scheduler_core.workloads.generator.plan import GenerationPlan, PlannedPod, make_plan, pod_numbers

REPORT_EVERY = 1_000


class ObjectsAndEntries(NamedTuple):
    """Manifests as kubectl applies them, and the entries of a timeline in its file form, by time.

    Manifests share parts: copy them before a change.
    """

    manifests: list[Raw]
    entries: list[Raw]


def generate(description: Description, report_progress: Callable[[float], None] | None = None) -> ObjectsAndEntries:
    """What the description makes; the same for the same description."""
    return written(make_plan(description), report_progress)


def written(plan: GenerationPlan, report_progress: Callable[[float], None] | None = None) -> ObjectsAndEntries:
    """The plan as manifests and entries; the callback is given the share that is done now and then."""
    description = plan.description
    manifests = objects.namespaces_and_priorities(description.workloads)
    manifests += [objects.node(pool, i) for pool in description.pools for i in range(pool.nodes)]
    constraints = [
        [objects.placement_fields(one, variant) for variant in (*one.variants, None)] for one in description.workloads
    ]
    timed: list[tuple[int, Raw]] = []
    for n, planned in enumerate(plan.pods):
        if report_progress is not None and n % REPORT_EVERY == 0:
            report_progress(n / len(plan.pods))
        workload = description.workloads[planned.workload]
        manifest = _manifest(workload, planned, constraints[planned.workload][planned.variant])
        if manifest is None:
            continue
        if planned.at is None:
            manifests.append(manifest)
        else:
            timed.append((planned.at, {"at": time_text(planned.at), "action": "add", "object": manifest}))
        _add_end(timed, planned, manifest)
    timed.sort(key=lambda entry: entry[0])
    return ObjectsAndEntries(manifests, [entry for _, entry in timed])


def _manifest(workload: WorkloadOfPods, planned: PlannedPod, constraints: Raw) -> Raw | None:
    """The pod, or for the first pod of a Deployment the Deployment; None for the others, which it makes."""
    if not workload.replicas:
        return objects.pod(workload, planned.number, planned.requests, constraints)
    unit, rest = divmod(planned.number, workload.replicas)
    replicas = len(pod_numbers(workload, unit))
    return None if rest else objects.deployment(workload, unit, replicas, planned.requests, constraints)


def _add_end(timed: list[tuple[int, Raw]], planned: PlannedPod, manifest: Raw) -> None:
    if planned.end is not None:
        gone = objects.deletion(manifest)
        timed.append((planned.end, {"at": time_text(planned.end), "action": "delete", "object": gone}))


def time_text(at: int) -> str:
    """A time of whole milliseconds in seconds: 90s, 0.25s."""
    whole, rest = divmod(at // 1_000, 1_000)
    return f"{whole}.{rest:03d}".rstrip("0") + "s" if rest else f"{whole}s"
