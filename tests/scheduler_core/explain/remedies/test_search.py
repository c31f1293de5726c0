"""Every remedy makes the pod fit when the plain engine runs the changed inputs; what was tried in vain does not."""

from __future__ import annotations

import os
from collections import Counter
from itertools import count
from random import Random

import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.explain.remedies.candidates.by_group import candidates
from scheduler_core.explain.remedies.model import PRIORITY, VERIFIED
from scheduler_core.explain.remedies.search import remedies, search
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.framework.contracts.obstacles import ACTORS
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.crowded import crowded, from_scratch, pod_of, recorded

CYCLES = 500 if os.environ.get("TEST_ANSWERS") == "long" else 4
"""So many cycles that found no node; TEST_ANSWERS=long (make test-answers) has five hundred."""
FIRST_SEED = int(os.environ.get("TEST_SEED", "100"))


def pending(n):
    """Trials of so many random cycles that found no node, with the pod."""
    for seed in count(FIRST_SEED):
        inputs, draw = crowded(seed), Random(seed)
        reader = recorded(inputs)
        for cycle in draw.sample(range(1, reader.last_cycle() + 1), min(8, reader.last_cycle())):
            trials, key = at_cycle(reader, inputs, cycle), pod_of(reader, cycle)
            if not trials.attempt(key).is_scheduled:
                yield trials, key
                n -= 1
                if not n:
                    return


def from_scratch_decides(trials, key, changes):
    """(whether a node was found, whether one was nominated) by the plain engine on the manifests of the changed
    inputs."""
    parts = {"nodes": changes.nodes, "gone": changes.gone, "objects": changes.objects}
    scratch = from_scratch(trials, key, edited=changes.pod, **parts, by_manifests=True)
    attempt = scratch.attempt(key)
    return bool(attempt.node), attempt.preemption is not None and attempt.preemption.chosen is not None


@pytest.mark.slow
def test_remedies_applied_to_the_manifests_make_the_pod_fit_and_what_was_tried_in_vain_does_not():
    counts, missed = Counter(), Counter()
    for trials, key in pending(CYCLES):
        outcome = search(trials, key)
        verified = {one.remedy.text for one in outcome.tried if one.remedy.status == VERIFIED}
        counts["pods"] += 1
        if not verified:
            missed[outcome.failure] += 1
        for remedy, changes in outcome.tried:
            fits, nominates = from_scratch_decides(trials, key, changes)
            by_preemption = any(edit.kind == PRIORITY for edit in remedy.edits)
            assert (fits or (by_preemption and nominates)) == (remedy.status == VERIFIED), (key, remedy)
            counts[f"{remedy.status}: {remedy.kind}"] += 1
        assert verified >= {one.text for one in remedies(trials, key).verified}
        assert not verified & {one.remedy.text for one in outcome.tried if one.remedy.status != VERIFIED}
    print(dict(counts), "without a remedy:", dict(missed))
    assert counts["pods"] == CYCLES
    assert not missed


@pytest.fixture(scope="module")
def one():
    return next(pending(1))


def test_without_time_nothing_is_called_a_remedy(one):
    trials, key = one
    answer = remedies(trials, key, lambda: True)
    assert (answer.verified, answer.not_enough, answer.in_time) == ((), (), False)
    assert len(answer.not_tried) == len(candidates(trials, trials.attempt(key)))


def test_those_of_the_cause_come_first_then_by_who_can_act_then_the_smallest(one):
    trials, key = one
    answer = remedies(trials, key)
    assert answer.verified
    for several in (answer.verified, answer.not_enough):
        ranks = [(remedy.reading, ACTORS.index(remedy.actor), remedy.size) for remedy in several]
        assert ranks == sorted(ranks)


def test_where_time_ends_what_would_have_been_proposed_first_was_tried(one):
    trials, key = one
    in_full = [done.remedy.text for done in search(trials, key).tried]
    left = iter(range(7))
    early = search(trials, key, lambda: next(left, None) is None)
    assert [done.remedy.text for done in early.tried] == in_full[: len(early.tried)]
    assert 0 < len(early.tried) < len(in_full)
    assert early.late


def test_a_pod_that_fits_needs_none():
    inputs = crowded(2, n_pods=20)
    reader = recorded(inputs)
    for cycle in range(1, reader.last_cycle() + 1):
        trials, key = at_cycle(reader, inputs, cycle), pod_of(reader, cycle)
        if trials.attempt(key).is_scheduled:
            answer = remedies(trials, key)
            assert (answer.fits, answer.verified, answer.not_enough, answer.not_tried) == (True, (), (), ())
            return
    raise AssertionError("no pod was scheduled")


def test_where_preemption_clears_a_node_the_first_remedy_is_to_wait_for_its_victims():
    low = [make_pod(f"low-{n}", cpu="2", node_name="n", priority=0) for n in range(2)]
    inputs = RunInputs(
        objects=ClusterObjects(nodes=[make_node("n", cpu="4")], pods=[*low, make_pod("p", cpu="3", priority=9)])
    )
    reader = recorded(inputs)
    answer = remedies(at_cycle(reader, inputs, 1), "default/p")
    first, *others = answer.verified
    assert (first.code, first.actor, first.node, first.edits, first.reading) == ("WAIT", "controller", "n", (), 0)
    assert first.assumed
    assert others
    assert all(one.reading > 0 for one in others)
