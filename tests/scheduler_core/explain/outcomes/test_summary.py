"""The summary of a run: every pod in exactly one group, sums that agree with the run's, reasons in words."""

from __future__ import annotations

from collections import Counter

import pytest

from scheduler_core.explain.outcomes import (
    BOUND,
    GATED,
    KINDS,
    PENDING,
    PREEMPTED,
    decode_outcomes,
    encode_outcomes,
    summarize,
)
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.scenarios import case, everything, teaching
from tests.scheduler_core.explain.outcomes.runs import recorded, summed_up, tallied
from tests.scheduler_core.explain.outcomes.summed_runs import inputs_of
from tests.scheduler_core.recording.test_against_engine import SEEDS, generated

RUNS = [teaching, everything, *(lambda seed=seed: generated(seed) for seed in SEEDS)]


# --- every run -------------------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("cycles", [None, 5, 25])
@pytest.mark.parametrize("inputs", RUNS)
def test_every_pod_of_the_run_is_in_exactly_one_group_and_the_sums_agree(inputs, cycles):
    session, reader = recorded(inputs(), cycles)
    _, tally = tallied(inputs(), cycles)
    outcomes = summarize(tally)
    added = [
        (event.key, event.uid)
        for _, event in reader.events(0, reader.head_seq())
        if isinstance(event, ev.ObjectChanged) and event.kind == "Pod" and event.action == "added"
    ]
    expected = Counter([*((key, "") for key in session.simulation.start_pods), *added])
    assert Counter((pod.pod, pod.uid) for pod in outcomes.pods) == expected
    counted = Counter(pod.group for pod in outcomes.pods)
    assert [group.n_pods for group in outcomes.groups] == [counted[i] for i in range(len(outcomes.groups))]
    assert sum(outcomes.counts.values()) == len(outcomes.pods)
    assert len({group.id for group in outcomes.groups}) == len(outcomes.groups)
    assert all(outcomes.pods[group.why].group == i for i, group in enumerate(outcomes.groups))
    assert [KINDS.index(group.kind) for group in outcomes.groups] == sorted(
        KINDS.index(group.kind) for group in outcomes.groups
    )


@pytest.mark.slow
@pytest.mark.parametrize("inputs", RUNS)
def test_bound_and_pending_pods_are_those_that_the_run_counted_at_its_end(inputs):
    session, tally = tallied(inputs())
    outcomes = summarize(tally)
    terminating = sum(pod.by in tally.of_name or record.exists for pod, record in preempted(outcomes, tally))
    waiting = sum(outcomes.counts[kind] for kind in (PENDING, "error", GATED, "permit"))
    assert outcomes.counts[BOUND] + terminating == tally.finished.bound
    assert waiting == tally.finished.pending
    placed = {key for key, pod in session.simulation.world.pods.items() if pod.node_name}
    bound = {pod.pod for pod in outcomes.pods if outcomes.groups[pod.group].kind == BOUND}
    assert bound <= placed


def preempted(outcomes, tally):
    """Pods that are preempted and not gone yet, with their records."""
    pairs = [(pod, tally.of_name[pod.pod]) for pod in outcomes.pods if outcomes.groups[pod.group].kind == PREEMPTED]
    return [(pod, record) for pod, record in pairs if record.uid == pod.uid and record.exists]


def test_a_summary_is_the_same_when_it_was_stored():
    outcomes = summed_up(everything())
    assert decode_outcomes(encode_outcomes(outcomes)) == outcomes
    with pytest.raises(ValueError, match="cannot be read"):
        decode_outcomes(encode_outcomes(outcomes)[:-9])


def test_figures_of_a_run_follow_from_its_events():
    inputs = teaching()
    outcomes = summed_up(inputs)
    _, reader = recorded(inputs)
    events = [event for _, event in reader.events(0, reader.head_seq())]
    decided = [event for event in events if isinstance(event, ev.PreemptionDecided)]
    assert outcomes.evictions.tries == len(decided)
    assert outcomes.evictions.victims == sum(len(one.chosen.victims) for one in decided if one.chosen)
    assert outcomes.cycles == max(event.cycle for event in events if isinstance(event, ev.CycleStarted))
    bound = {event.pod: event.at for event in events if isinstance(event, ev.Bound)}
    came = {}
    for event in events:
        if isinstance(event, ev.QueueMove):
            came.setdefault(event.pod, event.at)
    waits = sorted(bound[pod.pod] - came[pod.pod] for pod in outcomes.pods if outcomes.groups[pod.group].kind == BOUND)
    assert (outcomes.waits.longest, outcomes.waits.p50) == (waits[-1], waits[-(-len(waits) // 2) - 1])


# --- reasons ---------------------------------------------------------------------------------------------------------


def test_missing_replicas_are_those_that_the_run_s_end_tells():
    inputs = case("deployment", "deployment-timeline")
    _, tally = tallied(inputs)
    outcomes = summarize(tally)
    assert [(one.workload, one.desired, one.bound) for one in outcomes.short] == [
        (one.workload, one.desired, one.bound) for one in tally.finished.missing
    ]
    assert outcomes.n_short == tally.finished.n_short


def test_a_run_without_pods_and_one_without_nodes_have_summaries():
    empty = summed_up(inputs_of([], []))
    assert (empty.groups, empty.pods, sum(empty.counts.values())) == ([], [], 0)
    nowhere = summed_up(inputs_of([], [make_pod("a-0")]))
    assert nowhere.counts[PENDING] == 1
    assert nowhere.groups[0].title


def test_a_preempted_pod_is_dated_by_its_last_attempt_and_its_eviction_apart():
    """Cycle 1 placed it on n, cycle 3 evicted it."""
    later = TimelineEntry(at=5_000_000, action="put", object=make_pod("high", cpu="4", priority=9))
    pods = [make_pod("low", cpu="3"), make_pod("other", cpu="1")]
    outcomes = summed_up(inputs_of([make_node("n", cpu="4")], pods, timeline=Timeline((later,))))
    of_name = {pod.pod: pod for pod in outcomes.pods}
    low, high = of_name["default/low"], of_name["default/high"]
    assert outcomes.groups[low.group].kind == PREEMPTED
    assert (low.cycle, low.preempted_in, low.by) == (1, 3, "default/high")
    assert high.preempted_in == 0
