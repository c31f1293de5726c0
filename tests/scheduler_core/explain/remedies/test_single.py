"""A remedy that is tried alone decides what it decided when it was looked for, and its figures are the engine's."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from scheduler_core.explain.remedies.model import VERIFIED
from scheduler_core.explain.remedies.search import search
from scheduler_core.explain.remedies.single import single_remedy
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.framework.contracts.verdicts import MAX_NODE_SCORE
from scheduler_core.recording.events import CycleFinished, CycleStarted
from scheduler_core.simulate import RunSession
from tests.scheduler_core.crowded import crowded, pod_of, recorded
from tests.scheduler_core.explain.remedies.test_search import pending
from tests.seeds import long_after

CYCLES = 3


def without_rank(remedy):
    """The remedy without what it took, and without its place among others, which one alone has none of."""
    return msgspec.structs.replace(remedy, seconds=0.0, reading=0)


@pytest.mark.slow
def test_each_remedy_alone_is_what_the_search_made_of_it():
    n_tried = 0
    for trials, key in pending(CYCLES):
        for remedy, changes in search(trials, key).tried:
            single = single_remedy(trials, key, remedy.text)
            assert without_rank(single.trial.remedy) == without_rank(remedy)
            assert single.changes == changes
            n_tried += 1
        # nothing of it is left behind
        assert not trials.attempt(key).is_scheduled
    assert n_tried > CYCLES


@pytest.mark.slow
def test_figures_are_those_of_the_attempt_with_the_changes():
    n_scored = 0
    for trials, key in pending(CYCLES):
        before = trials.attempt(key)
        for remedy, changes in search(trials, key).tried:
            after, trial = trials.attempt(key, changes), single_remedy(trials, key, remedy.text).trial
            assert (trial.n_fit_before, trial.failure_before) == (len(before.feasible), before.failure)
            assert trial.n_nodes == len([name for name in before.names if name])
            totals = {node: after.total(node) for node in after.feasible}
            if None in totals.values() or not totals:
                assert (trial.chosen, trial.next) == (None, None)
                continue
            n_scored += 1
            assert (trial.chosen.node, trial.chosen.total) == (after.node, max(totals.values()))
            lower = [total for total in totals.values() if total < trial.chosen.total]
            assert (trial.next.total if trial.next else None) == max(lower, default=None)
            assert trial.next is None or totals[trial.next.node] == trial.next.total
            weights = [points.weight for points in after.points(after.node)]
            assert trial.most == sum(weights) * MAX_NODE_SCORE >= trial.chosen.total
    assert n_scored


@pytest.mark.slow
def test_a_text_that_no_remedy_has_tries_nothing():
    trials, key = next(pending(1))
    single = single_remedy(trials, key, "Ask for the moon")
    assert (single.trial.remedy, single.trial.chosen, single.changes) == (None, None, None)
    assert single.trial.failure_before
    with pytest.raises(KeyError):
        single_remedy(trials, "default/nobody", "Ask for the moon")


@pytest.mark.slow
@pytest.mark.parametrize("seeds", long_after([(101,), (100,), (102, 103)], 1), ids=str)
def test_a_branch_with_its_changes_decides_as_the_trial_did(seeds):
    """Where the changes bring no other pod before it: the branch's next cycle is the pod's, with the same number.

    A pod that is deleted while it is being bound keeps its room until that fails, which comes later.
    """
    n_compared = 0
    for seed in seeds:
        inputs, draw = crowded(seed), Random(seed)
        reader = recorded(inputs)
        for cycle in draw.sample(range(1, reader.last_cycle() + 1), min(6, reader.last_cycle())):
            trials, key = at_cycle(reader, inputs, cycle), pod_of(reader, cycle)
            first = reader.cycle_span(cycle)[0]
            for remedy, made in search(trials, key).tried:
                if is_being_bound(trials, made.gone) or remedy.status != VERIFIED or not remedy.n_fit:
                    continue
                single = single_remedy(trials, key, remedy.text).trial
                changes = [change.at(first) for change in single.changes]
                session, _ = RunSession.branch(inputs, first, changes, reader.keyframe_bytes)
                started, finished = next_cycle(session)
                if (started.pod, started.cycle) == (key, cycle):
                    assert (finished.outcome, finished.node) == ("scheduled", remedy.node), remedy
                    n_compared += 1
    assert n_compared > 10 * len(seeds)


def is_being_bound(trials, keys):
    return not all(trials.simulation.world.pods[key].node_name for key in keys)


def next_cycle(session):
    """The begin and the end of the session's next scheduling cycle."""
    events = []
    session.observe(lambda _seq, event: events.append(event))
    while True:
        session.simulation.step()
        finished = next((event for event in events if isinstance(event, CycleFinished)), None)
        if finished is not None:
            return next(event for event in events if isinstance(event, CycleStarted)), finished
