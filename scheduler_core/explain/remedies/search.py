"""Remedies for a pending pod: candidates are derived, tried by the engine, and ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from time import perf_counter
from typing import NamedTuple

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.engine.trials.changes import UNCHANGED, Changes
from scheduler_core.engine.trials.prospects import Prospect, find_prospect
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.diagnosis.diagnose import NEARLY, diagnose_trial
from scheduler_core.explain.diagnosis.gangs import after_backoff, find_gang, gang_cause
from scheduler_core.explain.diagnosis.near_misses import closest
from scheduler_core.explain.doubts.evidence import left_to_others
from scheduler_core.explain.outcomes.texts import listed
from scheduler_core.explain.remedies.candidates.by_group import candidates
from scheduler_core.explain.remedies.candidates.candidate import MOST_NAMED, RemedyCandidate, of_pod
from scheduler_core.explain.remedies.candidates.state_edits import may_leave
from scheduler_core.explain.remedies.codes import REMEDIES
from scheduler_core.explain.remedies.gangs import gang_candidates, gang_remedy, in_all_pods
from scheduler_core.explain.remedies.model import (
    NOT_ENOUGH,
    PRIORITY,
    SCHEDULER,
    UNKNOWN,
    VERIFIED,
    WAITING,
    ProposedEdit,
    Remedies,
    Remedy,
)
from scheduler_core.explain.remedies.proposed_edits import published_edits
from scheduler_core.explain.remedies.ranking import Ranks, in_order, without_more
from scheduler_core.explain.remedies.stepwise import NodeWalks
from scheduler_core.framework.contracts.obstacles import ACTORS
from scheduler_core.framework.preemption.disruption_budgets import BudgetBook

WAIT = "WAIT"
MOST_TRIED = 60
SHOWN_OPENED = 20
NO_RANKS = Ranks()
ENOUGH = 3
"""Once this many changes are verified, no combinations are looked for step by step."""


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
    """The remedies that let the pod fit in the state of the trials, each tried there by the engine.

    ``out_of_time`` is checked before each trial. Changes for the cause are tried first, then by who can act and by
    size, then combinations step by step where these are not enough. Raises KeyError where the state has no such pod.
    """
    started = perf_counter()
    if left_to := left_to_others(trials.pod(pod), trials.simulation.policies.behaviours):
        return Remedies(pod=pod, seq=trials.seq, fits=False, failure=left_to, left_to=left_to)
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


def search(trials: Trials, pod: str, out_of_time: Callable[[], bool] = lambda: False) -> RemedySearch:
    """As ``remedies``, with the changes of each remedy, for callers that apply them."""
    trying = Trying(trials, pod)
    if not trying.failure:
        return RemedySearch("", [], [], late=False)
    tried, untried, late = _each(trying, out_of_time)
    if not late and sum(one.remedy.status == VERIFIED for one in tried) < ENOUGH:
        tried_texts = {one.remedy.text for one in tried}
        for candidate, trial in trying.steps(out_of_time):
            if candidate.remedy.text not in tried_texts:
                tried_texts.add(candidate.remedy.text)
                tried.append(TriedRemedy(trying.remedy(candidate, trial), candidate.changes))
        late = out_of_time()
    return RemedySearch(trying.failure, tried, untried, late, trying.unanswered)


class Trying:
    """A pod for which changes are tried: what is made up for it, and the remedy that each is after its attempt.

    ``failure`` is why the attempt as it is found no node, "" where it fits; ``unanswered`` as in Remedies. A pod of a
    gang is tried with all the others of it. Raises KeyError where the state has no such pod.
    """

    def __init__(self, trials: Trials, pod: str) -> None:
        self.trials, self.pod = trials, trials.pod(pod)
        self.ranks, self.unanswered = NO_RANKS, ""
        self.base: Trial | None = None
        self.gang = find_gang(trials, self.pod)
        if self.pod.scheduler_name not in trials.simulation.frameworks:
            self.failure = f"no scheduler {self.pod.scheduler_name} is simulated"
            return
        missing = None
        if self.gang is not None:
            missing = gang_cause(trials, self.gang, self.pod)
            self.trials = after_backoff(trials)
        if missing is not None:
            self.failure = missing.text
            return
        with self.trials.under(self.pod, UNCHANGED) as base:
            if not base.is_scheduled and base.gated is None:
                is_cleared = base.preemption is not None and base.preemption.chosen is not None
                self.ranks = Ranks.of(diagnose_trial(self.trials, base), first=int(is_cleared))
        self.base, as_it_is = base, find_prospect(self.trials, base, UNCHANGED)
        self.failure = base.gated.message if base.gated is not None else base.failure or as_it_is.failure
        self.unanswered = as_it_is.unanswered

    def candidates(self) -> list[RemedyCandidate]:
        """All changes of one step, in the order of trying."""
        if self.base is not None:
            several = [*_waiting(self.base), *candidates(self.trials, self.base)]
        elif self.gang is not None:
            several = list(gang_candidates(self.trials, self.gang, self.pod))
        else:
            return _by_another_name(self.trials, self.pod)
        if self.gang is not None:
            several = [in_all_pods(self.trials, self.gang, one, self.pod) for one in several if not one.nominates]
        return _in_order_of_trying(several, self.ranks)

    def steps(self, out_of_time: Callable[[], bool]) -> Iterator[tuple[RemedyCandidate, Trial]]:
        """Changes of several steps that helped, with their attempts; none for a gang."""
        if self.base is not None and self.gang is None:
            yield from NodeWalks(self.trials, self.pod.key, self.ranks).walks(out_of_time)

    def attempt(self, candidate: RemedyCandidate) -> Trial:
        """The attempt of the pod after the change."""
        return self.trials.attempt(self.pod.key, candidate.changes)

    def remedy(self, candidate: RemedyCandidate, trial: Trial | None = None) -> Remedy:
        """The remedy with the result of the engine's attempt, which is ``trial`` if that took place already."""
        if self.gang is not None:
            return gang_remedy(self.trials, self.gang, candidate, self.pod)
        return remedy_after(self.trials, candidate, trial or self.attempt(candidate), self.ranks)


