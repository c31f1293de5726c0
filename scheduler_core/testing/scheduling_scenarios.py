"""Runs a recorded scheduling scenario through the engine and tells the outcome in the recording's own format.

The input is a file of the conformance data (objects, then pods tried one after the other). All of it is read back from
our recording, but for the verdicts on nodes that were not looked at (``allFilters``), which no recording holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import Pod
from scheduler_core.engine.inputs import EPOCH, RunInputs, other_objects
from scheduler_core.engine.listed import ListedQueue
from scheduler_core.engine.policies import Policies
from scheduler_core.manifests import Finding, config_from_raw, load_manifests
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS
from scheduler_core.simulate import RunSession
from scheduler_core.testing.device_scenarios import DeviceSteps
from scheduler_core.testing.extending.tape import ScenarioTape
from scheduler_core.testing.scenario_steps import StepAnswer, StepBuilder
from scheduler_core.versions.behaviours import Behaviours
from scheduler_core.versions.gates import GateError, gates_text
from scheduler_core.versions.semantics import behaviours_of
from scheduler_core.versions.trains import VersionError

STARTED = 1_735_689_600.0
"""2025-01-01T00:00:00Z: start of pods that are bound in the file and name no start time."""
SECOND_US = 1_000_000
RECORDED_WITH = "1.34.1"
"""The version of kube-scheduler that recorded a scenario which names none (key "reference")."""


class ScenarioError(ValueError):
    """The scenario cannot be read."""


def run_scheduling_scenario(scenario: Mapping[str, Any], *, cached: bool = True) -> dict[str, Any]:
    """The ``expected`` object of the scenario as this engine decides; ``cached`` as of RunSession.start.

    Raises ScenarioError.
    """
    tape = ScenarioTape(scenario["tape"]) if "tape" in scenario else None
    behaviours_of_scenario(scenario)
    configuration = _configuration(scenario.get("config"), answered=tape is not None)
    sampling = bool(scenario.get("sampling"))
    inputs = RunInputs(
        objects=_objects(scenario["objects"]),
        configuration=configuration,
        schedule="pending",
        policies=Policies(
            node_search="configured" if sampling else "all",
            draw="smallest",
            preemption_candidates="all",
            victims="at_once",
            attempt_order="listed",
            cycle_us=0,
            binding_us=0,
            kubernetes=str(scenario.get("reference", RECORDED_WITH)),
            gates=gates_text(scenario.get("gates", {})),
            terminating="stay",
            owners="ignore",
            node_loss="pods_stay",
            decided="ignore",
            claims="ignore",
        ),
    )
    session = RunSession.start(inputs, cached=cached, extenders=tape)
    expected = _Scenario(scenario, session, tape, sampling=sampling).run()
    if tape is not None:
        tape.check_all_asked()
    return expected


def behaviours_of_scenario(scenario: Mapping[str, Any]) -> Behaviours:
    """The behaviours of the version and the gates that a recording names. Raises ScenarioError."""
    reference, gates = scenario.get("reference", RECORDED_WITH), scenario.get("gates", {})
    try:
        return behaviours_of(str(reference), gates_text(gates))
    except (VersionError, GateError) as error:
        raise ScenarioError(f"reference: {error}") from error


class _Scenario:
    def __init__(
        self, scenario: Mapping[str, Any], session: RunSession, tape: ScenarioTape | None, *, sampling: bool
    ) -> None:
        self.scenario = scenario
        self.tape = tape
        self.n_steps = 0
        self.simulation = session.simulation
        self.simulation.world.epoch = EPOCH
        self.queue = self.simulation.queue
        assert isinstance(self.queue, ListedQueue)
        self.queue.listing = False
        self.compact = bool(scenario.get("compact"))
        self.sampling = sampling
        self.context = [raw for raw in scenario["objects"] if raw.get("kind") in CONTEXT_KINDS]
        self.step_builder = StepBuilder(self.simulation, compact=self.compact, sampling=sampling)
        self.devices = DeviceSteps(scenario, self.simulation)
        self.answers: list[StepAnswer] = []
        self.tried: dict[str, int] = {}
        self.deleted: list[str] = []
        self.bound = 0
        self.simulation.scheduler.on_attempt = lambda attempt: self.answers.append(self.step_builder.watch(attempt))

    def run(self) -> dict[str, Any]:
        simulation = self.simulation
        simulation.step()
        steps: list[dict[str, Any]] = []
        for raw in self.scenario["pods"]:
            self.n_steps = len(steps)
            steps += self._entry(raw)
        names = sorted(simulation.context.cluster.table.row_of)
        expected: dict[str, Any] = {"nodes": names or None}
        if self.sampling:
            cluster = simulation.context.cluster
            expected["nodeOrder"] = [cluster.name_of(row) for row in cluster.table.order.tolist()]
        return {**expected, "steps": steps, "final": self._final()}

    def _entry(self, raw: Mapping[str, Any]) -> list[dict[str, Any]]:
        if "apply" in raw:
            return self._apply(raw["apply"])
        if "remove" in raw:
            return self._remove(raw["remove"])
        if "retry" in raw:
            return self.devices.finish(self._retry(str(raw["retry"])))
        pod = self._admit(raw)
        self.simulation.context.now = (self.bound + 1) * SECOND_US
        self.simulation.world.put(pod)
        return self.devices.finish(self._held_back(pod) or self._try(pod.key))

    def _apply(self, raw: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Somebody creates an object, or replaces one as a whole; no step."""
        objects = load_manifests([*self.context, raw], expand=False, as_posted=False)
        _check(objects.errors)
        world = self.simulation.world
        for obj in [*objects.objects.nodes, *objects.objects.pods, *other_objects(objects.objects)]:
            if type(obj).__name__ == raw["kind"]:
                world.put(obj)
        return []

    def _remove(self, ref: Mapping[str, str]) -> list[dict[str, Any]]:
        """Somebody deletes an object; no step."""
        world, kind = self.simulation.world, ref["kind"]
        keys = (ref["name"], f"{ref.get('namespace') or 'default'}/{ref['name']}")
        if kind == "Pod":
            world.delete_pod(keys[1])
            return []
        held = world.nodes(keys) if kind == "Node" else [world.cluster.listers.find(kind, key) for key in keys]
        for obj in held:
            if obj is not None:
                world.delete(obj)
        return []

    def _held_back(self, pod: Pod) -> list[dict[str, Any]]:
        """The step of a pod that is not ours, or gated; none where it may be tried."""
        attempt = self.tried.get(pod.key, 0) + 1
        step: dict[str, Any] = {"pod": pod.key, "attempt": attempt, "profile": pod.scheduler_name}
        framework = self.simulation.frameworks.get(pod.scheduler_name)
        if framework is None:
            step["result"] = "ignored"
        elif not (status := framework.run_pre_enqueue(pod)).is_success:
            verdict = {"plugin": status.plugin, "code": status.code.label, "reasons": list(status.reasons)}
            step |= {"result": "gated", "preEnqueue": verdict}
        else:
            return []
        self.tried[pod.key] = attempt
        return [step]

    def _retry(self, key: str) -> list[dict[str, Any]]:
        pod = self.simulation.world.pods.get(key)
        if pod is None or pod.node_name:
            return [{"pod": key, "attempt": self.tried.get(key, 0) + 1, "result": "gone"}]
        return self._held_back(pod) or self._try(key)

    def _try(self, key: str) -> list[dict[str, Any]]:
        """Attempts until the list is empty again: one, or two where the first made room."""
        assert isinstance(self.queue, ListedQueue)
        self.simulation.context.now = (self.bound + 1) * SECOND_US
        self.answers.clear()
        first_seq = self.simulation.recorder.head_seq
        before = set(self.simulation.world.pods)
        if self.tape is not None:
            self.tape.steps_from(self.simulation.context.cycle + 1, self.n_steps)
        self.queue.ask(key)
        self.devices.begin()
        while self.queue.can_pop or self.simulation.heap:
            self.simulation.step()
            self.devices.note(len(self.answers))
        self.deleted += sorted(before - set(self.simulation.world.pods))
        self.bound += bool(self.simulation.world.pods.get(key) and self.simulation.world.pods[key].node_name)
        steps = self.step_builder.steps(first_seq, self.answers, self.tried.get(key, 0))
        self.tried[key] = self.tried.get(key, 0) + len(steps)
        return steps

    def _final(self) -> dict[str, Any]:
        pods = self.simulation.world.pods
        pending = [p for p in pods.values() if not p.node_name]
        return {
            "bindings": {key: pods[key].node_name for key in sorted(pods) if pods[key].node_name},
            "deleted": sorted(self.deleted),
            "nominated": {
                p.key: p.nominated_node_name for p in sorted(pending, key=lambda p: p.key) if p.nominated_node_name
            },
            "pending": sorted(p.key for p in pending),
            **self.devices.final(),
        }

    def _admit(self, raw: Mapping[str, Any]) -> Pod:
        result = load_manifests([*self.context, raw], as_posted=False)
        _check(result.errors)
        return result.objects.pods[0]


def _configuration(raw: Mapping[str, Any] | None, *, answered: bool) -> SchedulerConfiguration:
    if not raw:
        return SchedulerConfiguration()
    configuration, findings = config_from_raw(dict(raw), answered=answered)
    _check([f for f in findings if f.severity == "error"])
    assert configuration is not None
    return configuration


def _objects(raws: Sequence[Mapping[str, Any]]) -> Any:
    result = load_manifests(list(raws), expand=False, as_posted=False)
    _check(result.errors)
    objects = result.objects
    objects.pods = [
        msgspec.structs.replace(p, start_time=STARTED) if p.node_name and p.start_time is None else p
        for p in objects.pods
    ]
    return objects


def _check(errors: Sequence[Finding]) -> None:
    if errors:
        raise ScenarioError(errors[0].text())
