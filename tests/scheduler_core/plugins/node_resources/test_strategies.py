"""Score strategies of NodeResourcesFit. Numbers are computed by hand from the formulas in plugins/noderesources."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.plugins.node_resources import NodeResourcesBalancedAllocation, NodeResourcesFit
from scheduler_core.plugins.node_resources.allocation import ResourceSpec, Share, Shares
from scheduler_core.plugins.node_resources.balanced_allocation import NodeResourcesBalancedAllocationArgs
from scheduler_core.plugins.node_resources.fit_args import (
    NodeResourcesFitArgs,
    RequestedToCapacityRatioParam,
    ScoringStrategy,
)
from scheduler_core.plugins.node_resources.strategies import (
    LeastAllocated,
    MostAllocated,
    RequestedToCapacityRatio,
    ShapePoint,
    Strategy,
    shape_problem,
)
from scheduler_core.testing.agreement import assert_filters_agree, assert_scores_agree
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.node_resources.scored import scores
from tests.seeds import each_seed

BIN_PACKING = RequestedToCapacityRatio((ShapePoint(0, 0), ShapePoint(100, 10)))
PEAK = RequestedToCapacityRatio((ShapePoint(20, 10), ShapePoint(50, 3)))


@pytest.mark.parametrize(
    ("strategy", "shares", "expected"),
    [
        pytest.param(LeastAllocated(), [(3, 10, 1), (5, 20, 1)], (70 + 75) // 2, id="least: mean of what is free"),
        pytest.param(LeastAllocated(), [(3, 10, 3), (5, 20, 1)], (210 + 75) // 4, id="least: weighted"),
        pytest.param(LeastAllocated(), [(11, 10, 1)], 0, id="least: more than there is gives 0"),
        pytest.param(MostAllocated(), [(3, 10, 1), (5, 20, 1)], (30 + 25) // 2, id="most: mean of what is requested"),
        pytest.param(MostAllocated(), [(11, 10, 1)], 100, id="most: more than there is gives 100"),
        pytest.param(LeastAllocated(), [], 0, id="nothing to score by gives 0"),
        pytest.param(BIN_PACKING, [(1, 4, 1), (1, 2, 1)], 38, id="ratio: 37.5 is rounded up"),
        pytest.param(BIN_PACKING, [(0, 4, 1), (1, 2, 1)], 50, id="ratio: a resource that scores 0 does not count"),
        pytest.param(BIN_PACKING, [(9, 4, 1)], 100, id="ratio: more than there is counts as full"),
        pytest.param(PEAK, [(1, 10, 1)], 100, id="ratio: before the first point its score holds"),
        # 100 + (30 - 100) * (25 - 20) / (50 - 20) = 100 - 11.67, truncated toward zero: 100 - 11
        pytest.param(PEAK, [(1, 4, 1)], 89, id="ratio: a falling line is truncated toward zero"),
        pytest.param(PEAK, [(9, 10, 1)], 30, id="ratio: behind the last point its score holds"),
    ],
)
def test_of_node(strategy: Strategy, shares: list[tuple[int, int, int]], expected: int) -> None:
    assert strategy.of_node([Share(*share) for share in shares]) == expected


AMOUNTS = st.integers(0, 1 << 45)


@given(st.lists(st.tuples(AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS), min_size=1, max_size=5), st.integers(0, 10))
def test_many_nodes_score_as_each_would(nodes: list[tuple[int, int, int, int]], shift: int) -> None:
    """Large capacities take another path than small ones; both must round down exactly."""
    numbers = np.array(nodes, dtype=np.int64).T << shift
    for strategy in (LeastAllocated(), MostAllocated(), BIN_PACKING, PEAK):
        for weights in ((3, 1), (2, 2)):
            shares = Shares.of(numbers[0::2], numbers[1::2], weights)
            expected = [
                strategy.of_node(
                    Share(requested, allocatable, weight)
                    for requested, allocatable, weight in zip(node[0::2], node[1::2], weights, strict=True)
                    if allocatable
                )
                for node in numbers.T.tolist()
            ]
            assert strategy.of_rows(shares).tolist() == expected


@pytest.mark.parametrize(
    ("points", "problem"),
    [
        pytest.param([(0, 0), (100, 10)], "", id="a rising shape is fine"),
        pytest.param([], "at least one point", id="no points"),
        pytest.param([(101, 1)], "valid range [0, 100]", id="utilization out of range"),
        pytest.param([(1, 11)], "valid range [0, 10]", id="score out of range"),
        pytest.param([(5, 1), (5, 2)], "increasing order", id="equal utilizations"),
    ],
)
def test_shape_problem(points: list[tuple[int, int]], problem: str) -> None:
    assert problem in shape_problem(tuple(ShapePoint(*point) for point in points))
    assert bool(problem) == bool(shape_problem(tuple(ShapePoint(*point) for point in points)))


def test_a_ratio_without_points_on_a_node_scores_nothing() -> None:
    shape = RequestedToCapacityRatioParam((ShapePoint(0, 0), ShapePoint(100, 10)))
    strategy = ScoringStrategy("RequestedToCapacityRatio", (ResourceSpec("cpu"),), shape)
    assert scores(make_pod("p", "250m"), [make_node("a", cpu="1"), make_node("b", cpu="0")], strategy) == [25, 0]


# --- amounts of which a hundred times is more than an int64 holds --------------------------------------------------
# By hand, as Go's int64 does: free * 100 modulo 2**64 as a signed number, divided towards zero. 7Ei * 100 is
# 700 * 2**60, of which 12 * 2**60 are left, that is -4 * 2**60; divided by 7 * 2**60 it is 0. 4Ei * 100 leaves 0.
# (2**63 - 1) * 100 is -100, and 0 divided. 5Ei less 1Ei, times 100, leaves 0; of 3Ei 300 * 2**60 leave 12 * 2**60, that
# is -4 * 2**60, and less 1Ei 200 * 2**60 leave 8 * 2**60, that is -8 * 2**60, divided by 3 * 2**60 -2.
LARGE = [
    ("7Ei", "0", 0), ("4Ei", "0", 0), ("9223372036854775807", "0", 0), ("5Ei", "1Ei", 0), ("3Ei", "0", -1),
    ("3Ei", "1Ei", -2), ("81Pi", "0", 100), ("9223372036854775807", "9223372036854775807", 0),
]  # fmt: skip


@pytest.mark.usefixtures("by_kernel_and_by_numpy")
@pytest.mark.parametrize(("has", "asks", "free"), LARGE)
def test_large_amounts_score_as_int64_computes_them(has, asks, free):
    cluster = make_cluster([make_node("n", memory=has), make_node("m", memory="1Gi")])
    specs = (ResourceSpec("memory"),)
    plugin = NodeResourcesFit(
        NodeResourcesFitArgs(scoring_strategy=ScoringStrategy("LeastAllocated", specs)), FakeHandle(cluster)
    )
    scores = assert_scores_agree(plugin, cluster.info(make_pod("p", memory=asks)), cluster.table.order)
    assert scores is not None
    assert scores[cluster.table.order.tolist().index(cluster.table.row_of["n"])] == free


@pytest.mark.usefixtures("by_kernel_and_by_numpy")
@pytest.mark.parametrize("strategy", ["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"])
@each_seed(range(12), together=12)
def test_both_forms_agree_on_amounts_near_int64(strategy, seed):
    random = Random(seed)
    amounts = ["0", "1", "1Ki", "80Pi", "100Pi", "3Ei", "5Ei", "9223372036854775000", "9223372036854775807"]

    def some_pod(name):
        return make_pod(name, cpu=random.choice(["0", "1", "92233720368547758"]), memory=random.choice(amounts))

    nodes = [make_node(f"n{i}", cpu=random.choice(amounts), memory=random.choice(amounts)) for i in range(30)]
    placed = {node.name: [some_pod(f"{node.name}-{j}") for j in range(random.randrange(4))] for node in nodes}
    cluster = make_cluster(nodes, placed)
    shape = RequestedToCapacityRatioParam((ShapePoint(10, 2), ShapePoint(40, 10)))
    args = ScoringStrategy(strategy, (ResourceSpec("cpu", 2), ResourceSpec("memory", 3)), shape)
    fit = NodeResourcesFit(NodeResourcesFitArgs(scoring_strategy=args), FakeHandle(cluster))
    balanced = NodeResourcesBalancedAllocation(NodeResourcesBalancedAllocationArgs(), FakeHandle(cluster))
    for i in range(4):
        pod = cluster.info(some_pod(f"p{i}"))
        assert_filters_agree(fit, pod, cluster.table.order)
        assert_scores_agree(fit, pod, cluster.table.order)
        assert_scores_agree(balanced, pod, cluster.table.order)
