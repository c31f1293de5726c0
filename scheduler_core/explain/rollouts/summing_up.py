"""Unfinished rollouts as the summary of a run has them."""

from __future__ import annotations

from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.outcomes.making.model import RolloutOutcome
from scheduler_core.explain.rollouts.at_seq import rollouts_at
from scheduler_core.explain.rollouts.model import RolloutAnswer
from scheduler_core.explain.sessions import TrialsOf

_ROLLED = ("Deployment", "StatefulSet", "DaemonSet")


def unfinished_at(trials: TrialsOf, seq: int) -> list[RolloutOutcome]:
    """The rollouts that are unfinished after the first ``seq`` events."""
    return [_outcome(one) for one in rollouts_at(trials, seq)]


def plays_rollouts(inputs: RunInputs) -> bool:
    """Whether a run of these inputs may have rollouts."""
    given = (*inputs.objects.deployments, *inputs.objects.workloads, *(one.object for one in inputs.timeline.entries))
    return inputs.policies.rollouts == "play" and any(getattr(one, "kind", "") in _ROLLED for one in given)


def _outcome(answer: RolloutAnswer) -> RolloutOutcome:
    cause = answer.cause
    return RolloutOutcome(
        state=answer.state,
        text=answer.text,
        is_stuck=answer.is_stuck,
        codes=cause.codes if cause is not None else (),
        because=cause.obstacles[0].text if cause is not None and cause.obstacles else "",
        pods=answer.pods,
        next_try=answer.next_try,
        is_admitted=answer.is_admitted,
    )
