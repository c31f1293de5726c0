"""How far a load is: shares that only grow, whatever the sources are written in."""

from __future__ import annotations

import gzip
import json

import pytest

from scheduler_core.manifests import Limits, ManifestSource, dump_yaml, load_cluster
from scheduler_core.manifests.progress import ProgressMeter
from tests.dashboard.run_helpers import node, pod

PODS = [node("n"), *(pod(f"p{i}") for i in range(3_000))]
AS_LIST = json.dumps({"apiVersion": "v1", "kind": "List", "items": PODS}).encode()
AS_YAML = dump_yaml([{"apiVersion": "v1", "kind": "List", "items": PODS}]).encode()


@pytest.mark.slow
@pytest.mark.parametrize(
    "sources",
    [
        [ManifestSource("a.json", AS_LIST)],
        [ManifestSource("a.yaml", AS_YAML)],
        [
            ManifestSource("a.json.gz", gzip.compress(AS_LIST)),
            ManifestSource("a.yaml", AS_YAML),
            ManifestSource("b.json", AS_LIST),
        ],
        [ManifestSource("bad.yaml", b"a: [1"), ManifestSource("a.yaml", AS_YAML)],
        [ManifestSource("not-plain.json", AS_LIST.replace(b'"kind": "Pod"', b'"kind": "Pod", "kind": "Pod"', 1))],
    ],
    ids=["json", "yaml", "several", "bad", "twice"],
)
def test_shares_grow_to_the_end(sources):
    shares: list[float] = []
    found = load_cluster(sources, Limits(), report_progress=shares.append)
    assert found.manifests or found.errors
    assert shares == sorted(set(shares))
    assert all(0 < share <= 1 for share in shares)
    assert len(shares) <= 100
    assert not found.manifests or shares[-1] > 0.9


def test_nothing_is_reported_where_nobody_listens():
    meter = ProgressMeter(None, [10])
    meter.opening(0, 0.5, 0.5)
    meter.opened(0, 0.5)
    assert list(meter.reading_each([1, 2, 3])) == [1, 2, 3]


def test_sources_without_bytes_are_read_too():
    shares: list[float] = []
    assert load_cluster([ManifestSource("empty.yaml", b"")], report_progress=shares.append).findings
    assert shares == []
