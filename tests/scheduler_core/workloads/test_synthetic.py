"""The generated cluster: reproducible, valid, and of the size asked for."""

from __future__ import annotations

from collections import Counter

from scheduler_core.manifests import load_manifests
from scheduler_core.workloads.synthetic import NODE_SHAPES, gpu_cluster


def test_it_is_the_same_each_time_and_differs_by_seed() -> None:
    assert gpu_cluster(50, 100, seed=3) == gpu_cluster(50, 100, seed=3)
    assert gpu_cluster(50, 100, seed=3) != gpu_cluster(50, 100, seed=4)


def test_it_loads_without_findings_in_the_size_asked_for() -> None:
    result = load_manifests(gpu_cluster(200, 400))
    assert result.findings == []
    assert (len(result.objects.nodes), len(result.objects.pods)) == (200, 400)


def test_node_types_keep_their_shares() -> None:
    nodes = [m for m in gpu_cluster(1500, 0) if m["kind"] == "Node"]
    models = Counter(m["metadata"]["labels"].get("alibabacloud.com/gpu-card-model", "") for m in nodes)
    expected = {shape.model: 0 for shape in NODE_SHAPES}
    for shape in NODE_SHAPES:
        expected[shape.model] += shape.share
    for model, share in expected.items():
        assert abs(models[model] - share * 1500 / 1523) <= 15
