"""Pods in groups by what became of them."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.objects import PersistentVolumeClaim, Volume
from scheduler_core.explain.outcomes import (
    BOUND,
    COMPLETED,
    LOST,
    PENDING,
    PREEMPTED,
)
from scheduler_core.framework.plugin_helpers.volume_claims import SELECTED_NODE
from scheduler_core.profiles.registry import in_tree
from scheduler_core.simulate import Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.scenarios import case, everything
from tests.scheduler_core.engine.test_plugins_that_raise import Brittle, configuration
from tests.scheduler_core.explain.outcomes.runs import group_of, said, summed_up
from tests.scheduler_core.explain.outcomes.summed_runs import GPU, asking, gpu_node, inputs_of


def test_pods_larger_than_every_node_are_hopeless_and_apart_from_those_that_can_wait():
    nodes = [gpu_node("a", "P"), gpu_node("b", "P")]
    full = [asking(f"full-{n}", "3", node_name=n) for n in "ab"]
    outcomes = summed_up(inputs_of(nodes, [*full, asking("huge-0", "8"), asking("wait-0", "2")]))
    huge, waits = group_of(outcomes, "default/huge-0"), group_of(outcomes, "default/wait-0")
    assert (huge.too_large, huge.hopeless) == (GPU, True)
    assert not waits.hopeless
    assert waits.id != huge.id


def test_pods_of_daemon_sets_that_each_name_their_node_are_one_group():
    pods = [make_pod(f"agent-{n}", "9", node_selector={"kubernetes.io/hostname": n}) for n in "ab"]
    outcomes = summed_up(inputs_of([make_node("a", "10"), make_node("b", "10"), make_node("c", "10")], [
        make_pod("x", "5", node_name="a"), make_pod("y", "5", node_name="b"), *pods,
    ]))  # fmt: skip
    group = group_of(outcomes, "default/agent-a")
    assert (group.n_pods, group.plugins) == (2, ("NodeResourcesFit",))


def test_gated_foreign_and_bound_pods_have_groups_of_their_own():
    pods = [
        make_pod("gated-0", scheduling_gates=("example.com/quota",)),
        make_pod("foreign-0", scheduler_name="other"),
        make_pod("was-0", node_name="a"),
        make_pod("new-0"),
    ]
    outcomes = summed_up(inputs_of([make_node("a")], pods))
    assert [outcomes.groups[pod.group].kind for pod in outcomes.pods] == ["pending", "gated", "bound", "bound"]
    assert len({pod.group for pod in outcomes.pods}) == 4


CLAIM = PersistentVolumeClaim(name="c", annotations={SELECTED_NODE: "a"})
PREEMPTING = [make_pod("low-0", "1", node_name="a", uid="low"), make_pod("high-0", "1", priority=10)]


def decided():
    inputs = inputs_of([make_node("a")], [make_pod("d-0", volumes=(Volume(name="c", claim_name="c"),))])
    objects = msgspec.structs.replace(inputs.objects, persistent_volume_claims=[CLAIM])
    return msgspec.structs.replace(inputs, objects=objects)


def test_pods_that_the_input_has_decided_are_a_group_and_bound_by_the_run_once_they_have_their_volumes():
    inputs = decided()
    assert group_of(summed_up(inputs), "default/d-0").kind == PENDING
    entry = TimelineEntry(1_000_000, "put", msgspec.structs.replace(CLAIM, volume_name="v"))
    inputs = msgspec.structs.replace(inputs, timeline=Timeline.of([entry]), schedule="timeline")
    assert group_of(summed_up(inputs), "default/d-0").kind == BOUND


def test_victims_that_were_made_anew_are_apart_from_those_that_were_not():
    outcomes = summed_up(case("deployment", "deployment-timeline"))
    victims = [group for group in outcomes.groups if group.kind == PREEMPTED]
    assert len(victims) == 1
    assert sum(group.n_pods for group in victims) == outcomes.evictions.victims
    made = [pod for pod in outcomes.pods if outcomes.groups[pod.group].kind == PENDING]
    assert made
    bare = group_of(summed_up(inputs_of([make_node("a", "1")], PREEMPTING)), "default/low-0")
    assert (bare.kind, bare.n_pods) == (PREEMPTED, 1)
    assert bare.title != victims[0].title


def test_a_pod_whose_plugin_raised_is_an_error_with_the_exception_s_words():
    registry = in_tree().with_plugin("Brittle", Brittle)
    inputs = inputs_of([make_node("a")], [make_pod("bad-0", labels={"break": "Filter"}), make_pod("good-0")])
    inputs = msgspec.structs.replace(inputs, configuration=configuration(), max_virtual_us=20_000_000)
    group = group_of(summed_up(inputs, registry=registry), "default/bad-0")
    assert (group.kind, group.title, group.plugins) == ("error", "Brittle raised ValueError", ("Brittle",))
    assert said(group).endswith("no Filter for Filter")


def test_pods_that_went_with_their_node_and_jobs_that_ran_are_told_apart():
    outcomes = summed_up(everything())
    assert outcomes.counts[LOST]
    assert outcomes.counts[COMPLETED]
    assert [group.n_pods for group in outcomes.groups if group.kind == LOST] == [2, 2]


ONE = make_node("a", "1")


@pytest.mark.parametrize(
    ("inputs", "pod", "title", "evidence"),
    [
        (inputs_of([ONE], [make_pod("p", scheduling_gates=("example.com/quota",))]), "p",
         "Scheduling gate example.com/quota", "They come to the queue when it is removed."),
        (inputs_of([ONE], [make_pod("p", scheduler_name="other")]), "p", "No profile schedules for other",
         "The configuration has default-scheduler."),
        (inputs_of([ONE], [make_pod("p", node_name="a")]), "p", "Bound without this run",
         "They had a node when they came."),
        (inputs_of([ONE], [make_pod("p")]), "p", "Bound", "By this run."),
        (inputs_of([ONE], PREEMPTING), "low-0", "Preempted and not replaced", "By high-0, in cycle 1."),
        (decided(), "d-0", "Decided by the input, waiting for volumes", "Their room is held on a."),
        (case("deployment", "node-lost-timeline"), "", "Lost with their node, replaced by their owners", "On a (2)."),
    ],
    ids=["gated", "foreign", "bound before", "bound", "preempted", "decided by the input", "lost"],
)  # fmt: skip
def test_words(inputs, pod, title, evidence):
    outcomes = summed_up(inputs)
    group = group_of(outcomes, f"default/{pod}") if pod else next(one for one in outcomes.groups if one.kind == LOST)
    assert (group.title, said(group)) == (title, evidence)
