"""Remedies for a pending pod: candidates are derived, tried by the engine, and ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import NamedTuple

import msgspec

from scheduler_core.engine.trials.changes import UNCHANGED, Changes
from scheduler_core.engine.trials.prospects import Prospect, prospect_of
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.remedies.candidate import RemedyCandidate
from scheduler_core.explain.remedies.candidates import candidates
from scheduler_core.explain.remedies.model import NOT_ENOUGH, PRIORITY, UNKNOWN, VERIFIED, Remedies, Remedy
from scheduler_core.explain.remedies.stepwise import step_by_step
from scheduler_core.framework.preemption.disruption_budgets import BudgetBook

MOST_TRIED = 60
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

    ``out_of_time`` is asked before each trial. The smallest change of each kind is tried first, then the others by
    size, then combinations step by step where these are not enough. Raises KeyError where the state has no such pod.
    """
    started = perf_counter()
    outcome = search(trials, pod, out_of_time)
    tried = [one.remedy for one in outcome.tried]
    return Remedies(
        pod=pod,
        seq=trials.seq,
        fits=not outcome.failure,
        failure=outcome.failure,
        verified=_by_size(one for one in tried if one.status == VERIFIED),
        not_enough=_by_size(one for one in tried if one.status == NOT_ENOUGH),
        unknown=_by_size(one for one in tried if one.status == UNKNOWN),
        not_tried=_by_size(outcome.untried),
        in_time=not outcome.late,
        seconds=perf_counter() - started,
        unanswered=outcome.unanswered,
    )


def search(trials: Trials, pod: str, out_of_time: Callable[[], bool] = lambda: False) -> RemedySearch:
    """As ``remedies``, with the changes of each remedy, for callers that apply them."""
    base = trials.attempt(pod)
    as_it_is = prospect_of(trials, base, UNCHANGED)
    if base.is_scheduled and base.gated is None and as_it_is == Prospect():
        return RemedySearch("", [], [], late=False)
    tried, untried, late = _each(trials, pod, base, out_of_time)
    if not late and sum(one.remedy.status == VERIFIED for one in tried) < ENOUGH:
        tried_texts = {one.remedy.text for one in tried}
        for candidate, trial in step_by_step(trials, pod, out_of_time):
            if candidate.remedy.text not in tried_texts:
                tried_texts.add(candidate.remedy.text)
                tried.append(TriedRemedy(remedy_after(trials, candidate, trial), candidate.changes))
        late = out_of_time()
    failure = base.gated.message if base.gated is not None else base.failure or as_it_is.failure
    return RemedySearch(failure, tried, untried, late, as_it_is.unanswered)


def _each(
    trials: Trials, pod: str, base: Trial, out_of_time: Callable[[], bool]
) -> tuple[list[TriedRemedy], list[Remedy], bool]:
    """Every change made up for the state, tried while there is time; what was not tried; whether time ended."""
    tried: list[TriedRemedy] = []
    untried: list[Remedy] = []
    late = enough_priority = False
    for n, candidate in enumerate(_in_order_of_trying(candidates(trials, base))):
        if candidate.remedy.kind == PRIORITY and enough_priority:
            continue  # a lower one does already
        late = late or out_of_time()
        if late or n >= MOST_TRIED:
            untried.append(candidate.remedy)
            continue
        remedy = remedy_after(trials, candidate, trials.attempt(pod, candidate.changes))
        enough_priority = enough_priority or (remedy.kind == PRIORITY and remedy.status == VERIFIED)
        tried.append(TriedRemedy(remedy, candidate.changes))
    return tried, untried, late


def _in_order_of_trying(made_up: list[RemedyCandidate]) -> list[RemedyCandidate]:
    """Candidates in the order of trying: the first of each kind, then the second of each; priorities ascending."""
    seen: dict[str, int] = {}
    ranked = []
    for candidate in made_up:
        kind = candidate.remedy.kind
        rank = seen[kind] = seen.get(kind, -1) + 1
        ranked.append((rank, candidate.remedy.size, candidate))
    ranked.sort(key=lambda one: one[:2])
    others = [candidate for _, _, candidate in ranked if not candidate.nominates]
    rising = sorted((c for c in made_up if c.nominates), key=lambda c: int(c.remedy.edits[0].after))
    return others[: len(seen)] + rising + others[len(seen) :]


def remedy_after(trials: Trials, candidate: RemedyCandidate, trial: Trial) -> Remedy:
    """The remedy with the result of the engine's attempt."""
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
    )


def _broken(trials: Trials, leaving: Iterable[str]) -> tuple[str, ...]:
    """The budgets that do not allow these pods to be evicted together."""
    cluster = trials.simulation.context.cluster
    infos = [cluster.pods[key] for key in leaving if key in cluster.pods]
    return BudgetBook(cluster).broken(infos) if infos else ()


def _by_size(several: Iterable[Remedy]) -> tuple[Remedy, ...]:
    return tuple(sorted(several, key=lambda one: (one.size, one.text)))
