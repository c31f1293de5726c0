"""Plays a recorded history: our engine with the file's kubelets and steps, and what is seen meanwhile.

Virtual time 0 is half a second after a whole one of the wall clock: time stamps are whole seconds, and in a recording
the fraction is a matter of chance. Admission is asked where a history has quotas (``RunInputs``); here nothing else
refuses a pod.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from scheduler_core.api.objects import Pod, PodDisruptionBudget, Workload
from scheduler_core.controllers.daemons import target_node
from scheduler_core.controllers.jobs import completion_index
from scheduler_core.controllers.rollouts.victims import DELETION_COST
from scheduler_core.engine.consequences.owners.owners import KINDS
from scheduler_core.engine.inputs import EPOCH, RunInputs, other_objects
from scheduler_core.engine.policies import Policies
from scheduler_core.engine.world import COMPLETED
from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunSession
from scheduler_core.testing.controller_scenarios.pods import Course, Courses
from scheduler_core.testing.controller_scenarios.reading import (
    BEFORE,
    ControllerHistory,
    HistoryError,
    HistoryStep,
    NamedInHistory,
    RecordedPatch,
    read_history,
)
from scheduler_core.testing.controller_scenarios.states import RevisionNames, statuses

SECOND_US = 1_000_000
_COMBINED = "(combined from similar events): "
_MOST_EVENTS = 9
Raw = dict[str, Any]


def run_controller_scenario(raw: Raw) -> Raw:
    """What our engine gives for the history, in the form of its ``expected``; times are single pods' there. Raises
    HistoryError."""
    return _Play(read_history(raw)).run()


class _Play:
    def __init__(self, history: ControllerHistory) -> None:
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
            kubelets=self.rules,
            job_running_us=None,
            cycle_us=0,
            binding_us=0,
            kubernetes=history.reference,
        )
        inputs = RunInputs(objects=result.objects, policies=policies, schedule="timeline")
        self.simulation = simulation = RunSession.start(inputs).simulation
        simulation.world.epoch = EPOCH + 0.5
        simulation.stays_open = True
        assert simulation.aftermath.owners is not None
        self.owners = simulation.aftermath.owners
        self.names = RevisionNames(self.owners)
        self.courses = Courses(history.extremes_from)
        self.scaling: list[str] = []
        self.conditions: Raw = {}
        self.answers: list[Raw] = []
        self.refused: list[Raw] = []
        self.snapshots: list[Raw] = []
        self.states: list[Raw] = []
        self._uncounted: dict[str, list[Course]] = {}
        self._watch()

    def _keep(self, raws: list[Raw]) -> None:
        for raw in raws:
            self.raws[str(raw.get("kind")), str(raw.get("metadata", {}).get("name"))] = raw

    # --- what is seen ----------------------------------------------------------------------------------------------
    def _watch(self) -> None:
        world, observed = self.simulation.world, self.simulation.world.on_pod

        def on_pod(old: Pod | None, new: Pod | None, seq: int, cause: str) -> None:
            if old is None and new is not None:
                self._made(new)
            elif new is not None:
                self._changed(new)
            observed(old, new, seq, cause)
            if new is None and old is not None:
                self._went(old, cause)

        world.on_pod = on_pod
        self.simulation.observers.append(self._event)
        self.owners.readiness.on_ready = self._ready
        self.owners.on_conditions = self._note_conditions
        self.owners.on_refused = lambda key, pod, text: self.refused.append(
            {"t": self._now(), "owner": key, "text": text}
        )

    def _now(self) -> float:
        return self.simulation.now() / SECOND_US

    def _made(self, pod: Pod) -> None:
        owner, revision, label = self._owner(pod)
        self._drop_gone()
        course = self.courses.made(pod.key, pod, owner, revision, self._now())
        course.label = label or f"{revision}#{course.number}"
        self.courses.look(self._now())
        for counted in self._uncounted.pop(owner, ()):
            self.courses.note(counted, "gone", self._now())

    def _ready(self, key: str) -> None:
        if (course := self.courses.there.get(key)) is not None:
            self.courses.note(course, "ready", self._now())
            self.courses.look(self._now())

    def _owner(self, pod: Pod) -> tuple[str, str, str]:
        """The owner's name, the revision, and how the pod is called ("" by its number)."""
        key = self.owners.ownership.key_of(pod)
        if not key:
            return pod.name, pod.name, pod.name
        workload = self.owners.ownership.owned[key].workload
        if workload.kind in ("StatefulSet", "DaemonSet"):
            revision = self.names.of_hash(key, self.owners.revisions[key].of(pod))
            end = f" {pod.name}" if workload.kind == "StatefulSet" else f"@{target_node(pod)}"
            return workload.name, revision, revision + end
        if workload.kind == "Job":
            index = completion_index(pod)
            return workload.name, workload.name, "" if index < 0 else f"{workload.name}[{index}]"
        above = workload.owner.name if workload.owner else workload.name
        return above, self.names.of_set(workload), ""

    def _changed(self, pod: Pod) -> None:
        course = self.courses.there.get(pod.key)
        if course is None:
            return
        course.pod = pod
        if pod.node_name:
            self.courses.note(course, "bound", self._now())
        if pod.deletion_timestamp is not None:
            self.courses.note(course, "deleted", self._now())
        self.courses.look(self._now())

    def _went(self, pod: Pod, cause: str) -> None:
        """A pod that ended stays, as it does in a cluster, unless its deletion was asked for."""
        course = self.courses.there.get(pod.key)
        if course is None:
            return
        if cause in (COMPLETED, "failed"):
            self.courses.note(course, "succeeded" if cause == COMPLETED else "failed", self._now())
            self._held(course, pod)
        elif self._is_uncounted(pod):
            self.courses.note(course, "failed", self._now())
            self._uncounted.setdefault(course.owner, []).append(course)
        else:
            self.courses.note(course, "deleted", self._now())
            self.courses.note(course, "gone", self._now())
            del self.courses.there[pod.key]
        self.courses.look(self._now())

    def _is_uncounted(self, pod: Pod) -> bool:
        """Whether the pod is one of a Job that goes on: it stays, failed, until the Job makes the next one."""
        key = self.owners.ownership.key_of(pod)
        state = self.owners.jobs.get(key)
        return state is not None and not state.reason and bool(state.ended) and state.ended[-1].how == "failed"

    def _held(self, course: Course, pod: Pod) -> None:
        """A failed pod of a DaemonSet is deleted when its node's backoff is over, one of a StatefulSet at once."""
        key = self.owners.ownership.key_of(pod)
        if key.startswith("StatefulSet/"):
            self.courses.note(course, "deleted", self._now())
            self.courses.note(course, "gone", self._now())
        hold = self.owners.holds.get(self.owners.ownership.key_of(pod), {}).get(pod.node_name)
        if hold is not None and hold.until / SECOND_US <= self.history.until:
            self.courses.note(course, "deleted", hold.until / SECOND_US)
            self.courses.note(course, "gone", hold.until / SECOND_US)

    def _look(self) -> None:
        """After each step: the state of everything."""
        self._drop_gone()
        self.courses.look(self._now())
        budgets = {one.name: self.owners.budget(one) for one in self._budgets().values()}
        for name, status in budgets.items():
            reason = "True/SufficientPods" if status.is_sufficient else "False/InsufficientPods"
            self._note_condition(f"PodDisruptionBudget/{name}", "DisruptionAllowed", reason)
        state = {
            "pods": self.courses.in_states(),
            "by_name": self._by_name(),
            "status": statuses(self.owners, self.names, budgets),
        }
        self.states.append({"t": self._now(), **state})

    def _drop_gone(self) -> None:
        for key, course in list(self.courses.there.items()):
            if course.at.get("gone", self._now() + 1) <= self._now():
                del self.courses.there[key]

    def _budgets(self) -> dict[str, PodDisruptionBudget]:
        return self.simulation.context.cluster.listers.budgets

    def _by_name(self) -> Raw:
        by_name: Raw = {}
        counts: dict[str, int] = {}
        for course in self.courses.there.values():
            index, node = completion_index(course.pod), target_node(course.pod)
            if " " in course.label:
                number = course.revision.rpartition(":")[2]
                by_name[course.pod.name] = f"{number} {course.state}"
            elif "@" in course.label:
                by_name.setdefault(f"on {node}", []).append(f"{course.revision} {course.state}")
            elif index >= 0:
                by_name.setdefault(f"index {index}", []).append(course.state)
            else:
                name = f"pods on {course.pod.node_name or 'no node'}"
                counts[name] = counts.get(name, 0) + (course.state != "terminating")
        return {**by_name, **counts}

    def _event(self, event: ev.AnyEvent) -> None:
        if isinstance(event, ev.ObjectChanged) and event.kind == "ReplicaSet" and "scaled " in event.cause:
            words = event.cause.partition("scaled ")[2].split()
            if words[2] != words[4]:
                name = event.key.rpartition("/")[2]
                text = f"Scaled {words[0]} replica set {name} from {words[2]} to {words[4]}"
                if text not in self.scaling:  # one that comes again only raises its count
                    self.scaling.append(text)

    def _note_conditions(self, key: str) -> None:
        kind, _, name = key.split("/")
        held = self.owners.statuses[key].conditions if kind == "Deployment" else self.owners.jobs[key].conditions
        for one, condition in held.items():
            self._note_condition(f"{kind}/{name}", one, condition.short)

    def _note_condition(self, of: str, kind: str, text: str) -> None:
        course = self.conditions.setdefault(of, {}).setdefault(kind, [])
        if not course or course[-1][1] != text:
            course.append([round(self._now(), 3), text])

    # --- the course of time ----------------------------------------------------------------------------------------
    def run(self) -> Raw:
        """Play all steps, and give what was seen."""
        simulation = self.simulation
        simulation.step()
        self._look()
        for raw in self.history.objects:
            if raw.get("kind") not in BEFORE and raw.get("kind") not in CONTEXT_KINDS:
                self._apply(raw)
        self._settle()
        times = sorted({step.at for step in self.history.steps} | {self.history.until})
        for at in times:
            self._run_to(at)
            self.snapshots.append({"t": at, "n_states": len(self.states)})
            for step in self.history.steps:
                if step.at == at:
                    self._step(step)
            self._settle()
        return self._result()

    def _settle(self) -> None:
        self.simulation.settle()
        self._look()

    def _run_to(self, at: float) -> None:
        simulation, end = self.simulation, round(at * SECOND_US)
        while (due := simulation.next_at()) is not None and due < end:
            simulation.step()
            self._look()
        simulation.context.now = max(end, simulation.now())

    def _step(self, step: HistoryStep) -> None:
        if step.apply is not None:
            self._keep([step.apply])
            self._apply(step.apply)
        elif step.patch is not None:
            self._patch(step.at, step.patch)
        elif step.delete is not None:
            self._delete(step.delete)
        elif step.evict is not None:
            self._evict(step.at, step.evict)
        elif step.kubelet is not None:
            self.owners.readiness.rules = tuple(rule.rule() for rule in step.kubelet)

    def _apply(self, raw: Raw) -> None:
        for obj in self._read(raw):
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
                self.answers.append({"t": at, "step": step, "code": 422, "message": message})
                return
            self.simulation.world.put(msgspec.structs.replace(pod, annotations={**pod.annotations, **notes}))
            return
        key = patch.kind, patch.name
        if key not in self.raws:
            raise HistoryError(f"{patch.kind} {patch.name} is patched and not there")
        self.raws[key] = _merged(self.raws[key], patch.body)
        self._apply(self.raws[key])

    def _pod(self, owner: str, ordinal: int) -> Pod:
        """The n-th pod that was made for an owner."""
        for course in self.courses.all:
            if course.owner == owner and course.number == ordinal:
                return self.simulation.world.pods.get(course.pod.key, course.pod)
        raise HistoryError(f"{owner} has no pod {ordinal}")

    def _named(self, named: NamedInHistory) -> Pod:
        if named.of:
            return self._pod(named.of, named.ordinal)
        for course in self.courses.there.values():
            if course.pod.name == named.name:
                return self.simulation.world.pods[course.pod.key]
        raise HistoryError(f"{named.kind} {named.name} is not there")

    def _delete(self, named: NamedInHistory) -> None:
        if named.kind == "Pod":
            self.simulation.evictions.remove(self.simulation.world, self._named(named).key, "deleted")
            return
        for obj in self._read(self.raws[named.kind, named.name]):
            self.simulation.world.delete(obj)

    def _evict(self, at: float, named: NamedInHistory) -> None:
        """The eviction API: a budget's pod goes where the budget allows one more, or where it is healthy without it."""
        pod = self._named(named)
        answer: Raw = {"t": at, "step": f"evict Pod/{named.of}#{named.ordinal}", "code": 201}
        life = self.owners.readiness.lives.get(pod.key)
        for budget in self._budgets().values():
            if budget.selector is None or not budget.selector.matches(pod.labels):
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
        self.answers.append(answer)

    # --- the result ------------------------------------------------------------------------------------------------
    def _result(self) -> Raw:
        names, courses = self.names, self.courses
        names.look()
        scaling = [names.plain(text) for text in self.scaling]
        if len(scaling) > _MOST_EVENTS:
            scaling = [*scaling[:_MOST_EVENTS], _COMBINED + scaling[-1]]
        for snapshot in self.snapshots:
            n_states = snapshot.pop("n_states")
            snapshot["states"] = self.states[:n_states]
        return {
            "series": courses.series(),
            "order": courses.order(),
            "extremes": courses.extremes,
            "totals": courses.totals(),
            "made_in_order": courses.labels("made"),
            "deleted_in_order": courses.labels("deleted"),
            "scaling_events": scaling,
            "answers": self.answers,
            "refused_creates": self.refused,
            "conditions_over_time": self.conditions,
            "snapshots": self.snapshots,
        }


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
