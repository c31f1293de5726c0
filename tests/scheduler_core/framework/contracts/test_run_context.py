"""Draws depend on the seed, the cycle and their purpose alone; plugins ask for pods to be activated."""

from __future__ import annotations

from collections import Counter

import pytest

from scheduler_core.columns.cluster import Cluster
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.testing.builders import make_pod


def drawn(seed, *, cycle=1, purpose="host", n=10, **kind):
    context = RunContext(Cluster(), seed)
    context.cycle = cycle
    for name, value in kind.items():
        setattr(context, name, value)
    return context.draw(purpose, n)


def test_a_draw_is_the_same_for_the_same_seed_cycle_and_purpose_whatever_was_drawn_before():
    context = RunContext(Cluster(), 7)
    context.cycle = 3
    assert [context.draw("host", 1000), context.draw("host", 1000)] == [drawn(7, cycle=3, n=1000)] * 2
    others = {drawn(8, cycle=3, n=1000), drawn(7, cycle=4, n=1000), drawn(7, cycle=3, purpose="offset", n=1000)}
    assert drawn(7, cycle=3, n=1000) not in others


@pytest.mark.parametrize("reservoir", [False, True])
def test_each_of_equal_hosts_is_drawn_about_as_often(reservoir):
    counts = Counter(drawn(seed, n=4, reservoir=reservoir) for seed in range(2_000))
    assert sorted(counts) == [0, 1, 2, 3]
    assert min(counts.values()) > 400, "of 500 expected; the chance of fewer is below 1 in a million"


def test_the_policy_of_smallest_names_and_a_single_host_draw_the_first():
    assert {drawn(seed, draw_smallest=True) for seed in range(20)} == {0}
    assert {drawn(seed, n=1) for seed in range(20)} == {0}


def test_pods_to_activate_are_collected_in_order():
    context, pods = RunContext(Cluster()), [make_pod(name) for name in "abc"]
    context.activate(pods[:1])
    context.activate(pods[1:])
    assert context.to_activate == pods
