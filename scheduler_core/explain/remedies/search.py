"""Remedies for a pending pod: candidates are derived, tried by the engine, and ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from time import perf_counter
from typing import NamedTuple

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.engine.trials.changes import UNCHANGED, Changes
from scheduler_core.engine.trials.prospects import Prospect, prospect_of
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.diagnosis.diagnose import diagnosis_of
from scheduler_core.explain.diagnosis.gangs import gang_cause, gang_of
from scheduler_core.explain.diagnosis.near import most_like
from scheduler_core.explain.remedies.as_edits import operations, with_operations
from scheduler_core.explain.remedies.candidates.by_group import candidates
from scheduler_core.explain.remedies.candidates.candidate import RemedyCandidate, of_pod
from scheduler_core.explain.remedies.gangs import of_gang
from scheduler_core.explain.remedies.model import (
    NOT_ENOUGH,
    PRIORITY,
    SCHEDULER,
    UNKNOWN,
    VERIFIED,
    ProposedEdit,
    Remedies,
    Remedy,
)
from scheduler_core.explain.remedies.ranking import Ranks, in_order, without_more
from scheduler_core.explain.remedies.stepwise import step_by_step
from scheduler_core.framework.contracts.obstacles import ACTORS
from scheduler_core.framework.preemption.disruption_budgets import BudgetBook

MOST_TRIED = 60
SHOWN_OPENED = 20
NO_RANKS = Ranks()
ENOUGH = 3
"""Where so many changes were verified, no combinations are looked for step by step."""


class TriedRemedy(NamedTuple):
    """A change that the engine tried, with its result."""

    remedy: Remedy
    changes: Changes


class RemedySearch(NamedTuple):
    """What was tried and what was not; ``failure`` "" where the pod fits as it is. ``late``: time ended before the
    end. ``unanswered`` as in Remedies."""

    failure: str
    tried: list[TriedRemedy]
    untried: list[Remedy]
    late: bool
    unanswered: str = ""


def remedies(trials: Trials, pod: str, out_of_time: Callable[[], bool] = lambda: False) -> Remedies:
    """What would let the pod fit on the state of the trials; every remedy was tried there by the engine.

    ``out_of_time`` is asked before each trial. Changes for the cause are tried first, then by who can act and by size,
    then combinations step by step where these are not enough. Raises KeyError where the state has no such pod.
    """
    started = perf_counter()
    outcome = search(trials, pod, out_of_time)
    tried = [one.remedy for one in outcome.tried]
    return Remedies(
        pod=pod,
        seq=trials.seq,
        fits=not outcome.failure,
        failure=outcome.failure,
        verified=in_order(without_more(one for one in tried if one.status == VERIFIED)),
        not_enough=in_order(one for one in tried if one.status == NOT_ENOUGH),
        unknown=in_order(one for one in tried if one.status == UNKNOWN),
        not_tried=in_order(outcome.untried),
        in_time=not outcome.late,
        seconds=perf_counter() - started,
        unanswered=outcome.unanswered,
    )


def until_first(trials: Trials, pod: str) -> Remedy | None:
    """The first remedy that is verified, in the order of trying; no other is tried. None where there is none."""
    with trials.under(trials.pod(pod), UNCHANGED) as base:
        if base.is_scheduled or base.gated is not None:
            return None
        ranks = Ranks.of(diagnosis_of(trials, base))
    for candidate in _in_order_of_trying(candidates(trials, base), ranks):
        remedy = remedy_after(trials, candidate, trials.attempt(pod, candidate.changes), ranks)
        if remedy.status == VERIFIED:
            return remedy
    return next((remedy_after(trials, *one, ranks) for one in step_by_step(trials, pod, lambda: False)), None)


def search(trials: Trials, pod: str, out_of_time: Callable[[], bool] = lambda: False) -> RemedySearch:
    """As ``remedies``, with the changes of each remedy, for callers that apply them."""
    as_tried = trials.pod(pod)
    if as_tried.scheduler_name not in trials.simulation.frameworks:
        return _by_another_name(trials, as_tried)
    of = gang_of(trials, as_tried)
    missing = None if of is None else gang_cause(trials, of, as_tried)
    if of is not None and missing is not None:
        tried = [TriedRemedy(*one) for one in of_gang(trials, of, as_tried, out_of_time)]
        return RemedySearch(missing.text, tried, [], late=out_of_time())
    with trials.under(as_tried, UNCHANGED) as base:
        diagnosis = None if base.is_scheduled or base.gated is not None else diagnosis_of(trials, base)
    as_it_is = prospect_of(trials, base, UNCHANGED)
    if base.is_scheduled and base.gated is None and as_it_is == Prospect():
        return RemedySearch("", [], [], late=False)
    return _searched(trials, pod, _BaseAttempt(base, Ranks.of(diagnosis), as_it_is), out_of_time)


class _BaseAttempt(NamedTuple):
    """The attempt without changes, which reading opens which node, and what extenders make of it."""

    trial: Trial
    ranks: Ranks
    as_it_is: Prospect


def _searched(trials: Trials, pod: str, base: _BaseAttempt, out_of_time: Callable[[], bool]) -> RemedySearch:
    tried, untried, late = _each(trials, pod, base, out_of_time)
    if not late and sum(one.remedy.status == VERIFIED for one in tried) < ENOUGH:
        tried_texts = {one.remedy.text for one in tried}
        for candidate, trial in step_by_step(trials, pod, out_of_time):
            if candidate.remedy.text not in tried_texts:
                tried_texts.add(candidate.remedy.text)
                tried.append(TriedRemedy(remedy_after(trials, candidate, trial, base.ranks), candidate.changes))
        late = out_of_time()
    first = base.trial
    failure = first.gated.message if first.gated is not None else first.failure or base.as_it_is.failure
    return RemedySearch(failure, tried, untried, late, base.as_it_is.unanswered)


def _by_another_name(trials: Trials, pod: Pod) -> RemedySearch:
    """For a pod of a scheduler that does not run here: decided by one that does, whose name is nearest first."""
    names = sorted(trials.simulation.frameworks)
    near = most_like(pod.scheduler_name, names)
    tried = []
    for name in names:
        text = f"set schedulerName {name} instead of {pod.scheduler_name}"
        edit = ProposedEdit(SCHEDULER, "schedulerName", pod.scheduler_name, name)
        made = of_pod(pod, [(edit, text, 0.25 if name == near else 1.0, partial(_scheduled_by, name=name))])
        assert made is not None
        tried.append(TriedRemedy(remedy_after(trials, made, trials.attempt(pod.key, made.changes)), made.changes))
    return RemedySearch(f"no scheduler {pod.scheduler_name} is simulated", tried, [], late=False)


def _scheduled_by(pod: Pod, name: str) -> Pod:
    return msgspec.structs.replace(pod, scheduler_name=name)


def _each(
    trials: Trials, pod: str, base: _BaseAttempt, out_of_time: Callable[[], bool]
) -> tuple[list[TriedRemedy], list[Remedy], bool]:
    """Every change made up for the state, tried while there is time; what was not tried; whether time ended."""
    tried: list[TriedRemedy] = []
    untried: list[Remedy] = []
    late = enough_priority = False
    for n, candidate in enumerate(_in_order_of_trying(candidates(trials, base.trial), base.ranks)):
        if candidate.remedy.code == "RAISE_PRIORITY" and enough_priority:
            continue  # a lower one does already, or its policy alone
        late = late or out_of_time()
        if late or n >= MOST_TRIED:
            untried.append(candidate.remedy)
            continue
        remedy = remedy_after(trials, candidate, trials.attempt(pod, candidate.changes), base.ranks)
        enough_priority = enough_priority or (remedy.kind == PRIORITY and remedy.status == VERIFIED)
        tried.append(TriedRemedy(remedy, candidate.changes))
    return tried, untried, late


def _in_order_of_trying(made_up: list[RemedyCandidate], ranks: Ranks) -> list[RemedyCandidate]:
    """Candidates in the order of trying: as remedies are proposed, by the nodes that they were made up for; priorities
    ascending, since the lowest that helps is enough."""

    def expected(candidate: RemedyCandidate) -> tuple[float, ...]:
        remedy = candidate.remedy
        reading = ranks.best(remedy.nodes) if remedy.nodes else 0
        priority = int(remedy.edits[0].after) if candidate.nominates else 0
        return reading, ACTORS.index(remedy.actor), remedy.size, priority

    return sorted(made_up, key=lambda one: (expected(one), one.remedy.text))


def remedy_after(trials: Trials, candidate: RemedyCandidate, trial: Trial, ranks: Ranks = NO_RANKS) -> Remedy:
    """The remedy with the result of the engine's attempt, and what it does to the objects as edits."""
    chosen = trial.preemption.chosen if candidate.nominates and trial.preemption is not None else None
    if trial.gated is not None:
        prospect = Prospect(trial.gated.message)
    else:
        prospect = prospect_of(trials, trial, candidate.changes, by_preemption=candidate.nominates)
    helps = prospect == Prospect()
    node = "" if not helps else trial.node or (chosen.node if chosen is not None else "")
    victims = chosen.victims if helps and chosen is not None else ()
    return msgspec.structs.replace(
        candidate.remedy,
        status=VERIFIED if helps else UNKNOWN if prospect.unanswered else NOT_ENOUGH,
        node=node,
        tied=len(trial.tied),
        n_fit=len(trial.feasible),
        victims=victims,
        budgets=_broken(trials, (*candidate.changes.gone, *victims)),
        failure=prospect.failure,
        unanswered=prospect.unanswered or (trial.unanswered.scoring if node else ""),
        seconds=trial.seconds,
        opens=tuple(sorted(trial.feasible)[:SHOWN_OPENED]) if helps and not victims else (node,) if node else (),
        reading=ranks.best(trial.feasible or filter(None, [node]), candidate.remedy.nodes),
        edits=with_operations(candidate.remedy.edits, operations(trials, trials.pod(trial.pod.key), candidate.changes)),
    )


def _broken(trials: Trials, leaving: Iterable[str]) -> tuple[str, ...]:
    """The budgets that do not allow these pods to be evicted together."""
    cluster = trials.simulation.context.cluster
    infos = [cluster.pods[key] for key in leaving if key in cluster.pods]
    return BudgetBook(cluster).broken(infos) if infos else ()
