"""Why preemption did not help, node by node, each expectation worked out by hand."""

from __future__ import annotations

import os
from collections import Counter
from itertools import combinations, count, islice

import pytest

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import ClusterObjects, PodDisruptionBudget
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.preemption import NO_LOWER, NOT_EXAMINED, NOT_MENDED, STILL_REFUSED, why_no_preemption
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.crowded import crowded, pod_of, recorded
from tests.seeds import long_after

CYCLES = 500 if os.environ.get("TEST_ANSWERS") == "long" else 25
"""So many cycles that found no node; TEST_ANSWERS=long (make test-answers) has five hundred."""
FIRST_SEED = int(os.environ.get("TEST_SEED", "100"))
MOST_VICTIMS = 7
"""Of so many pods of a node all sets are tried."""


def answer(nodes, pods, **objects):
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods, **objects))
    reader = recorded(inputs)
    return why_no_preemption(at_cycle(reader, inputs, 1), pod_of(reader, 1))


def test_pods_of_equal_priority_are_in_the_way():
    on = [make_pod("x", cpu="3", node_name="a", priority=10), make_pod("y", cpu="500m", node_name="a", priority=10)]
    reasons = answer([make_node("a", cpu="4")], [*on, make_pod("p", cpu="2", priority=10)])
    assert (reasons.helped, [group.why for group in reasons.groups]) == (False, [NO_LOWER])
    node = reasons.groups[0].nodes[0]
    assert [(one.pod, one.priority, one.is_lower) for one in node.in_the_way] == [("default/x", 10, False)]


def test_what_evictions_do_not_mend_is_said_of_the_node():
    tainted, full = make_node("t", cpu="4", taints=["gpu:NoSchedule"]), make_node("a", cpu="1")
    reasons = answer([tainted, full], [make_pod("p", cpu="2", priority=10)])
    groups = {group.nodes[0].node: group for group in reasons.groups}
    assert (groups["t"].why, groups["t"].plugin) == (NOT_MENDED, "TaintToleration")
    assert groups["t"].nodes[0].in_the_way == ()


def test_still_refused_without_the_lower_pods_names_the_plugin_and_those_that_stay():
    on = [
        make_pod("low", cpu="1", node_name="a", priority=0),
        make_pod("high", cpu="3", node_name="a", priority=50),
    ]
    reasons = answer([make_node("a", cpu="4")], [*on, make_pod("p", cpu="2", priority=10)])
    (group,) = reasons.groups
    assert (group.why, group.plugin) == (STILL_REFUSED, "NodeResourcesFit")
    assert ("default/high", 50, False) in [(one.pod, one.priority, one.is_lower) for one in group.nodes[0].in_the_way]


def test_a_policy_of_never_is_the_whole_answer():
    on = make_pod("low", cpu="4", node_name="a")
    reasons = answer([make_node("a", cpu="4")], [on, make_pod("p", cpu="2", priority=9, preemption_policy="Never")])
    assert reasons.message == "not eligible due to preemptionPolicy=Never."
    assert (reasons.helped, reasons.groups, reasons.candidates) == (False, (), ())


def test_where_it_helps_victims_and_budgets_are_told():
    selector = LabelSelector((Requirement("app", "In", ("db",)),))
    budget = PodDisruptionBudget(name="db", selector=selector, disruptions_allowed=0)
    on = make_pod("low", cpu="4", node_name="a", labels={"app": "db"})
    reasons = answer(
        [make_node("a", cpu="4")], [on, make_pod("p", cpu="2", priority=9)], pod_disruption_budgets=[budget]
    )
    assert (reasons.helped, reasons.nominated) == (True, "a")
    assert [(one.node, one.victims, one.violations) for one in reasons.candidates] == [("a", ("default/low",), 1)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after(range(3), 1))
def test_every_node_has_exactly_one_answer(seed):
    inputs = crowded(seed)
    reader = recorded(inputs)
    for cycle in range(1, reader.last_cycle() + 1, 5):
        trials, key = at_cycle(reader, inputs, cycle), pod_of(reader, cycle)
        trial = trials.attempt(key)
        if trial.is_scheduled:
            with pytest.raises(ValueError, match="nothing is preempted"):
                why_no_preemption(trials, key)
            continue
        reasons = why_no_preemption(trials, key)
        if trial.preemption is not None and trial.preemption.eligible:
            assert sum(group.n_nodes for group in reasons.groups) + len(reasons.candidates) == len(trial.row_of)
        assert reasons.helped == bool(trial.nominated)


def pending_on_small_clusters():
    """Trials of cycles that found no node for a pod that may preempt, with the pod."""
    for seed in count(FIRST_SEED):
        inputs = crowded(seed, n_nodes=5, n_pods=25)
        reader = recorded(inputs)
        for cycle in range(1, reader.last_cycle() + 1, 3):
            trials, key = at_cycle(reader, inputs, cycle), pod_of(reader, cycle)
            trial = trials.attempt(key)
            if not trial.is_scheduled and trial.preemption is not None and trial.preemption.eligible:
                yield trials, key


def subsets(keys):
    """All subsets, none and all included."""
    return (several for n in range(len(keys) + 1) for several in combinations(keys, n))


@pytest.mark.slow
def test_every_set_of_victims_was_tried_by_hand_and_agrees():
    counts = Counter()
    for trials, key in islice(pending_on_small_clusters(), CYCLES):
        reasons, cluster, pod = why_no_preemption(trials, key), trials.simulation.context.cluster, trials.pod(key)

        def fits(gone, node, trials=trials, key=key):
            return trials.attempt(key, Changes(gone=tuple(gone))).fits(node)

        lower = {
            name: [one.key for one in cluster.pods_on(row).values() if one.pod.priority < pod.priority]
            for name, row in cluster.table.row_of.items()
        }
        for one in reasons.candidates:
            assert fits(one.victims, one.node)
            assert set(one.victims) <= set(lower[one.node])
            counts["candidate"] += 1
        for group in reasons.groups:
            for node in group.nodes:
                helping = [gone for gone in subsets(lower[node.node][:MOST_VICTIMS]) if fits(gone, node.node)]
                counts[group.why] += 1
                if group.why == NO_LOWER:
                    assert lower[node.node] == []
                if group.why == STILL_REFUSED:
                    trial = trials.attempt(key, Changes(gone=tuple(lower[node.node])))
                    assert not trial.fits(node.node)
                    assert group.plugin in [status.plugin for status in trial.refusals(node.node)]
                if group.why != NOT_EXAMINED and helping:
                    # the reference takes all lower pods away first, so that a pod never depends on a victim
                    assert pod.affinity is not None or pod.topology_spread_constraints, (key, node, helping)
                    assert not fits(lower[node.node], node.node)
                    counts["depends on a victim"] += 1
                for asked in node.in_the_way:
                    assert asked.is_lower == (asked.pod in lower[node.node])
                if node.in_the_way:
                    trial = trials.attempt(key, Changes(gone=tuple(one.pod for one in node.in_the_way)))
                    room = [status for status in trial.refusals(node.node) if status.plugin == "NodeResourcesFit"]
                    assert not room, (key, node, room)
                    counts["in the way"] += 1
    print(dict(counts))
    assert counts["candidate"]
    assert counts["in the way"]
