"""What is seen of a history while it is played: pods by their stages, conditions, refusals, and states after each step.

A watch hangs on the run's own reports and changes nothing.
"""

from __future__ import annotations

from typing import Any

from scheduler_core.api.objects import Pod, PodDisruptionBudget
from scheduler_core.controllers.daemons import target_node
from scheduler_core.controllers.jobs import completion_index
from scheduler_core.engine.consequences.owners.held import SETS
from scheduler_core.engine.consequences.owners.owners import Owners
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.world import COMPLETED
from scheduler_core.recording import events as ev
from scheduler_core.testing.controller_scenarios.admitted import admitted_pod, quotas
from scheduler_core.testing.controller_scenarios.api_events import ApiEvents
from scheduler_core.testing.controller_scenarios.pods import Course, Courses
from scheduler_core.testing.controller_scenarios.reading import ControllerHistory
from scheduler_core.testing.controller_scenarios.states import RevisionNames, statuses

SECOND_US = 1_000_000
NAMESPACE = "team"
"""The one namespace of a history."""
_COMBINED = "(combined from similar events): "
_MOST_EVENTS = 9
Raw = dict[str, Any]


class HistoryWatch:
    """What is seen, in the terms of the file. ``courses`` are the pods, ``answers`` those of the API server."""

    def __init__(self, simulation: Simulation, owners: Owners, history: ControllerHistory) -> None:
        self.simulation, self.owners, self.history = simulation, owners, history
        self.names = RevisionNames(owners)
        self.courses = Courses(history.extremes_from)
        self.events = ApiEvents(self.names)
        self.scaling: list[str] = []
        self.conditions: Raw = {}
        self.answers: list[Raw] = []
        self.refused: list[Raw] = []
        self.snapshots: list[Raw] = []
        self.states: list[Raw] = []
        self._uncounted: dict[str, list[Course]] = {}
        self._watch()

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
        self.owners.on_refused = self._note_refused

    def _note_refused(self, key: str, pod: Pod, text: str) -> None:
        self.refused.append({"t": self._now(), "owner": key, "text": text})
        self.names.look()
        self.events.refused(key, pod.name, text)

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
            if "deleted" not in course.at and self._is_driven_out(pod):
                self.events.say(
                    f"Pod/{course.owner}-*", f"Normal TaintManagerEviction: Marking for deletion Pod {pod.key}"
                )
            self.courses.note(course, "deleted", self._now())
        self.courses.look(self._now())

    def _is_driven_out(self, pod: Pod) -> bool:
        """Whether a taint of the pod's node has it evicted."""
        taints = [taint for node in self.simulation.world.nodes([pod.node_name]) for taint in node.taints]
        return any(
            taint.effect == "NoExecute" and not any(one.tolerates(taint) for one in pod.tolerations) for taint in taints
        )

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
        elif key.startswith("DaemonSet/"):
            text = f"Found failed daemon pod {pod.key} on node {pod.node_name}, will try to kill it"
            self.events.say(f"DaemonSet/{course.owner}", f"Warning FailedDaemonPod: {text}")
        hold = self.owners.holds.get(self.owners.ownership.key_of(pod), {}).get(pod.node_name)
        if hold is not None and hold.until / SECOND_US <= self.history.until:
            self.courses.note(course, "deleted", hold.until / SECOND_US)
            self.courses.note(course, "gone", hold.until / SECOND_US)

    def look(self) -> None:
        """After each step: the state of everything."""
        self._drop_gone()
        self.courses.look(self._now())
        budgets = {one.name: self.owners.budget(one) for one in self.budgets().values()}
        for name, status in budgets.items():
            self._note_budget(self.budgets()[f"{NAMESPACE}/{name}"])
            reason = "True/SufficientPods" if status.is_sufficient else "False/InsufficientPods"
            self._note_condition(f"PodDisruptionBudget/{name}", "DisruptionAllowed", reason)
        state = {
            "pods": self.courses.in_states(),
            "by_name": self._by_name(),
            "status": statuses(self.owners, self.names, budgets),
            "quota": quotas(self.simulation.aftermath.admission.ledger.of(NAMESPACE)),
        }
        self.states.append({"t": self._now(), **state})

    def _note_budget(self, budget: PodDisruptionBudget) -> None:
        selector = budget.selector
        chosen = [one.pod for one in self.courses.there.values() if selector and selector.matches(one.pod.labels)]
        is_part = (budget.min_available or budget.max_unavailable or "").endswith("%")
        if not chosen:
            self.events.no_pods(budget)
        elif is_part and any(not one.owner_references for one in chosen):
            raws = (one for one in self.history.objects if one["kind"] == "PodDisruptionBudget")
            raw = next(one for one in raws if one["metadata"]["name"] == budget.name)
            self.events.unmanaged(budget, raw["spec"]["selector"].get("matchLabels", {}))

    def take(self, at: float) -> None:
        """Take a snapshot: which states were seen so far, and pods as admission left them."""
        pods = [(course, admitted_pod(course.pod)) for course in self.courses.there.values()]
        admitted = {course.revision: fields for course, fields in reversed(pods)}
        self.snapshots.append({"t": at, "n_states": len(self.states), "admitted": admitted})

    def _drop_gone(self) -> None:
        for key, course in list(self.courses.there.items()):
            if course.at.get("gone", self._now() + 1) <= self._now():
                del self.courses.there[key]

    def budgets(self) -> dict[str, PodDisruptionBudget]:
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
        if isinstance(event, ev.CycleFinished) and event.outcome == "unschedulable":
            course = self.courses.there[event.pod]
            self.events.say(f"Pod/{course.revision}", f"Warning FailedScheduling: {event.message}")
        elif isinstance(event, ev.ObjectChanged) and event.kind == "ReplicaSet" and "scaled " in event.cause:
            words = event.cause.partition("scaled ")[2].split()
            if words[2] != words[4]:
                name = event.key.rpartition("/")[2]
                text = f"Scaled {words[0]} replica set {name} from {words[2]} to {words[4]}"
                if text not in self.scaling:  # one that comes again only raises its count
                    self.scaling.append(text)

    def _note_conditions(self, key: str) -> None:
        kind, _, name = key.split("/")
        if kind in SETS:
            self.names.look()
            set_name = self.names.of_set(self.owners.ownership.owned[key].workload)
            is_failing = bool(self.owners.retries.text(key))
            self._note_condition(
                f"{kind}/{set_name}", "ReplicaFailure", "True/FailedCreate" if is_failing else "removed"
            )
            return
        held = self.owners.statuses[key].conditions if kind == "Deployment" else self.owners.jobs[key].conditions
        for one, condition in held.items():
            self._note_condition(f"{kind}/{name}", one, condition.short)
            self.events.condition(f"{kind}/{name}", one, condition)
        for one in self.conditions.get(f"{kind}/{name}", {}):
            if one not in held:
                self._note_condition(f"{kind}/{name}", one, "removed")

    def _note_condition(self, of: str, kind: str, text: str) -> None:
        course = self.conditions.setdefault(of, {}).setdefault(kind, [])
        if not course or course[-1][1] != text:
            course.append([round(self._now(), 3), text])

    def result(self) -> Raw:
        names, courses = self.names, self.courses
        names.look()
        scaling = [names.plain(text) for text in self.scaling]
        if len(scaling) > _MOST_EVENTS:
            scaling = [*scaling[:_MOST_EVENTS], _COMBINED + scaling[-1]]
        for snapshot in self.snapshots:
            n_states = snapshot.pop("n_states")
            snapshot["states"], snapshot["later"] = self.states[:n_states], self.states[n_states:]
        return {
            "series": courses.series(),
            "order": courses.order(),
            "extremes": courses.extremes,
            "totals": courses.totals(),
            "made_in_order": courses.labels("made"),
            "deleted_in_order": courses.labels("deleted"),
            "scaling_events": scaling,
            "answers": self.answers,
            "refused_creates": {
                "messages": sorted({names.plain(one["text"]) for one in self.refused}),
                "at": [one["t"] for one in self.refused],
                "total": len(self.refused),
            },
            "events": self.events.all(),
            "conditions_over_time": self.conditions,
            "snapshots": self.snapshots,
        }
