"""Remedies that are tried by whole runs: what a controller or admission does follows over time, not in one attempt.

One is tried either by a run of the same inputs with something changed from their beginning, or by a branch that goes on
from the cursor with changes. It is enough where that run, at its end, lacks nothing of what was asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any, NamedTuple

from msgspec.structs import replace

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import Pod, PriorityClass, Workload
from scheduler_core.api.quotas import LimitRange, ResourceQuota, RuntimeClass
from scheduler_core.controllers.owned import workload_key
from scheduler_core.engine.branches.branching import begin_branch
from scheduler_core.engine.inputs import InputChange, RunInputs
from scheduler_core.engine.simulation import Simulation
from scheduler_core.explain.remedies.model import NOT_ENOUGH, NOT_TRIED, VERIFIED, Remedies, Remedy
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.workloads.timeline import Timeline

_FIELDS: dict[type[Any], str] = {
    ResourceQuota: "resource_quotas",
    LimitRange: "limit_ranges",
    RuntimeClass: "runtime_classes",
    PriorityClass: "priority_classes",
}
Lacking = Callable[[Simulation], str]
"""What a run at its end still lacks, in words; "" for nothing."""


class RunRemedy(NamedTuple):
    """A remedy and how it is tried: ``inputs`` changed from the beginning, or else an object that is ``put`` or
    ``deleted`` at the cursor."""

    remedy: Remedy
    inputs: RunInputs | None = None
    put: Any = None
    deleted: Any = None


class AskedOfRuns(NamedTuple):
    """What remedies are for: the name that people ask by, the cursor, why it fails now, what it ``lacks`` at the end of
    a run, and what follows where nothing is lacking (``then``, a sentence part)."""

    name: str
    seq: int
    failure: str
    lacks: Lacking
    then: str


def tried_runs(
    trials: TrialsOf, asked: AskedOfRuns, proposals: Iterable[RunRemedy], is_over: Callable[[], bool]
) -> Remedies:
    """The remedies in their order, each tried until ``is_over``."""
    began = monotonic()
    tried = [_tried(trials, asked, one, is_over) for one in proposals]
    by_status = {
        status: tuple(one for one in tried if one.status == status) for status in (VERIFIED, NOT_ENOUGH, NOT_TRIED)
    }
    return Remedies(
        pod=asked.name,
        seq=asked.seq,
        fits=False,
        failure=asked.failure,
        verified=by_status[VERIFIED],
        not_enough=by_status[NOT_ENOUGH],
        not_tried=by_status[NOT_TRIED],
        in_time=not by_status[NOT_TRIED],
        seconds=monotonic() - began,
    )


def _tried(trials: TrialsOf, asked: AskedOfRuns, one: RunRemedy, is_over: Callable[[], bool]) -> Remedy:
    if is_over():
        return one.remedy
    began, simulation = monotonic(), _begun(trials, asked.seq, one)
    while not is_over():
        if not simulation.step():
            lacking = asked.lacks(simulation)
            status, then = (NOT_ENOUGH, "not enough") if lacking else (VERIFIED, asked.then)
            return replace(one.remedy, status=status, failure=lacking, then=then, seconds=monotonic() - began)
    return one.remedy


def _begun(trials: TrialsOf, seq: int, one: RunRemedy) -> Simulation:
    def make(configuration: SchedulerConfiguration, context: RunContext) -> dict[str, Framework]:
        return build_frameworks(configuration, context, source=trials.extenders)

    if one.inputs is not None:
        return Simulation(one.inputs, make)
    obj, action = (one.put, "put") if one.put is not None else (one.deleted, "delete")
    change = InputChange(seq=seq, action=action, object=obj)  # type: ignore[arg-type]
    return begin_branch(trials.inputs, seq, [change], make, trials.reader.keyframe_bytes).simulation


def with_object(inputs: RunInputs, changed: ResourceQuota | LimitRange | RuntimeClass | PriorityClass) -> RunInputs:
    """The inputs with this object as it is here wherever they bring it, and from the beginning where they do not."""
    field, kind = _FIELDS[type(changed)], type(changed)
    name = _name(changed)
    entries = tuple(
        replace(entry, object=changed)
        if entry.action == "put" and type(entry.object) is kind and _name(entry.object) == name
        else entry
        for entry in inputs.timeline.entries
    )
    before = getattr(inputs.objects, field)
    objects = [changed if _name(one) == name else one for one in before]
    is_given = entries != inputs.timeline.entries or any(_name(one) == name for one in before)
    after = objects if is_given else [*objects, changed]
    return replace(inputs, objects=replace(inputs.objects, **{field: after}), timeline=Timeline(entries))


def _name(one: Any) -> str:
    return getattr(one, "key", "") or str(one.name)


def with_pods(inputs: RunInputs, title: str, edit: Callable[[Pod], Pod]) -> RunInputs:
    """The inputs with the template of a workload ("Deployment team/web"), and its pods, edited wherever they bring
    them; ``title`` "Pod team/web-0" is one pod without a workload."""
    brought = [entry.object for entry in inputs.timeline.entries]
    several = [*inputs.objects.workloads, *inputs.objects.deployments, *brought]
    keys = {one.key for one in several if isinstance(one, Workload) and one.title == title}

    def edited(one: Any) -> Any:
        if isinstance(one, Workload) and one.title == title:
            return replace(one, template=edit(one.template))
        if isinstance(one, Pod) and (title == f"Pod {one.key}" or workload_key(one) in keys):
            return edit(one)
        return one

    objects = replace(
        inputs.objects,
        pods=[edited(one) for one in inputs.objects.pods],
        workloads=[edited(one) for one in inputs.objects.workloads],
        deployments=[edited(one) for one in inputs.objects.deployments],
    )
    entries = tuple(replace(entry, object=edited(entry.object)) for entry in inputs.timeline.entries)
    return replace(inputs, objects=objects, timeline=Timeline(entries))
