"""The rollouts that are unfinished at a cursor of a run, each with its cause.

The cause of a rollout whose pods have no node is theirs, with the strategy as a second reading: another strategy lets
an old pod leave first. Of pods that a quota refuses it is the quota; of pods that do not become Ready, the pods.
"""

from __future__ import annotations

from itertools import chain

from msgspec.structs import replace

from scheduler_core.admission.verdicts import RefusedObject
from scheduler_core.api.objects import Workload
from scheduler_core.controllers.rollouts import rollout_states as states
from scheduler_core.controllers.rollouts.rollout_states import RolloutState
from scheduler_core.engine.arrivals.admission import PlayedAdmission
from scheduler_core.engine.inputs import InputChange
from scheduler_core.engine.simulation import Simulation
from scheduler_core.explain.cause import diagnosis_at
from scheduler_core.explain.diagnosis.model import ObstacleSet
from scheduler_core.explain.not_created.by_input import not_created
from scheduler_core.explain.not_created.in_run import cause_of_event
from scheduler_core.explain.pending import attempt_history, attempt_shown
from scheduler_core.explain.rollouts.model import RolloutAnswer
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.recording import events as ev
from scheduler_core.recording.times import clock
from scheduler_core.workloads.timeline import TimelineEntry

_CODES = {
    states.NOT_READY: "BOUND_NOT_RUNNING",
    states.TERMINATING: "TERMINATING",
}
"""The code of the cause by what a rollout waits for; NOT_CREATED_STRATEGY for what the strategy keeps."""


def rollouts_at(trials: TrialsOf, seq: int) -> list[RolloutAnswer]:
    """The rollouts after the first ``seq`` events, in the order of the inputs; none where rollouts are not played.

    Cost: the state is restored once, and one pod of each rollout is diagnosed."""
    simulation = trials.at_seq(seq).simulation
    is_over = simulation.next_at() is None
    return [_answer(trials, simulation, state, seq, is_over=is_over) for state in simulation.aftermath.rollouts()]


def rollout_of(trials: TrialsOf, key: str, seq: int) -> RolloutAnswer | None:
    """The unfinished rollout of the workload (namespace/name); None without one.

    Cost: nothing where the inputs have no such workload."""
    inputs = trials.inputs
    brought: tuple[TimelineEntry | InputChange, ...] = (*inputs.timeline.entries, *inputs.changes)
    workloads = chain(inputs.objects.deployments, inputs.objects.workloads, (entry.object for entry in brought))
    if all(not isinstance(one, Workload) or one.title.partition(" ")[2] != key for one in workloads):
        return None
    simulation = trials.at_seq(seq).simulation
    of_key = [one for one in simulation.aftermath.rollouts() if one.title.partition(" ")[2] == key]
    is_over = simulation.next_at() is None
    return _answer(trials, simulation, of_key[0], seq, is_over=is_over) if of_key else None


def _answer(trials: TrialsOf, simulation: Simulation, state: RolloutState, seq: int, *, is_over: bool) -> RolloutAnswer:
    is_stuck = not state.is_on_purpose and (is_over or state.is_too_late)
    text = state.text if is_stuck or state.is_on_purpose else state.said("is under way")
    answer = RolloutAnswer(seq=seq, at=simulation.now(), state=state, text=text, is_stuck=is_stuck)
    if state.waits_for == states.REFUSED:
        answer = _with_retry(simulation, answer)
    return replace(answer, cause=cause_of_rollout(trials, answer)) if is_stuck or state.is_on_purpose else answer


def _with_retry(simulation: Simulation, answer: RolloutAnswer) -> RolloutAnswer:
    """The answer with when the controller tries again, and whether the pod would be admitted now."""
    aftermath, waiting = simulation.aftermath, refused_owner(simulation, answer.state)
    if waiting is None or aftermath.owners is None:
        return answer
    due, failed = aftermath.retries.of.get(waiting.key), aftermath.owners.retries.by_key.get(waiting.key)
    is_admitted = not isinstance(_asked(aftermath.admission, waiting), RefusedObject)
    at = due.at if due is not None and due.at >= 0 else None
    text = answer.text
    if is_admitted and at is not None:
        text = f"{text}; it would be admitted now, and its controller tries again at {clock(at)}"
    return replace(
        answer, next_try=at, tries=failed.failures if failed is not None else 0, is_admitted=is_admitted, text=text
    )


