"""Why of a workload whose pods do not exist because Kueue has not admitted it, as the input itself says.

Kueue suspends what it queues (a Job's spec.suspend), so that there is no pod until its Workload is admitted.
"""

from __future__ import annotations

from scheduler_core.api.unplayed import UnplayedObject
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.diagnosis.model import ObstacleSet
from scheduler_core.explain.doubts.kueue import is_held, words_of, workloads
from scheduler_core.explain.not_created.by_input import not_created, report_of
from scheduler_core.explain.report import WhyReport

_CODE = "NOT_CREATED_QUEUE"


def queued_workload(inputs: RunInputs, key: str) -> UnplayedObject | None:
    """The Workload that Kueue holds back, by its own name or its owner's (namespace/name); None where there is none,
    and where pods of the owner are there."""
    for one in workloads(inputs.unplayed.objects):
        names = {f"{one.namespace}/{name}" for name in (one.name, *_owners(one))}
        if key in names and is_held(one) and not _has_pods(inputs, one):
            return one
    return None


def report_of_queued(inputs: RunInputs, workload: UnplayedObject) -> WhyReport:
    """The report on it: whose pods are not created, and what Kueue says."""
    return report_of(
        cause_of_queued(inputs, workload), f"{workload.namespace}/{next(iter(_owners(workload)), workload.name)}"
    )


def cause_of_queued(inputs: RunInputs, workload: UnplayedObject) -> ObstacleSet:
    """The cause as data."""
    words = words_of(workload, inputs.unplayed.objects)
    kinds = workload.facts.get("ownerKind", "").split("\n")
    owner = next(iter(_owners(workload)), "")
    title = f"{kinds[0]} {workload.namespace}/{owner}" if owner and kinds[0] else workload.title
    return not_created(
        _CODE,
        title,
        needs=words.needs,
        text=f"pods of {title} are not created: Kueue has not admitted it",
        said=f". {words.text}.",
        subject=workload.reference,
    )


def _owners(workload: UnplayedObject) -> list[str]:
    return [name for name in workload.facts.get("owner", "").split("\n") if name]


def _has_pods(inputs: RunInputs, workload: UnplayedObject) -> bool:
    owners = set(_owners(workload))
    return any(
        pod.namespace == workload.namespace and any(one.name in owners for one in pod.owner_references)
        for pod in inputs.objects.pods
    )
