"""The priorities of 2017. Expected values were computed by hand from seed 002, "Node Prioritization on Resources"."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import Container
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.plugins.legacy_priorities import (
    BalancedResourceAllocation,
    LeastRequestedPriority,
    MostRequestedPriority,
)
from scheduler_core.testing.agreement import assert_scores_agree
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from scheduler_core.testing.generated import sample

ONE = make_pod("one", cpu="1", memory="1Gi")
NOTHING = make_pod("nothing", cpu=None)
# name: (cpu, memory, placed pods, new pod, least, most, balanced)
CASES = {
    # (2000-1000)*10/2000 = 5 and (4-1)*10/4 = 7; used 5 and 2; fractions 0.5 and 0.25: 10 - 2.5
    "two cpus of the seed's example": ("2", "4Gi", (), ONE, 6, 3, 7),
    # 7 (of 7.5) and 7; used 2 and 2; 0.25 and 0.25
    "four cpus of the seed's example": ("4", "4Gi", (), ONE, 7, 2, 10),
    # (3-1)*10/3 = 6 (of 6.67), (8-1)*10/8 = 8 (of 8.75): mean 7; used 3 and 1: 2; 10 - 10*|0.333-0.125| = 7.9
    "each step is truncated": ("3", "8Gi", (), ONE, 7, 2, 7),
    # with a placed pod of one cpu: 2000 of 2000 is full: 0 unused, 10 used; memory 2 of 4: 5 and 5
    "a full node": ("2", "4Gi", (make_pod("other", cpu="1", memory="1Gi"),), ONE, 2, 7, 0),
    # 2000 of 1000 exceeds: cpu gives 0 either way; memory 2 of 4: 5 and 5
    "an exceeded capacity": ("1", "4Gi", (make_pod("other", cpu="1", memory="1Gi"),), ONE, 2, 2, 0),
    # no memory: 0 either way; cpu 5 and 5
    "no capacity": ("2", "0", (), ONE, 2, 2, 0),
    # 100m of 1000m and 209,715,200 of 2,097,152,000 bytes: 9 and 9; 1 and 1; both fractions 0.1
    "a pod without requests": ("1", "2097152000", (), NOTHING, 9, 1, 10),
    # two such pods: 200m and 419,430,400 bytes: 8 and 8; 2 and 2
    "placed pods without requests": ("1", "2097152000", (make_pod("other", cpu=None),), NOTHING, 8, 2, 10),
}


def score(plugin_type, cpu, memory, placed, pod):
    cluster = make_cluster([make_node("n", cpu=cpu, memory=memory)], {"n": placed})
    scores = assert_scores_agree(plugin_type(NoArgs(), FakeHandle(cluster)), cluster.info(pod), cluster.table.order)
    assert scores is not None
    return scores[0]


@pytest.mark.parametrize("case", CASES)
def test_as_computed_from_the_seed(case):
    *given, least, most, balanced = CASES[case]
    assert score(LeastRequestedPriority, *given) == least
    assert score(MostRequestedPriority, *given) == most
    assert score(BalancedResourceAllocation, *given) == balanced


def test_defaults_count_per_container_that_names_nothing():
    """0.1 cpu each, seed 002: DefaultMilliCpuRequest; two of them on one cpu leave 8 tenths."""
    pod = make_pod("two", containers=(Container("a"), Container("b")))
    assert score(LeastRequestedPriority, "1", "2097152000", (), pod) == 8


@pytest.mark.parametrize("plugin", [LeastRequestedPriority, MostRequestedPriority, BalancedResourceAllocation])
def test_amounts_near_int64_are_computed_exactly(plugin):
    # 7Ei with 3Ei in use and 1Ei asked for: (7 - 4) * 10 / 7 = 4 and 4 * 10 / 7 = 5; cpu 0 of 1: 10 and 0
    large, full = make_node("large", cpu="1", memory="7Ei"), make_node("full", cpu="1", memory="7Ei")
    placed = {"large": [make_pod("a", cpu="0", memory="3Ei")], "full": [make_pod("b", cpu="0", memory="7Ei")]}
    cluster = make_cluster([large, full], placed)
    scores = assert_scores_agree(
        plugin(NoArgs(), FakeHandle(cluster)), cluster.info(make_pod("p", cpu="0", memory="1Ei")), cluster.table.order
    )
    expected = {LeastRequestedPriority: 7, MostRequestedPriority: 2, BalancedResourceAllocation: 4}
    assert scores is not None
    by_row = dict(zip(cluster.table.order.tolist(), scores, strict=True))
    assert by_row[cluster.table.row_of["large"]] == expected[plugin]


@pytest.mark.parametrize("seed", range(3))
def test_facts_are_recounted_from_the_pods_on_the_node_and_give_the_score(seed):
    drawn = sample(seed)
    cluster = drawn.cluster()
    for plugin_type, part in ((LeastRequestedPriority, "unused"), (MostRequestedPriority, "used")):
        plugin = plugin_type(NoArgs(), FakeHandle(cluster))
        for one in drawn.pods:
            for node in drawn.nodes:
                view = cluster.view(cluster.table.row_of[node.name])
                facts = plugin.score_facts(None, cluster.info(one), view)
                everyone = [*drawn.placed[node.name], one]
                expected = [_expected(name, everyone, node, part) for name in ("cpu", "memory")]
                assert [(fact.resource, fact.requested, fact.allocatable, fact.points) for fact in facts] == expected
                points = [fact.points for fact in facts]
                assert plugin.score_node(None, cluster.info(one), view) == sum(points) // 2
    balanced = BalancedResourceAllocation(NoArgs(), FakeHandle(cluster))
    shares = balanced.score_facts(None, cluster.info(drawn.pods[0]), cluster.view(0))
    assert [(fact.resource, fact.points) for fact in shares] == [("cpu", None), ("memory", None)]


def _expected(name, everyone, node, part):
    default = {"cpu": 100, "memory": 200 << 20}[name]
    used = sum(container.requests.get(name, default) for one in everyone for container in one.containers)
    whole = node.allocatable[name]
    tenths = used if part == "used" else whole - used
    return name, used, whole, 0 if used > whole else tenths * 10 // whole
