"""How far a load is: shares that only grow, whatever the sources are written in."""

from __future__ import annotations

import gzip
import json
from functools import cache

import pytest

from scheduler_core.manifests import Limits, ManifestSource, dump_yaml, load_cluster
from scheduler_core.manifests.progress import ProgressMeter
from tests.dashboard.run_helpers import node, pod

PODS = [node("n"), *(pod(f"p{i}") for i in range(3_000))]


@cache
def as_list() -> bytes:
    """The pods as a list in JSON; made by the first test that asks, not by every process that collects tests."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": PODS}).encode()


@cache
def as_yaml() -> bytes:
    """The same as YAML."""
    return dump_yaml([{"apiVersion": "v1", "kind": "List", "items": PODS}]).encode()


SOURCES = {
    "json": lambda: [ManifestSource("a.json", as_list())],
    "yaml": lambda: [ManifestSource("a.yaml", as_yaml())],
    "several": lambda: [
        ManifestSource("a.json.gz", gzip.compress(as_list())),
        ManifestSource("a.yaml", as_yaml()),
        ManifestSource("b.json", as_list()),
    ],
    "bad": lambda: [ManifestSource("bad.yaml", b"a: [1"), ManifestSource("a.yaml", as_yaml())],
    "twice": lambda: [
        ManifestSource("not-plain.json", as_list().replace(b'"kind": "Pod"', b'"kind": "Pod", "kind": "Pod"', 1))
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("sources", SOURCES.values(), ids=SOURCES)
def test_shares_grow_to_the_end(sources):
    shares: list[float] = []
    loaded = load_cluster(sources(), Limits(), report_progress=shares.append)
    assert loaded.manifests or loaded.errors
    assert shares == sorted(set(shares))
    assert all(0 < share <= 1 for share in shares)
    assert len(shares) <= 100
    assert not loaded.manifests or shares[-1] > 0.9


def test_nothing_is_reported_where_nobody_listens():
    meter = ProgressMeter(None, [10])
    meter.opening(0, 0.5, 0.5)
    meter.opened(0, 0.5)
    assert list(meter.reading_each([1, 2, 3])) == [1, 2, 3]


def test_sources_without_bytes_are_read_too():
    shares: list[float] = []
    assert load_cluster([ManifestSource("empty.yaml", b"")], report_progress=shares.append).findings
    assert shares == []
