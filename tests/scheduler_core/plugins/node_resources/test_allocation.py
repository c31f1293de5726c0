"""What pods request, as scores count it."""

from __future__ import annotations

from scheduler_core.api.objects import Container
from scheduler_core.plugins.node_resources.allocation import ResourceSpec
from scheduler_core.plugins.node_resources.fit_args import (
    ScoringStrategy,
)
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.plugins.node_resources.scored import scores


def test_missing_requests_count_with_defaults_and_zero_stays_zero() -> None:
    node = make_node("a", cpu="1", memory="1000Mi")
    # 100m of 1000m and 200 MiB of 1000 MiB: (90 + 80) / 2
    assert scores(make_pod("p", None), [node], ScoringStrategy()) == [85]
    assert scores(make_pod("p", "0", "0"), [node], ScoringStrategy()) == [100]
    assert scores(make_pod("p", "0", "0"), [node], ScoringStrategy(), [make_pod("q", None)]) == [85]
    two = make_pod("p", containers=(Container("c"), Container("d", requests={"cpu": 0})))
    assert scores(two, [node], ScoringStrategy()) == [(90 + 60) // 2]


def test_pod_level_requests_do_not_count_for_the_pods_own_score() -> None:
    """Upstream builds the scorer without the pod-level flag; recorded in the case pod-level-resources."""
    node = make_node("a", cpu="1", memory="1000Mi")
    assert scores(make_pod("p", None, pod_requests={"cpu": 800}), [node], ScoringStrategy()) == [85]


def test_extended_resources_count_only_for_pods_that_ask_for_them() -> None:
    strategy = ScoringStrategy(resources=(ResourceSpec("cpu"), ResourceSpec("example.com/gpu", 3)))
    nodes = [make_node("a", cpu="1", extended={"example.com/gpu": "4"}), make_node("b", cpu="1")]
    assert scores(make_pod("p", "500m"), nodes, strategy) == [50, 50]
    assert scores(make_pod("p", "500m", extended={"example.com/gpu": "1"}), nodes, strategy) == [(50 + 225) // 4, 50]
