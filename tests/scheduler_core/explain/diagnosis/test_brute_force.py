"""The generated clusters are what the property tests need, and brute force is right about clusters made by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.atomic_edits import PLUGINS, Edit
from tests.scheduler_core.explain.diagnosis.brute_force import BruteForce, pending
from tests.scheduler_core.explain.diagnosis.draft import MixedCluster
from tests.scheduler_core.explain.diagnosis.mixed_clusters import MOST_NODES, mixed
from tests.seeds import long_after

SHORT = 100


@pytest.fixture(scope="module")
def several():
    return [pending(seed) for seed in range(SHORT)]


@pytest.mark.slow
def test_clusters_of_each_size_of_cause_occur(several):
    sizes = Counter(brute.size for brute in several)
    assert min(sizes[1], sizes[2], sizes[3]) >= SHORT // 20
    assert sizes[None] <= SHORT // 10
    assert {len(brute.cluster.nodes) for brute in several} == {*range(1, MOST_NODES + 1)}


@pytest.mark.slow
def test_in_half_of_the_clusters_an_earlier_filter_hides_an_obstacle(several):
    assert sum(brute.hidden for brute in several) >= SHORT // 2


@pytest.mark.slow
def test_every_kind_of_edit_is_in_some_cause_and_in_some_order_of_causes(several):
    kinds = {edit.kind for brute in several for edits in brute.smallest for edit in edits}
    assert kinds == PLUGINS.keys()
    assert sum(len(brute.smallest) > 1 for brute in several) >= SHORT // 5


@pytest.mark.slow
def test_with_all_edits_every_node_fits(several):
    shut = [i for i, one in enumerate(several) if len(one.feasible(one.edits)) < len(one.cluster.nodes)]
    assert shut == []


def test_the_same_seed_gives_the_same_cluster():
    mixed.cache_clear()
    first = mixed(3)
    mixed.cache_clear()
    assert mixed(3) == first


def test_a_hidden_obstacle_counts():
    """The taint of w1 is refused before the filter of the selector looks at it."""
    nodes = (make_node("w1", taints=["old:NoSchedule"]), make_node("w2", taints=["old:NoSchedule"]))
    pod = make_pod("new", node_selector={"tier": "gold"})
    brute = BruteForce(MixedCluster(nodes=nodes, placed=(), objects=(), pod=pod))
    taint, selector = Edit("taint", "old:NoSchedule"), Edit("selector", "tier")
    assert brute.smallest == {frozenset((taint, selector)): {"w1", "w2"}}
    assert brute.hidden


@pytest.mark.parametrize("first", long_after(range(0, 1000, 100), 0))
def test_no_cluster_stays_shut(first):
    several = [pending(seed) for seed in range(first, first + 100)]
    assert all(len(one.feasible(one.edits)) == len(one.cluster.nodes) for one in several)
    assert sum(one.hidden for one in several) >= 50
