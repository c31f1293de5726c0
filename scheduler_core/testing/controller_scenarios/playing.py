"""Plays a recorded history: our engine with the file's kubelets and steps, and what is seen meanwhile.

Time stamps are whole seconds of the wall clock, and at which fraction of one a recording began is not known: virtual
time 0 is half a second after a whole one, or one of ``OTHER_FRACTIONS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from scheduler_core.api.objects import Node, Pod, Workload
from scheduler_core.api.taints import Taint
from scheduler_core.controllers.rollouts.victims import DELETION_COST
from scheduler_core.engine.consequences.owners.owners import KINDS
from scheduler_core.engine.inputs import EPOCH, RunInputs, other_objects
from scheduler_core.engine.policies import Policies
from scheduler_core.framework.preemption.disruption_budgets import guards
from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS
from scheduler_core.simulate import RunSession
from scheduler_core.testing.controller_scenarios import api_server
from scheduler_core.testing.controller_scenarios.reading import (
    BEFORE,
    ControllerHistory,
    HistoryError,
    HistoryStep,
    NamedInHistory,
    RecordedPatch,
    read_history,
)
from scheduler_core.testing.controller_scenarios.watching import NAMESPACE, SECOND_US, HistoryWatch

_NOT_READY = Taint("node.kubernetes.io/not-ready", effect="NoSchedule")
_TAINTED = 0.05
"""The taint of a new node, and how many seconds it has it."""
OTHER_FRACTIONS = (0.1, 0.85)
Raw = dict[str, Any]


def run_controller_scenario(raw: Raw, fraction: float = 0.5) -> Raw:
    """What our engine gives for the history, in the form of its ``expected``; times are single pods' there. It begins
    at this fraction of a second. Raises HistoryError."""
    return _Play(read_history(raw), fraction).run()


class _Play:
    def __init__(self, history: ControllerHistory, fraction: float = 0.5) -> None:
        self.history = history
        self.raws: dict[tuple[str, str], Raw] = {}
        self.context = [one for one in history.objects if one.get("kind") in CONTEXT_KINDS]
        self.rules = tuple(rule.rule() for rule in history.kubelet)
        before = [one for one in history.objects if one.get("kind") in BEFORE]
        self._keep([*history.nodes, *history.objects])
        result = load_manifests([*history.nodes, *before], as_posted=False)
        if result.errors:
            raise HistoryError(result.errors[0].text())
        policies = Policies(
            rollouts="play",
            quotas="play",
            limit_ranges="play",
            kubelets=self.rules,
            job_running_us=None,
            cycle_us=20_000,
            binding_us=0,
            kubernetes=history.reference,
        )
        inputs = RunInputs(objects=result.objects, policies=policies, schedule="timeline")
        self.simulation = simulation = RunSession.start(inputs).simulation
        simulation.world.epoch = EPOCH + fraction
        simulation.stays_open = True
        assert simulation.aftermath.owners is not None
        self.aftermath = simulation.aftermath
        self.admission = self.aftermath.admission
        self.admission.played = msgspec.structs.replace(self.admission.played, has_all_classes=True)
        self.owners = simulation.aftermath.owners
        self.watch = HistoryWatch(simulation, self.owners, history)

    def _keep(self, raws: list[Raw]) -> None:
        for raw in raws:
            self.raws[str(raw.get("kind")), str(raw.get("metadata", {}).get("name"))] = raw

    # --- the course of time ----------------------------------------------------------------------------------------
    def run(self) -> Raw:
        """Play all steps, and give what was seen."""
        simulation = self.simulation
        simulation.step()
        api_server.begin(self.admission, NAMESPACE)
        self.watch.look()
        for raw in self.history.objects:
            if raw.get("kind") not in BEFORE and raw.get("kind") not in CONTEXT_KINDS:
                self._apply(0, raw)
        self._settle()
        times = sorted({step.at for step in self.history.steps} | {self.history.until})
        for at in times:
            self._run_to(at)
            self.watch.take(at)
            for step in self.history.steps:
                if step.at == at:
                    self._step(step)
            self._settle()
        return self.watch.result()

    def _settle(self) -> None:
        self.simulation.settle()
        self.watch.look()

    def _run_to(self, at: float) -> None:
        simulation, end = self.simulation, round(at * SECOND_US)
        while True:
            if (due := simulation.next_at()) is not None and due < end:
                simulation.step()
                self.watch.look()
            elif not self._try_again(end):
                break
        simulation.context.now = max(end, simulation.now())

    def _try_again(self, end: int) -> bool:
        """Have a controller that was refused try again before a time, where nothing else is to come."""
        retries = self.aftermath.retries
        if not retries.of or (due := retries.next(is_all_that_is_left=False)) is None or due >= end:
            return False
        self.simulation.context.now = max(due, self.simulation.now())
        self.aftermath.try_again()
        self._settle()
        return True

    def _step(self, step: HistoryStep) -> None:
        if step.apply is not None:
            self._apply(step.at, step.apply)
        elif step.patch is not None:
            self._patch(step.at, step.patch)
        elif step.delete is not None:
            self._delete(step.delete)
        elif step.evict is not None:
            self._evict(step.at, step.evict)
        elif step.kubelet is not None:
            self.owners.readiness.rules = tuple(rule.rule() for rule in step.kubelet)

    def _apply(self, at: float, raw: Raw, *, is_patch: bool = False) -> None:
        """Make an object, or put a changed one, if the API server takes it."""
        kind, name = str(raw["kind"]), str(raw["metadata"]["name"])
        before = self.raws.get((kind, name)) if is_patch else None
        classes = [one for (of, _), one in self.raws.items() if of == "PriorityClass"]
        refusal = api_server.refusal(self.admission, raw, before, classes)
        outcomes = [] if refusal or kind in api_server.ONLY_COUNTED else self._read(raw)
        for obj in outcomes:
            if isinstance(obj, Pod) and not is_patch:
                refusal, obj = api_server.admitted(self.admission, obj)
            if refusal is None:
                self._put(at, obj)
        if refusal is not None:
            step = f"{'patch' if is_patch else 'apply'} {kind}/{name}"
            self.watch.answers.append({"t": at, "step": step, "code": refusal.code, "message": refusal.message})
            return
        self._keep([raw])
        if kind in CONTEXT_KINDS:
            self.context = [one for (of, _), one in self.raws.items() if of in CONTEXT_KINDS]
        if resource := api_server.ONLY_COUNTED.get(kind):
            self.admission.ledger.count(NAMESPACE, resource, 1)

    def _put(self, at: float, obj: Any) -> None:
        """Put an object; a new node is tainted at first, as the API server has it."""
        if isinstance(obj, Node) and obj.name not in self.simulation.context.cluster.table.row_of:
            self.simulation.world.put(msgspec.structs.replace(obj, taints=(*obj.taints, _NOT_READY)))
            self._settle()
            self._run_to(at + _TAINTED)
        self.simulation.world.put(obj)

    def _read(self, raw: Raw) -> list[Any]:
        result = load_manifests([*self.context, raw])
        if result.errors:
            raise HistoryError(result.errors[0].text())
        objects, kind = result.objects, raw["kind"]
        if kind in KINDS:
            several: list[Workload] = [*objects.deployments, *objects.workloads]
            return [one for one in several if one.kind == kind][:1]
        every = [*objects.nodes, *objects.pods, *other_objects(objects)]
        return [one for one in every if type(one).__name__ == kind]

    def _patch(self, at: float, patch: RecordedPatch) -> None:
        if patch.of:
            pod = self._pod(patch.of, patch.ordinal)
            notes = patch.body.get("metadata", {}).get("annotations", {})
            if (cost := notes.get(DELETION_COST)) is not None and not _is_int32(cost):
                text = f'metadata.annotations[{DELETION_COST}]: Invalid value: "{cost}": must be a 32bit integer'
                step = f"patch Pod/{patch.of}#{patch.ordinal}"
                message = f'Pod "{patch.of}-*" is invalid: {text}'
                self.watch.answers.append({"t": at, "step": step, "code": 422, "message": message})
                return
            self.simulation.world.put(msgspec.structs.replace(pod, annotations={**pod.annotations, **notes}))
            return
        key = patch.kind, patch.name
        if key not in self.raws:
            raise HistoryError(f"{patch.kind} {patch.name} is patched and not there")
        self._apply(at, _merged(self.raws[key], patch.body), is_patch=True)

    def _pod(self, owner: str, ordinal: int) -> Pod:
        """The n-th pod that was made for an owner."""
        for course in self.watch.courses.all:
            if course.owner == owner and course.number == ordinal:
                return self.simulation.world.pods.get(course.pod.key, course.pod)
        raise HistoryError(f"{owner} has no pod {ordinal}")

    def _named(self, named: NamedInHistory) -> Pod:
        if named.of:
            return self._pod(named.of, named.ordinal)
        for course in self.watch.courses.there.values():
            if course.pod.name == named.name:
                return self.simulation.world.pods[course.pod.key]
        raise HistoryError(f"{named.kind} {named.name} is not there")

    def _delete(self, named: NamedInHistory) -> None:
        if named.kind == "Pod":
            self.simulation.evictions.remove(self.simulation.world, self._named(named).key, "deleted")
            return
        for obj in self._read(self.raws.pop((named.kind, named.name))):
            self.simulation.world.delete(obj)
        self.context = [one for (of, _), one in self.raws.items() if of in CONTEXT_KINDS]

    def _evict(self, at: float, named: NamedInHistory) -> None:
        """The eviction API: a budget's pod goes where the budget allows one more, or where it is healthy without it."""
        pod = self._named(named)
        answer: Raw = {"t": at, "step": f"evict Pod/{named.of}#{named.ordinal}", "code": 201}
        life = self.owners.readiness.lives.get(pod.key)
        for budget in self.watch.budgets().values():
            if not guards(budget, pod):
                continue
            status = self.owners.budget(budget)
            is_unhealthy = life is None or life.ready is None
            may_go = status.allowed > 0 or (is_unhealthy and status.healthy >= status.desired > 0)
            if not may_go:
                answer |= {
                    "code": 429,
                    "message": "Cannot evict pod as it would violate the pod's disruption budget.",
                    "cause": f"The disruption budget {budget.name} needs {status.desired} healthy pods"
                    f" and has {status.healthy} currently",
                }
        if answer["code"] == 201:
            self.simulation.evictions.remove(self.simulation.world, pod.key, "evicted")
        self.watch.answers.append(answer)


def _is_int32(text: str) -> bool:
    """Whether the API server takes a text as a deletion cost."""
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 11 and str(int(text)) == text


def _merged(held: Any, patch: Any) -> Any:
    """A strategic merge patch: lists of named objects are merged by name, null removes."""
    if isinstance(held, Mapping) and isinstance(patch, Mapping):
        out = {key: value for key, value in held.items() if not (key in patch and patch[key] is None)}
        for key, value in patch.items():
            if value is not None:
                out[key] = _merged(held[key], value) if key in held else value
        return out
    if isinstance(held, list) and isinstance(patch, list) and _are_named([*held, *patch]):
        by_name = {one["name"]: one for one in held}
        for one in patch:
            by_name[one["name"]] = _merged(by_name.get(one["name"], {}), one)
        return list(by_name.values())
    return patch


def _are_named(entries: list[Any]) -> bool:
    return bool(entries) and all(isinstance(one, Mapping) and "name" in one for one in entries)
