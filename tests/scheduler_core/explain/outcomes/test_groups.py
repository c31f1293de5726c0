"""Pods in groups by what became of them."""

from __future__ import annotations

from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.outcomes.runs import group_of, summed_up
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
