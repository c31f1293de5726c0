"""Runs with workloads whose pods are lost and made anew."""

from __future__ import annotations

from typing import Any

from scheduler_core.api.objects import ClusterObjects, JobSpec, OwnerReference, Pod, Workload
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_pod
from tests.scheduler_core.engine.scenarios import finished

SECOND = 1_000_000


def changes(events: list[ev.AnyEvent], action: str) -> list[tuple[float, str, str]]:
    """(second, pod, cause) of changes of pods by the engine."""
    pod_changes = [e for e in events if isinstance(e, ev.ObjectChanged) and e.kind == "Pod" and e.entry is None]
    return [(e.at / SECOND, e.key, e.cause) for e in pod_changes if e.action == action]


def the_end(events: list[ev.AnyEvent]) -> ev.RunFinished:
    last = events[-1]
    assert isinstance(last, ev.RunFinished)
    return last


def owned(kind: str, name: str, owner: str = "web", **fields: Any) -> Pod:
    return make_pod(name, owner_references=(OwnerReference(kind, owner, controller=True),), **fields)


def run(objects: ClusterObjects, *entries: tuple[float, str, Any], **policies: Any) -> tuple[RunSession, list[Any]]:
    timeline = Timeline.of([TimelineEntry(int(at * SECOND), action, obj) for at, action, obj in entries])  # type: ignore[arg-type]
    schedule = "timeline" if entries else "pending"
    return finished(
        RunInputs(objects=objects, timeline=timeline, schedule=schedule, policies=Policies(**policies))  # type: ignore[arg-type]
    )


def job(**spec: Any) -> Workload:
    return Workload(kind="Job", name="j", template=make_pod("", uid=""), job=JobSpec(**spec), replicas=1)
