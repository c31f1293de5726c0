"""Why of a workload whose pods admission refused, as the input itself says: no pod is made up for them."""

from __future__ import annotations

import re

from scheduler_core.api.objects import Workload
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.diagnosis.model import Obstacle, ObstacleSet
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.explain.pending import WhyPending
from scheduler_core.explain.pending.model import NOT_CREATED, DominantReason
from scheduler_core.explain.report import WhyReport
from scheduler_core.framework.contracts.obstacles import KINDS
from scheduler_core.manifests.kinds.registry import KINDS as OBJECT_KINDS
from scheduler_core.manifests.kinds.registry import served_version

_NUMBERS = re.compile(r"\b(requested|used|limited): (.+?)(?=, (?:requested|used|limited): |$)")


def numbers(message: str) -> dict[str, str]:
    """What a quota's message says is requested, used and limited."""
    return dict(_NUMBERS.findall(message))


def refused_workload(inputs: RunInputs, key: str) -> Workload | None:
    """The workload (namespace/name, its own or its owner's) whose pods admission refused; None where there is none."""
    for one in inputs.objects.workloads:
        names = {f"{one.namespace}/{one.name}", one.title.partition(" ")[2]}
        if one.refusal is not None and key in names:
            return one
    return None


def report_of_refused(workload: Workload) -> WhyReport:
    """The report on it: which pods are not created, and why. Raises ValueError where admission refused none."""
    return report_of(cause_of_refused(workload), workload.title.partition(" ")[2])


def report_of(cause: ObstacleSet, name: str) -> WhyReport:
    """The report on a workload (namespace/name) whose pods are not created."""
    because = DominantReason(cause.text)
    return WhyReport(pending=WhyPending(pod=name, seq=0, at=0, state=NOT_CREATED, because=because), cause=cause)


def cause_of_refused(workload: Workload) -> ObstacleSet:
    """The cause as data, the message with its numbers among what it needs."""
    refusal = workload.refusal
    if refusal is None:
        raise ValueError(f"admission does not refuse pods of {workload.title}")
    count = workload.n_refused
    who = (
        f"{plural(count, 'pod')} of {workload.title} {'is' if count == 1 else 'are'}"
        if count
        else f"pods of {workload.title} are"
    )
    said = f'. The {refusal.source} says: "{refusal.message}"' if refusal.message else "."
    return not_created(
        refusal.code,
        workload.title,
        needs=({"quota": refusal.quota} if refusal.quota else {}) | numbers(refusal.message),
        text=f"{who} not created: {refusal.why}",
        said=said,
    )


def not_created(
    code: str, title: str, *, needs: dict[str, str], text: str, said: str, subject: str = ""
) -> ObstacleSet:
    """The cause of one obstacle: what ``title`` ("ReplicaSet team/web") lacks; ``said`` follows ``text``."""
    kind, _, name = title.partition(" ")
    version = served_version(kind) if kind in OBJECT_KINDS else ""
    published = KINDS[code]
    return ObstacleSet(
        codes=(code,),
        obstacles=(Obstacle(code=code, object=f"{version}/{kind}/{name}", subject=subject, needs=needs, text=text),),
        stage=published.stage,
        actor=published.actor,
        text=f"{text[:1].upper()}{text[1:]}{said}",
    )