def _asked(admission: PlayedAdmission, waiting: Workload) -> object:
    """What admission says of what the workload's controller would make: a ReplicaSet, or a pod."""
    if waiting.kind == "Deployment":
        return admission.refused_object(replace(waiting, kind="ReplicaSet"))
    return admission.admit(waiting.template)


def refused_owner(simulation: Simulation, state: RolloutState) -> Workload | None:
    """The workload of the rollout whose last try failed: a ReplicaSet, or what was asked about."""
    owners = simulation.aftermath.owners
    if owners is None:
        return None
    there = [*owners.sets_of(state.key)[::-1], workload_of(simulation, state)]
    return next((one for one in there if one.key in owners.retries.by_key), None)


def workload_of(simulation: Simulation, state: RolloutState) -> Workload:
    """The workload as it is now. Raises KeyError where it is gone."""
    owners = simulation.aftermath.owners
    if owners is not None and state.key in owners.deployments:
        return owners.deployments[state.key]
    return simulation.aftermath.ownership.owned[state.key].workload


# --- the cause -------------------------------------------------------------------------------------------------------


def cause_of_rollout(trials: TrialsOf, answer: RolloutAnswer) -> ObstacleSet:
    """Why the rollout does not go on, as data."""
    state = answer.state
    if state.waits_for == states.REFUSED and (event := last_refusal(trials, state, answer.seq)) is not None:
        return cause_of_event(event, state.title, answer.text, ".")
    held = _of_strategy(answer)
    if state.waits_for == states.PENDING:
        of_pod = _of_pod(trials, state.pending[0], answer.seq)
        if of_pod is not None:
            text = f"{_sentence(answer.text)} {of_pod.text}"
            return replace(of_pod, text=text, also=(held, *of_pod.also) if state.max_surge is not None else of_pod.also)
    if (code := _CODES.get(state.waits_for)) is not None:
        named = state.not_ready[:1]
        title = f"Pod {named[0]}" if named else state.title
        return not_created(code, title, needs={}, text=answer.text, said=".")
    return held


def _of_strategy(answer: RolloutAnswer) -> ObstacleSet:
    state, text = answer.state, answer.text
    if state.waits_for == states.PENDING and state.most is not None and state.available <= (state.least or 0):
        text = (
            f"the strategy of {state.title} allows {state.most:,} pods and keeps {state.least:,} available"
            f" ({state.numbers}), so that no pod that is available leaves first"
        )
    needs = {
        name: f"{value}"
        for name, value in (
            ("maxSurge", state.max_surge),
            ("maxUnavailable", state.max_unavailable),
            ("partition", state.partition or None),
            ("replicas", state.replicas),
            ("available", state.available),
        )
        if value is not None
    }
    return not_created("NOT_CREATED_STRATEGY", state.title, needs=needs, text=text, said=".", subject=_subject(state))


def _subject(state: RolloutState) -> str:
    """The field that has the strategy."""
    if state.waits_for == states.PAUSED:
        return "spec.paused"
    return "spec.strategy" if state.key.startswith("Deployment/") else "spec.updateStrategy"


def last_refusal(trials: TrialsOf, state: RolloutState, seq: int) -> ev.CreationRefused | None:
    """The last pod of the rollout's owner that admission refused."""
    kind, _, name = state.key.partition("/")
    makers = {f"{kind} {name}", *(f"ReplicaSet {name.partition('/')[0]}/{one.name}" for one in state.revisions)}
    refusals = trials.reader.select_events(0, seq, ev.CreationRefused)
    return next((event for _, event in reversed(list(refusals)) if event.maker in makers), None)


def _of_pod(trials: TrialsOf, pod: str, seq: int) -> ObstacleSet | None:
    reader = trials.reader
    history = attempt_history(reader, trials.inputs, pod, seq, reader.state_at(seq).uids.get(pod, ""))
    diagnosis = diagnosis_at(trials, history, attempt_shown(history, 0))
    return None if diagnosis is None else diagnosis.cause


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
