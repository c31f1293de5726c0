"""Property: on generated clusters the vectorised form of every plugin here equals its per-node form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scheduler_core.framework.contracts.plugin import FilterPlugin, Plugin, ScorePlugin
from scheduler_core.plugins.image_locality import ImageLocality
from scheduler_core.plugins.node_affinity import NodeAffinity
from scheduler_core.plugins.node_name import NodeName
from scheduler_core.plugins.node_ports import NodePorts
from scheduler_core.plugins.node_resources import NodeResourcesBalancedAllocation, NodeResourcesFit
from scheduler_core.plugins.node_resources.allocation import ResourceSpec
from scheduler_core.plugins.node_resources.balanced_allocation import NodeResourcesBalancedAllocationArgs
from scheduler_core.plugins.node_resources.fit_args import (
    NodeResourcesFitArgs,
    RequestedToCapacityRatioParam,
    ScoringStrategy,
)
from scheduler_core.plugins.node_resources.strategies import ShapePoint
from scheduler_core.plugins.node_unschedulable import NodeUnschedulable
from scheduler_core.plugins.taint_toleration import TaintToleration
from scheduler_core.plugins.volume_restrictions import VolumeRestrictions
from scheduler_core.testing.agreement import assert_filters_agree, assert_scores_agree
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.clusters import generated_cluster
from tests.seeds import each_seed

MIXED = (ResourceSpec("cpu", 2), ResourceSpec("memory", 3), ResourceSpec("example.com/gpu", 5))
EVEN = tuple(ResourceSpec(spec.name) for spec in MIXED)
PEAK = RequestedToCapacityRatioParam((ShapePoint(10, 2), ShapePoint(40, 10), ShapePoint(90, 0)))
FITS = {
    "least": NodeResourcesFitArgs(),
    "least mixed": NodeResourcesFitArgs(scoring_strategy=ScoringStrategy("LeastAllocated", MIXED)),
    "most mixed": NodeResourcesFitArgs(scoring_strategy=ScoringStrategy("MostAllocated", MIXED)),
    "ratio": NodeResourcesFitArgs(scoring_strategy=ScoringStrategy("RequestedToCapacityRatio", MIXED, PEAK)),
    "ignoring": NodeResourcesFitArgs(ignored_resource_groups=("example.com",)),
}
DEFAULTS: tuple[type[Plugin[Any]], ...] = (
    NodeName, NodeUnschedulable, TaintToleration, NodeAffinity, NodePorts, ImageLocality, VolumeRestrictions,
    NodeResourcesBalancedAllocation,
)  # fmt: skip

CASES = [pytest.param(cls, cls.Args(), id=cls.name) for cls in DEFAULTS]
CASES += [pytest.param(NodeResourcesFit, args, id=f"NodeResourcesFit {name}") for name, args in FITS.items()]
CASES += [
    pytest.param(NodeResourcesBalancedAllocation, NodeResourcesBalancedAllocationArgs(specs), id=f"Balanced {name}")
    for name, specs in (("of three", EVEN), ("of one", EVEN[:1]))
]


@pytest.mark.usefixtures("by_kernel_and_by_numpy")
@pytest.mark.parametrize(("plugin_type", "args"), CASES)
@each_seed(range(6), together=6)
def test_both_forms_agree(plugin_type: type[Plugin[Any]], args: Any, seed: int) -> None:
    cluster, pods = generated_cluster(seed)
    plugin = plugin_type(args, FakeHandle(cluster))
    order = cluster.table.order
    answers = 0
    for pod in map(cluster.info, pods):
        for rows in (order, order[::5], order[:0]):
            if isinstance(plugin, FilterPlugin) and assert_filters_agree(plugin, pod, rows) is not None:
                answers += 1
            if isinstance(plugin, ScorePlugin) and assert_scores_agree(plugin, pod, rows) is not None:
                answers += 1
    assert answers


@pytest.mark.parametrize(("plugin_type", "args"), CASES)
def test_a_plugin_used_before_answers_like_a_new_one(plugin_type: type[Plugin[Any]], args: Any) -> None:
    """Memos must not outlive what they were derived from."""
    cluster, pods = generated_cluster(7)
    used = plugin_type(args, FakeHandle(cluster))
    infos = [cluster.info(pod) for pod in pods]
    for step, node in enumerate([n for n in cluster.table.nodes if n is not None][:4]):
        _answers(used, infos)
        cluster.drop_node(node.name)
        if step % 2:
            cluster.put_node(node)
        cluster.put_pod(infos[step], next(iter(cluster.table.row_of)))
        assert _answers(used, infos) == _answers(plugin_type(args, FakeHandle(cluster)), infos)


def test_verdicts_leave_the_columns_as_they_were() -> None:
    cluster, pods = generated_cluster(3)
    table = cluster.table
    before = [a.copy() for a in (table.allocatable, table.requested, table.non_zero, table.pod_count)]
    for cls in (*DEFAULTS, NodeResourcesFit):
        _answers(cls(cls.Args(), FakeHandle(cluster)), [cluster.info(pod) for pod in pods])
    after = (table.allocatable, table.requested, table.non_zero, table.pod_count)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def _answers(plugin: Plugin[Any], infos: list[Any]) -> list[Any]:
    rows = plugin.handle.cluster.table.order
    comparisons: list[Any] = []
    for info in infos:
        if isinstance(plugin, FilterPlugin):
            comparisons.append(assert_filters_agree(plugin, info, rows))
        if isinstance(plugin, ScorePlugin):
            comparisons.append(assert_scores_agree(plugin, info, rows))
    return comparisons
