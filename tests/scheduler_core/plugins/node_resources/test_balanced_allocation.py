"""NodeResourcesBalancedAllocation. Numbers are computed by hand from plugins/noderesources/balanced_allocation.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from scheduler_core.plugins.node_resources import NodeResourcesBalancedAllocation
from scheduler_core.plugins.node_resources.allocation import ResourceSpec
from scheduler_core.plugins.node_resources.balanced_allocation import NodeResourcesBalancedAllocationArgs
from scheduler_core.testing.agreement import assert_scores_agree
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle

if TYPE_CHECKING:
    from scheduler_core.api.objects import Node, Pod

THREE = tuple(ResourceSpec(name) for name in ("cpu", "memory", "example.com/gpu"))
GPU = {"example.com/gpu": "1"}


def scores(pod: Pod, *nodes: Node, resources: tuple[ResourceSpec, ...] = (), on_a: Pod | None = None) -> object:
    cluster = make_cluster(nodes, {"a": [on_a] if on_a else []})
    plugin = NodeResourcesBalancedAllocation(NodeResourcesBalancedAllocationArgs(resources), FakeHandle(cluster))
    return assert_scores_agree(plugin, cluster.info(pod), cluster.table.order)


NODE = make_node("a", cpu="10", memory="20G")


@pytest.mark.parametrize(
    ("pod", "on_a", "expected"),
    [
        # |0.6 - 0.25| / 2 = 0.175; 82.5 is truncated
        pytest.param(make_pod("p", "6", "5G"), None, [82], id="half the difference of two fractions"),
        pytest.param(make_pod("p", "5", "10G"), None, [100], id="equal fractions are perfect"),
        pytest.param(
            make_pod("p", "3", "5G"), make_pod("q", "3"), [82], id="pods on the node count with true requests"
        ),
        pytest.param(make_pod("p", "15", "20G"), None, [100], id="a fraction is at most 1"),
        pytest.param(make_pod("p", "1"), None, [95], id="memory that is not requested counts as 0"),
        pytest.param(make_pod("p", None), None, None, id="best effort is skipped"),
        pytest.param(make_pod("p", "0", "0"), None, None, id="explicit zeros are skipped"),
    ],
)
def test_score(pod: Pod, on_a: Pod | None, expected: list[int] | None) -> None:
    assert scores(pod, NODE, on_a=on_a) == expected


def test_three_resources_use_the_standard_deviation() -> None:
    # fractions 0.5, 0.25, 0.25: mean 1/3, deviation sqrt(0.041667 / 3) = 0.11785; 88.2
    node = make_node("a", cpu="2", memory="4G", extended={"example.com/gpu": "4"})
    assert scores(make_pod("p", "1", "1G", extended=GPU), node, resources=THREE) == [88]


def test_a_node_without_a_resource_leaves_it_out() -> None:
    pod = make_pod("p", "1", "1G", extended=GPU)
    without_gpu, cpu_only = make_node("a", cpu="2", memory="4G"), make_node("b", cpu="2", memory="0")
    # two left: |0.5 - 0.25| / 2 = 0.125; one left: no deviation
    assert scores(pod, without_gpu, cpu_only, resources=THREE) == [87, 100]


@pytest.mark.parametrize("raw", [[{"name": "cpu", "weight": 2}], [{"name": "cpu"}, {"name": "cpu"}]])
def test_bad_arguments_are_refused(raw: list[dict[str, object]]) -> None:
    with pytest.raises(msgspec.ValidationError, match="cpu"):
        msgspec.convert({"resources": raw}, NodeResourcesBalancedAllocationArgs)
