"""Tables of many objects."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.clusters.revisions.contents import Contents
from dashboard.clusters.revisions.object_rows import build_rows
from dashboard.clusters.tables import query as tables
from scheduler_core.manifests import load_manifests
from tests.dashboard.clusters.conftest import node, pod


def loaded(*manifests):
    return Contents(list(manifests), load_manifests(list(manifests)))


@pytest.mark.slow
def test_tables_of_50_000_pods_are_paged():
    manifests = [node(f"node-{n}", f"zone-{n % 3}") for n in range(500)]
    base = loaded(*manifests)
    one = load_manifests([pod("p", "node-1")]).objects.pods[0]

    pods = [msgspec.structs.replace(one, name=f"pod-{n}", node_name=f"node-{n % 500}") for n in range(50_000)]
    base.loaded.objects.pods.extend(pods)
    base.rows = build_rows(base.loaded.objects, base.by_key.keys())
    for query, n_found in (
        ({"sort": "-cpu"}, 50_000),
        ({"q": "pod-4999"}, 11),
        ({"sort": "-cpu", "page": "900"}, 50_000),
        ({"status": "bound", "node": "node-7"}, 100),
    ):
        table = tables.pod_table(base, query)
        assert table.page.total == n_found
        assert len(table.page.items) <= 100


def test_the_amounts_of_a_quota_are_said_behind_their_resources():
    spec = {"min": {"cpu": 4, "memory": "1Gi"}, "max": {"cpu": 6, "odd": [1]}}
    assert tables.object_facts("ElasticQuota", {"spec": spec}) == "min cpu 4, memory 1Gi, max cpu 6"
    assert tables.object_facts("ElasticQuota", {"spec": {"min": {}, "max": None}}) == ""
