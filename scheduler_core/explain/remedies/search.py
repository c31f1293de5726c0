"""Remedies for a pending pod: made up, tried by the engine, ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter

import msgspec

from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.explain.remedies.candidate import RemedyCandidate
from scheduler_core.explain.remedies.candidates import candidates
from scheduler_core.explain.remedies.model import NOT_ENOUGH, PRIORITY, VERIFIED, Remedies, Remedy

MOST_TRIED = 60


def remedies(trials: Trials, pod: str, out_of_time: Callable[[], bool] = lambda: False) -> Remedies:
    """What would let the pod fit on the state of the trials; every remedy was tried there by the engine.

    ``out_of_time`` is asked before each trial. The smallest change of each kind is tried first, then the others by
    size. Raises KeyError where the state has no such pod.
    """
    started = perf_counter()
    base = trials.attempt(pod)
    if base.is_scheduled:
        return Remedies(pod, trials.seq, fits=True, failure="", seconds=perf_counter() - started)
    tried: list[Remedy] = []
    left = _in_order_of_trying(candidates(trials, base))
    enough_priority = False
    untried: list[Remedy] = []
    late = False
    for n, candidate in enumerate(left):
        if candidate.remedy.kind == PRIORITY and enough_priority:
            continue  # a lower one does already
        late = late or out_of_time()
        if late or n >= MOST_TRIED:
            untried.append(candidate.remedy)
            continue
        found = _tried(candidate, trials.attempt(pod, candidate.changes))
        enough_priority = enough_priority or (found.kind == PRIORITY and found.status == VERIFIED)
        tried.append(found)
    return Remedies(
        pod=pod,
        seq=trials.seq,
        fits=False,
        failure=base.failure,
        verified=_by_size(one for one in tried if one.status == VERIFIED),
        not_enough=_by_size(one for one in tried if one.status == NOT_ENOUGH),
        not_tried=_by_size(untried),
        in_time=not late,
        seconds=perf_counter() - started,
    )


def _in_order_of_trying(made_up: list[RemedyCandidate]) -> list[RemedyCandidate]:
    """The first of each kind before the second of any; priorities one after the other as they rise."""
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


def _tried(candidate: RemedyCandidate, trial: Trial) -> Remedy:
    """The remedy as the engine's attempt has it."""
    chosen = trial.preemption.chosen if candidate.nominates and trial.preemption is not None else None
    node = trial.node or (chosen.node if chosen is not None else "")
    return msgspec.structs.replace(
        candidate.remedy,
        status=VERIFIED if node else NOT_ENOUGH,
        node=node,
        tied=len(trial.tied),
        n_fit=len(trial.feasible),
        victims=chosen.victims if chosen is not None else (),
        failure="" if node else trial.failure,
        seconds=trial.seconds,
    )


def _by_size(several: Iterable[Remedy]) -> tuple[Remedy, ...]:
    return tuple(sorted(several, key=lambda one: (one.size, one.text)))