def _waiting(base: Trial) -> Iterator[RemedyCandidate]:
    """Where preemption clears a node: nothing is to be done, but to wait until the victims have ended."""
    chosen = base.preemption.chosen if base.preemption is not None else None
    if chosen is not None and chosen.victims:
        who = listed(sorted(chosen.victims)[:MOST_NAMED], "and")
        more = f" and {len(chosen.victims) - MOST_NAMED} more" if len(chosen.victims) > MOST_NAMED else ""
        remedy = Remedy(
            kind=WAITING,
            text=f"Wait until {who}{more} {'has' if len(chosen.victims) == 1 else 'have'} left {chosen.node}",
            edits=(),
            size=0.0,
            nodes=(chosen.node,),
            n_nodes=1,
            code=WAIT,
            actor=REMEDIES[WAIT].actor,
            assumed="the victims ended",
        )
        yield RemedyCandidate(remedy, Changes(gone=tuple(chosen.victims)))


def _by_another_name(trials: Trials, pod: Pod) -> list[RemedyCandidate]:
    """For a pod of a scheduler that does not run here: decided by one that does, whose name is nearest first."""
    names = sorted(trials.simulation.frameworks)
    near = closest(pod.scheduler_name, names)
    made = []
    for name in sorted(names, key=lambda one: one != near):
        text = f"set schedulerName {name} instead of {pod.scheduler_name}"
        edit = ProposedEdit(SCHEDULER, "schedulerName", pod.scheduler_name, name)
        size = NEARLY if name == near else 1.0
        made.append(of_pod(pod, [(edit, text, size, partial(_scheduled_by, name=name))]))
    return [one for one in made if one is not None]


def _scheduled_by(pod: Pod, name: str) -> Pod:
    return msgspec.structs.replace(pod, scheduler_name=name)


def _each(trying: Trying, out_of_time: Callable[[], bool]) -> tuple[list[TriedRemedy], list[Remedy], bool]:
    """Every change made up for the state, tried while there is time; what was not tried; whether time ended."""
    tried: list[TriedRemedy] = []
    untried: list[Remedy] = []
    late, enough = False, set[str]()
    for n, candidate in enumerate(trying.candidates()):
        if candidate.remedy.code in enough:
            continue  # less of the same does already
        late = late or out_of_time()
        if late or n >= MOST_TRIED:
            untried.append(candidate.remedy)
            continue
        remedy = trying.remedy(candidate)
        if remedy.status == VERIFIED and (remedy.kind == PRIORITY or (trying.gang and remedy.code == "ADD_NODE_LIKE")):
            enough.update(("RAISE_PRIORITY", remedy.code))
        tried.append(TriedRemedy(remedy, candidate.changes))
    return tried, untried, late


def _in_order_of_trying(made_up: list[RemedyCandidate], ranks: Ranks) -> list[RemedyCandidate]:
    """Candidates in the order of trying: as remedies are proposed, by the nodes that they were made up for; priorities
    ascending, since the lowest that helps is enough."""

    def expected(candidate: RemedyCandidate) -> tuple[float, ...]:
        remedy = candidate.remedy
        reading = ranks.best(remedy.nodes) if remedy.nodes and remedy.code != WAIT else 0
        priority = int(remedy.edits[0].after) if candidate.nominates else 0
        return reading, ACTORS.index(remedy.actor), remedy.size, priority

    return sorted(made_up, key=lambda one: (expected(one), one.remedy.text))


def remedy_after(trials: Trials, candidate: RemedyCandidate, trial: Trial, ranks: Ranks = NO_RANKS) -> Remedy:
    """The remedy with the result of the engine's attempt, and what it does to the objects as edits."""
    chosen = trial.preemption.chosen if candidate.nominates and trial.preemption is not None else None
    if trial.gated is not None:
        prospect = Prospect(trial.gated.message)
    else:
        prospect = find_prospect(trials, trial, candidate.changes, by_preemption=candidate.nominates)
    helps = prospect == Prospect()
    node = "" if not helps else trial.node or (chosen.node if chosen is not None else "")
    victims = chosen.victims if helps and chosen is not None else ()
    again = [key for key in victims if not may_leave(trial.pod, trials.simulation.world.pods[key])]
    if again:
        prospect, helps = Prospect(f"it would preempt {again[0]}, for which another pod comes and waits"), False
        node, victims = "", ()
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
        reading=0 if candidate.remedy.code == WAIT else ranks.best(trial.feasible or [node], candidate.remedy.nodes),
        edits=published_edits(trials, trials.pod(trial.pod.key), candidate.remedy.edits, candidate.changes),
    )


def _broken(trials: Trials, leaving: Iterable[str]) -> tuple[str, ...]:
    """The budgets that do not allow these pods to be evicted together."""
    cluster = trials.simulation.context.cluster
    infos = [cluster.pods[key] for key in leaving if key in cluster.pods]
    return BudgetBook(cluster).broken(infos) if infos else ()
