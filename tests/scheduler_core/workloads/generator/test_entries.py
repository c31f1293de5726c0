"""Entries of a description one by one."""

from __future__ import annotations

from scheduler_core.manifests.checking.raw_values import At, Sink
from scheduler_core.workloads.generator import entries
from scheduler_core.workloads.generator.entries import zone_name


def test_zones_have_names_in_order() -> None:
    assert [zone_name(i) for i in (0, 25, 26, 27)] == ["zone-a", "zone-z", "zone-aa", "zone-ab"]


def test_an_entry_with_errors_is_still_usable() -> None:
    sink = Sink()
    pool = entries.pool(At({"name": 3, "nodes": "many", "shape": [], "zones": "x", "labels": 1}, (), sink))
    assert (pool.nodes, pool.zones, pool.labels, pool.resources) == (0, (), {}, {})
    assert {one.path[0] for one in sink.complaints} == {"name", "nodes", "shape", "zones", "labels"}


def test_a_list_of_entries_is_cut_at_its_limit() -> None:
    sink = Sink()
    assert len(entries.entries(At([{}] * 5, (), sink), 3)) == 3
    assert sink.failed
