"""Amounts in one unit, exact."""

from __future__ import annotations

from scheduler_core.explain.facts.amounts import amounts

GI, MI = 1 << 30, 1 << 20


def test_cpu_is_in_cores() -> None:
    assert amounts("cpu", 3000, 800, 0) == ("3", "0.8", "0")


def test_bytes_are_in_the_largest_unit_that_writes_all_exactly() -> None:
    assert amounts("memory", 6 * GI, 1536 * MI) == ("6Gi", "1.5Gi")
    assert amounts("memory", 6 * GI, 1536 * MI + 1) == ("6442450944", "1610612737")
    assert amounts("memory", 100 * MI, 0) == ("100Mi", "0")


def test_counts_stay_counts() -> None:
    assert amounts("nvidia.com/gpu", 2, 1) == ("2", "1")


def test_amounts_below_zero_keep_their_unit() -> None:
    assert amounts("memory", -2 * GI, GI) == ("-2Gi", "1Gi")
